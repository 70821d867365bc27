"""The answers to requests about an issued response, for every wire that keeps responses."""

from __future__ import annotations

from functools import partial
from typing import Final

from harness.finding import ProviderAnswer
from harness.wire.auxiliary import Auxiliary, AuxiliaryAnswer, AuxiliaryRequest
from harness.wire.claim import Claim
from harness.wire.keeping import Keeping, KeptChange, KeptRequest, KeptResponse
from harness.wire.lenient import Json

_FETCHED_UNTIL_DONE: Final = 2
"""How often a client asks for a response that is made in the background until it is done."""


def by_id(keeping: Keeping) -> Auxiliary:
    """A function that answers requests about the responses of a wire."""
    return partial(about_a_response, keeping)


def answered(body: Json | ProviderAnswer, *changes: KeptChange) -> AuxiliaryAnswer:
    """The answer to a request about what is kept: a document with the changes, or a refusal."""
    if isinstance(body, ProviderAnswer):
        return AuxiliaryAnswer(Claim.LIKELY, refused=body)
    return AuxiliaryAnswer(Claim.SURE, body, changes=changes)


def about_a_response(keeping: Keeping, request: AuxiliaryRequest) -> AuxiliaryAnswer | None:
    """The answer to a request about an issued response; None for any other request."""
    target = f"{request.path}?{request.query}" if request.query else request.path
    asked = keeping.wanted(request.method, target)
    if asked is None:
        return None
    kept = request.kept.response(keeping.wire, asked.id)
    if kept is None:
        return answered(keeping.unknown(asked.id))
    if (refused := keeping.refused(asked, kept)) is not None:
        return answered(refused)
    match asked.act:
        case "delete":
            return answered(keeping.deleted(kept.id), KeptChange("delete", kept.id))
        case "cancel":
            return _answer_to_cancel(keeping, kept)
        case "input":
            assert keeping.items is not None  # noqa: S101 - what asks for them is recognised by the same wire
            return answered(keeping.items(asked, kept, request.kept))
        case "change":
            return _answer_to_change(keeping, kept, request.body)
        case "fetch":
            return _answer_to_fetch(keeping, asked, kept)


def _answer_to_cancel(keeping: Keeping, kept: KeptResponse) -> AuxiliaryAnswer:
    document = keeping.document(kept, False)
    if kept.state == "cancelled":  # to ask twice changes nothing
        return answered(document)
    cancelled = keeping.cancelled(document)
    return answered(cancelled, KeptChange("cancel", kept.id, cancelled))


def _answer_to_change(keeping: Keeping, kept: KeptResponse, body: bytes) -> AuxiliaryAnswer:
    assert keeping.changed is not None  # noqa: S101 - what asks for it is recognised by the same wire
    members = keeping.changed(body)
    if isinstance(members, ProviderAnswer):
        return answered(members)
    document = {**keeping.document(kept, False), **members}
    return answered(document, KeptChange("change", kept.id, members))


def _answer_to_fetch(keeping: Keeping, asked: KeptRequest, kept: KeptResponse) -> AuxiliaryAnswer:
    got = KeptChange("get", kept.id)
    if asked.stream:
        frames = keeping.events(kept, asked)
        if frames is None:
            return answered(keeping.no_event)
        return AuxiliaryAnswer(Claim.SURE, frames=tuple(frames), changes=(got,))
    document = {**keeping.document(kept, asked.with_input), **kept.changed}
    if kept.state == "made" and kept.times + 1 < _FETCHED_UNTIL_DONE:
        return answered(keeping.unfinished(document, kept.times + 1), KeptChange("poll", kept.id))
    return answered(document, got)
