"""One edit of an answer, and the ways in which edits are written: by events, by document, by bytes.

An edit by events has the form of a dialect's (``harness.wire.dialect``), so a dialect is an edit as it is. Most edits
are in the file of their wire: in the words of ``harness_lab.mutants.json_edits``, or ``dialect``, or in bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from harness.ground.bounded_json import loads
from harness.ground.data_files import Lined, with_tuples
from harness.wire import wire
from harness.wire.base import Json
from harness.wire.bedrock_converse.stream import event as frame_of_aws
from harness.wire.bedrock_converse.stream import events as events_of_aws
from harness.wire.sse import SSE, frame, parse_events
from harness_lab.mutants.json_edits import edit_json, objects_in
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


def mutant_of(name: str, row: Lined) -> ResponseMutant:
    """The mistake as a file has it: ``answers`` are those in which it is made, and ``edits`` are made one by one."""
    members: dict[str, Any] = with_tuples(row)
    edits, on = members.pop("edits"), members.pop("answers", ("a call",))

    def edit(answer: ServedAnswer) -> ServedAnswer | None:
        changed: ServedAnswer | None = answer
        for each in edits:
            changed = None if changed is None else _edit_of(each)(changed)
        return changed

    return ResponseMutant(name=name, edit=edit, on=on, **members)


def _edit_of(edit: Mapping[str, Any]) -> Edit:
    match edit:
        case {"dialect": name}:
            return dialect(name)
        case {"body": body}:
            return by_bytes(lambda _: body.encode())
        case {"replace": old, "by": new}:
            return by_bytes(lambda body: body.replace(old.encode(), new.encode()))
        case {"replace first": old, "by": new}:
            return by_bytes(lambda body: body.replace(old.encode(), new.encode(), 1))
        case {"last byte": "other"}:
            return by_bytes(lambda body: body[:-1] + bytes([body[-1] ^ 1]))
        case {"end": False}:
            return by_events(list, end=False)
    return lambda answer: _way_of(answer)(lambda value: _edited(value, edit))(answer)


def _edited(value: Any, edit: Mapping[str, Any]) -> Any:
    edit_json(value, edit)
    return value


def _way_of(answer: ServedAnswer) -> Callable[[Callable[[Any], Any]], Edit]:
    """How the edits of an answer are written: as it is streamed, or by document."""
    if wire(answer.wire).transport.is_stream(answer.content_type):
        return by_events if SSE.is_stream(answer.content_type) else _by_events_of_aws
    return by_document


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


def _by_events_of_aws(change: Callable[[list[Json]], Iterable[Json]]) -> Edit:
    """Changes the events of a stream of AWS, each of which is ``{name: payload}``."""

    def edit(answer: ServedAnswer) -> ServedAnswer:
        return replace(answer, body=b"".join(_framed(change([each for _, each in events_of_aws(answer.body)]))))

    return edit


def _framed(changed: Iterable[Json]) -> Iterator[bytes]:
    for each in changed:
        for name, payload in each.items():
            yield frame_of_aws(name, {member: value for member, value in payload.items() if member != "p"})


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


PLAIN_ERROR: Final = ResponseMutant(
    "plain-error",
    "An HTTP error is plain text.",
    ("SX-ERROR",),
    by_bytes(lambda _: b"Internal Server Error"),
    ("HTTP 500",),
    stream=False,
)
"""The same on every wire that has none of its own."""
