"""Requests outside conversations: lists of models, counts of tokens, kept responses. The wires answer them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Final

from harness.endpoint.case_endpoint import CaseEndpoint
from harness.endpoint.response_plan import ResponsePlan
from harness.endpoint.stored import Stored
from harness.wire import ErrorAnswer, Wire, wires
from harness.wire.auxiliary import AuxiliaryAnswer, AuxiliaryRequest
from harness.wire.identity import Identity
from harness.wire.keeping import KeptChange, KeptResponse, StoredConversation

_IDENTITY: Final = "beside"
_SHARED: Final = "authorization"
_SIGNED: Final = "AWS4-HMAC"
_OF_CONVERSATIONS: Final = ("store", "append", "remove", "drop")


def beside(request: AuxiliaryRequest, kept: KeptOfCase) -> ResponsePlan | None:
    """The answer to a request outside conversations; None if the endpoint does not serve it."""
    answers = [(found, speaker) for speaker, answer in _answering() if (found := answer(request)) is not None]
    if not answers:
        return None
    found, speaker = max(answers, key=lambda answer: answer[0].claim)
    plan = _response_plan(speaker, found)
    for change in found.changes:
        kept.change(speaker.name, change)
    return plan


@cache
def _answering() -> Sequence[tuple[Wire, Callable[[AuxiliaryRequest], AuxiliaryAnswer | None]]]:
    """The functions that answer such requests, wire by wire. Wires of one provider may share a function."""
    return tuple((each, answer) for answer, each in {each.auxiliary: each for each in wires() if each.native}.items())


def _response_plan(speaker: Wire, answer: AuxiliaryAnswer) -> ResponsePlan:
    """The HTTP response for an answer."""
    identity = Identity(_IDENTITY)
    if answer.refused is not None:
        return _plan(speaker.refuse(answer.refused, identity))
    if answer.frames is not None:
        return ResponsePlan(200, speaker.response_headers(identity, stream=True), answer.frames)
    head = {"content-type": "application/json", **speaker.response_headers(identity, stream=False)}
    return ResponsePlan(200, head, (json.dumps(answer.document).encode(),))


def no_such_path(method: str, path: str, headers: Mapping[str, str], served: Sequence[Wire]) -> ResponsePlan:
    """The answer of the provider that a request is meant for, if it has nothing at the path.

    The header with the key identifies the provider. If several use that header, it is the first one ``served``.
    """
    native = [each for each in wires() if each.native]
    keyed = [each for each in native if each.provider.key_header in headers.keys() - {_SHARED}]
    signed = [each for each in native if each.provider.signing_variables and _SIGNED in headers.get(_SHARED, "")]
    likely = [each for each in served if each.provider.key_header in headers and not each.provider.signing_variables]
    speaker = next(iter((*keyed, *signed, *likely, *served)))
    return _plan(speaker.refuse(speaker.unknown_path(method, path), Identity(_IDENTITY)))


def _plan(answer: ErrorAnswer) -> ResponsePlan:
    return ResponsePlan(answer.status, answer.headers, (answer.body,))


@dataclass(frozen=True, slots=True)
class KeptOfCase:
    """What the endpoints of a case keep (``Kept``). ``parked`` finds the endpoint of a reply if it is not live."""

    live: Sequence[CaseEndpoint]
    parked: Callable[[str], CaseEndpoint | None]

    def response(self, wire: str, id: str) -> KeptResponse | None:
        """The response with this id; None if it is not kept or was deleted."""
        endpoint = self._holder(wire, id)
        return None if endpoint is None else endpoint.kept.get(wire, id)

    def responses(self, wire: str) -> Iterable[KeptResponse]:
        """All responses kept in memory, in the order of their endpoints."""
        return chain.from_iterable(endpoint.kept.each(wire) for endpoint in self.live)

    def conversation(self, id: str) -> StoredConversation | None:
        """The stored conversation with this id."""
        return next((found for each in self._stores if (found := each.get(id)) is not None), None)

    def fresh(self, prefix: str) -> str:
        """A fresh id for something that is to be kept."""
        return self._stores[0].fresh(prefix)

    def change(self, wire: str, change: KeptChange) -> None:
        """Change what is kept, as a client of the wire has requested."""
        if change.did in _OF_CONVERSATIONS:
            holding = [each for each in self._stores if each.get(change.id) is not None]
            own = [each.stored for each in self.live if each.case.wire == wire]
            (*holding, *own, *self._stores)[0].change(change)
        elif (endpoint := self._holder(wire, change.id)) is not None:
            endpoint.change(change)

    def _holder(self, wire: str, id: str) -> CaseEndpoint | None:
        here = next((each for each in self.live if each.kept.get(wire, id) is not None), None)
        return here or self.parked(id)

    @property
    def _stores(self) -> list[Stored]:
        return list({id(each.stored): each.stored for each in self.live}.values())
