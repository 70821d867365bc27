"""One edit of an answer, and the ways in which edits are written: by events, by document, by bytes.

An edit by events has the form of a dialect's (``harness.wire.dialect``), so a dialect is an edit as it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

from harness.ground.bounded_json import loads
from harness.wire import wire
from harness.wire.base import Json
from harness.wire.sse import SSE, frame, parse_events
from harness_lab.mutants.responses.answers import ServedAnswer

Edit = Callable[[ServedAnswer], "ServedAnswer | None"]
"""The answer as it is sent instead; None where it has nothing that this could change."""


@dataclass(frozen=True, slots=True)
class ResponseMutant:
    """One mistake of a server: each of ``rules`` must find it in each of the answers that it is made in.

    ``on`` are names of ``ANSWERS`` or of the wire's own. ``evidence`` is who has seen such a server, empty where the
    mistake is only possible.
    """

    name: str
    summary: str
    rules: tuple[str, ...]
    edit: Edit = field(repr=False)
    on: tuple[str, ...] = ("a call",)
    stream: bool = True
    evidence: str = ""


def by_events(change: Callable[[list[Json]], Iterable[Json]], *, end: bool = True) -> Edit:
    """Changes the events of a stream, which are JSON objects. ``end``: what is no JSON stays behind them."""

    def edit(answer: ServedAnswer) -> ServedAnswer | None:
        if not SSE.is_stream(answer.content_type):
            return None
        return replace(answer, body=b"".join(_frames(answer.body, change, end=end)))

    return edit


def _frames(body: bytes, change: Callable[[list[Json]], Iterable[Json]], *, end: bool) -> Iterator[bytes]:
    events = list(parse_events(body))
    is_named = any(event.event != "message" for event in events)
    for document in change([loads(event.data) for event in events if event.data.startswith("{")]):
        kind = document.get("type") or document.get("event_type")
        yield frame(document, kind if is_named else None)
    if end:
        yield from (frame(event.data) for event in events if not event.data.startswith("{"))


def dialect(name: str) -> Edit:
    """A stream in a dialect of its wire."""

    def edit(answer: ServedAnswer) -> ServedAnswer | None:
        spoken = wire(answer.wire).dialects[name]
        return by_events(spoken.spoken, end=spoken.end)(answer)

    return edit


def by_document(change: Callable[[Json], Any]) -> Edit:
    """Changes a document in place."""

    def edit(answer: ServedAnswer) -> ServedAnswer:
        document = json.loads(answer.body)
        change(document)
        return replace(answer, body=json.dumps(document).encode())

    return edit


def by_bytes(change: Callable[[bytes], bytes]) -> Edit:
    """Changes the bytes."""

    def edit(answer: ServedAnswer) -> ServedAnswer:
        return replace(answer, body=change(answer.body))

    return edit


def each(change: Callable[[Json], Any]) -> Callable[[list[Json]], list[Json]]:
    """Changes every object in the events, at any depth, in place."""

    def changed(events: list[Json]) -> list[Json]:
        for found in list(objects_in(events)):
            change(found)
        return events

    return changed


def objects_in(value: Any) -> Iterator[Json]:
    """Every object in a JSON value, itself among them."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects_in(inner)


def without(unwanted: Callable[[Json], bool]) -> Callable[[list[Json]], list[Json]]:
    """Leaves out some events."""
    return lambda events: [event for event in events if not unwanted(event)]


PLAIN_ERROR: Final = ResponseMutant(
    "plain-error",
    "An HTTP error is plain text.",
    ("SX-ERROR",),
    by_bytes(lambda _: b"Internal Server Error"),
    ("HTTP 500",),
    stream=False,
)
"""The same on every wire."""
