"""Stored interactions: clients fetch them by their ids, cancel them in the background, and delete them.

Paths, queries and the answers come from google-genai 3.4.0; the refusals have codes from the documentation. A stream in
the background has an id on each event, so that it can be resumed after that event.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final
from urllib.parse import parse_qs

from harness.finding import ProviderAnswer
from harness.ground.bounded_json import loads
from harness.wire.background import Background
from harness.wire.base import Json
from harness.wire.gemini_interactions.parse import parse
from harness.wire.gemini_interactions.render import events_of
from harness.wire.gemini_interactions.steps import flattened
from harness.wire.keeping import Keeping, KeptRequest, KeptResponse
from harness.wire.lenient import entries, members, string
from harness.wire.sse import SSE, parse_events

_PATH: Final = re.compile(r"(?:/[^/?]+)*/interactions/(?P<id>[^/?]+)(?P<cancel>/cancel)?/?(?:\?(?P<query>.*))?")
_UNFINISHED: Final = ("in_progress", "queued")
_AT_THE_END: Final = ("usage", "errors", "continuation_token")
"""Members that an interaction has only after its end."""


def _kept_request(method: str, target: str) -> KeptRequest | None:
    found = _PATH.fullmatch(target)
    if found is None:
        return None
    if found["cancel"]:
        return KeptRequest(found["id"], "cancel") if method == "POST" else None
    if method == "DELETE":
        return KeptRequest(found["id"], "delete")
    if method != "GET":
        return None
    query = {name: values[-1] for name, values in parse_qs(found["query"] or "").items()}
    stream, with_input = (query.get(name, "").lower() == "true" for name in ("stream", "include_input"))
    return KeptRequest(found["id"], "fetch", stream, query.get("last_event_id", ""), with_input)


# --- a response in the form that is wanted ------------------------------------------------------------------


def _document(kept: KeptResponse, with_input: bool) -> Json:
    """The interaction as one document; with its input as steps in front of its own."""
    whole = _from_stream(kept.frames) if kept.stream else _object(kept.frames[0])
    if with_input:
        before = [step for step, _ in flattened(kept.asked.get("input"))]
        whole = {**whole, "steps": [*before, *entries(whole.get("steps"))]}
    return whole


def _from_stream(frames: Sequence[bytes]) -> Json:
    whole: Json = {}
    for event in parse_events(b"".join(frames)):
        whole |= members(_object(event.data.encode()).get("interaction"))
    return {**whole, "steps": list(parse(SSE.content_type, b"".join(frames)).items)}


def _object(data: bytes) -> Json:
    try:
        return members(loads(data))
    except ValueError:
        return {}  # the end of a stream is no JSON


def _events(kept: KeptResponse, asked: KeptRequest) -> Sequence[bytes] | None:
    after = asked.after
    frames = list(kept.frames) if kept.stream else events_of(_document(kept, with_input=False))
    if not after:
        return frames
    ids = [_id_of(frame) for frame in frames]
    return frames[ids.index(after) + 1 :] if after in ids else None


def _id_of(frame: bytes) -> str:
    return next((string(_object(event.data.encode()).get("event_id")) for event in parse_events(frame)), "")


# --- in the background --------------------------------------------------------------------------------------


def _is_in_background(body: Json) -> bool:
    return body.get("background") is True and not body.get("stream")


def _without_an_end(document: Json, status: str) -> Json:
    begun = {name: value for name, value in document.items() if name not in _AT_THE_END}
    return {**begun, "status": status, "steps": []}


BACKGROUND: Final = Background(
    asked=_is_in_background,
    path=lambda id: f"/v1/interactions/{id}",
    unfinished=lambda document, _: _without_an_end(document, "in_progress"),
    is_unfinished=lambda document: document.get("status") in _UNFINISHED,
)


def _refusal(asked: KeptRequest, kept: KeptResponse) -> ProviderAnswer | None:
    return _FINISHED if asked.act == "cancel" and kept.state in ("done", "cancelled") else None


_UNKNOWN: Final = ProviderAnswer("Requested entity was not found.", 404, kind="not_found")
_FINISHED: Final = ProviderAnswer("The interaction is not in progress.", 400, kind="failed_precondition")

KEEPING: Final = Keeping(
    wire="gemini-interactions",
    keeps=lambda _: True,
    wanted=_kept_request,
    document=_document,
    events=_events,
    unfinished=BACKGROUND.unfinished,
    cancelled=lambda document: _without_an_end(document, "cancelled"),
    deleted=lambda _: {},
    refused=_refusal,
    unknown=lambda _: _UNKNOWN,
    no_event=ProviderAnswer("Request contains an invalid argument.", 400, kind="invalid_request"),
)
