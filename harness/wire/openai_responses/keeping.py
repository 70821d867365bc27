"""Stored responses: clients fetch them by their ids (also as a stream), cancel them and delete them.

Paths, queries and the forms of the answers come from the official SDK for Python, 3.54.0, and from recordings; the
refusals are quoted by clients and by servers that mirror the provider (``Cannot cancel a completed response.``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import takewhile
from typing import Any, Final
from urllib.parse import parse_qs

from harness.finding import ProviderAnswer
from harness.ground.bounded_json import loads
from harness.wire.keeping import Keeping, Kept, KeptRequest, KeptResponse
from harness.wire.lenient import Json, entries, members, string
from harness.wire.openai_lists import page, unknown
from harness.wire.openai_responses.in_background import BACKGROUND
from harness.wire.openai_responses.items import conversation_id
from harness.wire.openai_responses.stored_items import items_of, items_of_turn
from harness.wire.sse import frame, parse_events

_PATH: Final = re.compile(
    r"(?:/[^/?]+)*/responses/(?P<id>(?!compact|input_tokens)[^/?]+)(?P<more>/cancel|/input_items)?/?(?:\?(?P<query>.*))?"
)


def _kept_request(method: str, target: str) -> KeptRequest | None:
    found = _PATH.fullmatch(target)
    if found is None:
        return None
    query = {name: values[-1] for name, values in parse_qs(found["query"] or "").items()}
    match method, found["more"]:
        case "GET", None:
            stream = query.get("stream", "").lower() == "true"
            return KeptRequest(found["id"], "fetch", stream, query.get("starting_after", ""), query=query)
        case "DELETE", None:
            return KeptRequest(found["id"], "delete")
        case "POST", "/cancel":
            return KeptRequest(found["id"], "cancel")
        case "GET", "/input_items":
            return KeptRequest(found["id"], "input", query=query)
        case _:
            return None


def _refusal(asked: KeptRequest, kept: KeptResponse) -> ProviderAnswer | None:
    in_background = kept.asked.get("background") is True
    if asked.act == "delete" and kept.state == "made":
        return ProviderAnswer("Cannot delete an in-flight response.", param="response_id")
    if asked.act == "cancel":
        if not in_background:
            return ProviderAnswer("Cannot cancel a synchronous response.", param="response_id")
        if kept.state == "done":
            status = string(_document(kept).get("status")) or "completed"
            return ProviderAnswer(f"Cannot cancel {_A.get(status, 'a')} {status} response.", param="response_id")
    if asked.stream and not (in_background and kept.stream):
        lacking = "stream" if in_background else "background"
        message = f"This response cannot be streamed because it was not created with {lacking}=true."
        return ProviderAnswer(message, param="stream")
    if asked.after and not asked.after.isdigit():
        message = f"Invalid type for 'starting_after': expected an integer, but got '{asked.after}' instead."
        return ProviderAnswer(message, param="starting_after", code="invalid_type")
    return None


_A: Final = {"incomplete": "an"}


def _document(kept: KeptResponse, with_input: bool = False) -> Json:  # noqa: ARG001 - the signature of document
    """The response object as it is at the end of its stream."""
    if not kept.stream:
        return _object(kept.frames[0])
    last = next((found for each in reversed(kept.frames) if (found := members(_event(each).get("response")))), {})
    return last


def _event(data: bytes) -> Json:
    return next((_object(event.data.encode()) for event in parse_events(data)), {})


def _object(data: bytes) -> Json:
    try:
        return members(loads(data))
    except ValueError:
        return {}  # the end of a stream is no JSON


def _events(kept: KeptResponse, asked: KeptRequest) -> Sequence[bytes]:
    """The frames after the named event; all frames if no event has a number."""
    after = int(asked.after) if asked.after else -1
    plain = asked.query.get("include_obfuscation", "").lower() == "false"
    return [_plain(each) if plain else each for each in kept.frames if _number(each) > after]


def _number(data: bytes) -> float:
    number = _event(data).get("sequence_number")
    return number if isinstance(number, int) else float("inf")


def _plain(data: bytes) -> bytes:
    event = _event(data)
    if "obfuscation" not in event:
        return data
    return frame({name: value for name, value in event.items() if name != "obfuscation"}, string(event.get("type")))


def _items(asked: KeptRequest, kept: KeptResponse, shelf: Kept) -> Json | ProviderAnswer:
    return page(list(_input_of(kept, shelf)), asked.query, "desc")


def _input_of(kept: KeptResponse, shelf: Kept) -> Iterator[Json]:
    """All input of the model: the history that the request names, and its own input."""
    for earlier in _earlier_responses(kept, shelf):
        yield from items_of_turn(earlier.id, earlier.asked, entries(_document(earlier).get("output")))
    named = conversation_id(kept.asked)
    stored = shelf.conversation(named) if named else None
    if stored is not None:
        before = takewhile(lambda entry: entry != kept.id, stored.entries)
        yield from items_of(stored.id, before, stored.removed, partial(turn_of, shelf))
    yield from items_of_turn(kept.id, kept.asked, ())


def turn_of(shelf: Kept, id: str) -> tuple[Json, Sequence[Any]] | None:
    """The body of the request for a response, and its output; None if the response is not kept."""
    kept = shelf.response("openai-responses", id)
    return None if kept is None else (kept.asked, entries(_document(kept).get("output")))


def _earlier_responses(kept: KeptResponse, shelf: Kept) -> list[KeptResponse]:
    """The earlier responses that a response continues, the first one first."""
    chain: list[KeptResponse] = []
    seen = {kept.id}
    while (id := string(kept.asked.get("previous_response_id"))) and id not in seen:
        found = shelf.response("openai-responses", id)
        if found is None:
            break
        seen.add(id)
        chain.append(found)
        kept = found
    return chain[::-1]


def _cancelled_document(document: Json) -> Json:
    return {**document, "status": "cancelled", "output": [], "completed_at": None, "usage": None}


KEEPING: Final = Keeping(
    wire="openai-responses",
    keeps=lambda body: body.get("store") is not False or body.get("background") is True,
    wanted=_kept_request,
    document=_document,
    events=_events,
    unfinished=BACKGROUND.unfinished,
    cancelled=_cancelled_document,
    deleted=lambda id: {"id": id, "object": "response", "deleted": True},
    refused=_refusal,
    unknown=lambda id: unknown("Response", id),
    no_event=ProviderAnswer("Invalid 'starting_after'.", param="starting_after"),
    items=_items,
)
