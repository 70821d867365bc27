"""The strict reader of the Responses API: the life of a response, of its items and of their parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from harness.finding import Finding, Level
from harness.wire.lenient import Json, entries, members, objects, string
from harness.wire.openai_responses import response_rules as rules
from harness.wire.openai_responses.strict_items import StrictItem
from harness.wire.response_rule import ReceivedResponse
from harness.wire.sse import SSE
from harness.wire.strict import (
    BODY,
    ENVELOPE,
    NumberedEvent,
    body_of,
    is_object_text,
    named_events,
    numbered_events,
    repeated_ids,
    shown,
    whole_number,
)

_OPENINGS: Final = ("response.created", "response.queued")
_ENDS: Final = ("response.completed", "response.incomplete", "response.failed")
_ENCRYPTED: Final = "reasoning.encrypted_content"
_WRITTEN: Final = ("message", "reasoning", "function_call", "custom_tool_call")
"""Items that the model writes, piece by piece."""
_WITHOUT_NUMBER: Final = ("keepalive", "ping")
"""Events that carry nothing and are not counted."""


def strict(response: ReceivedResponse) -> Iterator[Finding]:
    """``Wire.strict``."""
    problems: list[Finding] = []
    if response.refused:
        body = body_of(response, problems, ENVELOPE)
        yield from problems
        if body is not None and not isinstance(members(body.get("error")).get("message"), str):
            yield ENVELOPE.broken(BODY, expected="error.message", got=shown(body))
    elif SSE.is_stream(response.content_type):
        events = numbered_events(response, problems)
        yield from problems
        events = [event for event in events if event.kind not in _WITHOUT_NUMBER]
        yield from named_events(events)
        yield from _sequence(events)
        yield from _stream(events, response)
    else:
        document = body_of(response, problems)
        yield from problems
        if document is not None:
            yield from _document(document, response)


# --- a document, and what ends a stream ---------------------------------------------------------------------------


def _document(body: Json, response: ReceivedResponse) -> Iterator[Finding]:
    if "object" not in body and body.get("error"):
        yield rules.ERRORS.broken(BODY, expected="an HTTP error", got=f"status 200 with {shown(body['error'])}")
        return
    if body.get("object") != "response" or not isinstance(body.get("output"), list):
        yield rules.LIFECYCLE.broken(BODY, expected="an object response with an output", got=shown(body))
    yield from _whole(BODY, body, response)


def _whole(at: str, body: Json, response: ReceivedResponse) -> Iterator[Finding]:
    """Checks a response object at its end."""
    items, status = objects(body.get("output")), body.get("status")
    if status == "incomplete" and not string(members(body.get("incomplete_details")).get("reason")):
        got = shown(body.get("incomplete_details"))
        yield rules.TRUNCATION.broken(at, expected="incomplete_details.reason", got=got)
    if status == "completed":
        yield from (
            rules.TRUNCATION.broken(f"{at}: output[{number}]", expected="an item that is completed", got="incomplete")
            for number, item in enumerate(items)
            if _is_open(item)
        )
    yield from _calls(at, items, response)
    yield from _reasoning(at, items, response, completed=status == "completed")


def _is_open(item: Json) -> bool:
    """Whether an answer was cut in this item.

    An item that the provider runs, or asks its client to run (a computer, an image, a search, the call of a program),
    may be under way in a complete answer: this was recorded.
    """
    status = item.get("status")
    is_written = item.get("type") in _WRITTEN and not item.get("caller")
    return status == "incomplete" or (status == "in_progress" and is_written)


def _calls(at: str, items: list[Json], response: ReceivedResponse) -> Iterator[Finding]:
    ids: list[str] = []
    for number, item in enumerate(items):
        if item.get("type") not in ("function_call", "custom_tool_call"):
            continue
        place, call_id = f"{at}: output[{number}]", item.get("call_id")
        if not (isinstance(call_id, str) and call_id):
            yield rules.CALL_ID.broken(place, expected="a call_id", got=shown(call_id))
        elif call_id in response.earlier_ids:
            yield rules.CALL_ID.broken(place, expected="an id that no earlier call has", got=call_id)
        ids.append(string(call_id))
        wanted = "arguments" if item["type"] == "function_call" else "input"
        if not (isinstance(item.get(wanted), str) and string(item.get("name"))):
            yield rules.ARGUMENTS.broken(place, expected=f"name, and {wanted} as text", got=shown(item))
        elif wanted == "arguments" and item.get("status") == "completed" and not is_object_text(item["arguments"]):
            yield rules.ARGUMENTS_JSON.broken(place, expected="a JSON object", got=shown(item["arguments"]))
    for each in repeated_ids([each for each in ids if each]):
        yield rules.CALL_ID.broken(f"{at}: output", expected="a call_id for each call", got=f"{each} more than once")


def _reasoning(at: str, items: list[Json], response: ReceivedResponse, *, completed: bool) -> Iterator[Finding]:
    kinds = [item.get("type") for item in items]
    if completed and len(kinds) > 1 and kinds[-1] == "reasoning":
        yield rules.REASONING.broken(f"{at}: output[{len(kinds) - 1}]", expected="what it has produced", got="nothing")
    if _ENCRYPTED not in entries((response.request or {}).get("include")):
        return
    for number, item in enumerate(items):
        if item.get("type") == "reasoning" and not string(item.get("encrypted_content")):
            place, level = f"{at}: output[{number}]", response.unsigned_level("thinking signature")
            yield rules.REASONING.broken(place, expected="encrypted_content", got="none", level=level)


# --- a stream -----------------------------------------------------------------------------------------------------


def _sequence(events: list[NumberedEvent]) -> Iterator[Finding]:
    numbers = [event.data.get("sequence_number") for event in events]
    if events and all(number is None for number in numbers):
        yield rules.SEQUENCE.broken("the stream", expected="a sequence_number", got="none", level="SHOULD")
        return
    before: int | None = None
    for event, number in zip(events, numbers, strict=True):
        if not isinstance(number, int):
            yield rules.SEQUENCE.broken(event.at(), expected="a sequence_number", got=shown(number))
        elif before is not None and number != before + 1:
            level: Level | None = "SHOULD" if number > before else None
            place = event.at("sequence_number")
            yield rules.SEQUENCE.broken(place, expected=str(before + 1), got=str(number), level=level)
        before = number if isinstance(number, int) else before


@dataclass(slots=True)
class _StrictStream:
    """What a stream has brought so far."""

    id: str = ""
    items: dict[int | str, StrictItem] = field(default_factory=dict)
    last: NumberedEvent | None = None
    failed: bool = False

    def feed(self, event: NumberedEvent, *, first: bool) -> Iterator[Finding]:
        if first and event.kind not in (*_OPENINGS, "error"):
            yield rules.LIFECYCLE.broken(event.at(), expected="response.created first", got=event.kind)
        if self.last is not None:
            yield rules.LIFECYCLE.broken(event.at(), expected=f"nothing behind {self.last.kind}", got=event.kind)
        if event.kind == "error" or event.kind in _ENDS:
            yield from self._end(event)
        elif not event.kind:
            yield rules.ERRORS.broken(event.at(), expected="an event with a type", got=shown(event.data))
            self.failed = self.failed or bool(event.data.get("error"))
        elif event.kind.startswith("response.output_item."):
            yield from self._item(event)
        elif "response" not in event.data:
            yield from self._within(event)
        yield from self._identity(event)

    def _identity(self, event: NumberedEvent) -> Iterator[Finding]:
        named = string(members(event.data.get("response")).get("id"))
        if named and self.id and named != self.id:
            yield rules.LIFECYCLE.broken(event.at("response.id"), expected=self.id, got=named)
        self.id = self.id or named

    def _end(self, event: NumberedEvent) -> Iterator[Finding]:
        if event.kind == "error":
            self.failed = True
            return
        self.last = event
        status = members(event.data.get("response")).get("status")
        if status != event.kind.removeprefix("response."):
            yield rules.LIFECYCLE.broken(event.at("response.status"), expected="that of the event", got=shown(status))

    def _item(self, event: NumberedEvent) -> Iterator[Finding]:
        index, item = whole_number(event.data.get("output_index")), members(event.data.get("item"))
        if index is None:
            got = shown(event.data.get("output_index"))
            yield rules.PLACES.broken(event.at(), expected="an output_index", got=got)
        if event.kind.endswith(".added"):
            if index is not None and index in self.items:
                yield rules.LIFECYCLE.broken(event.at(), expected=f"one item at {index}", got="another")
            self.items[string(item.get("id")) if index is None else index] = StrictItem(event.at(), item)
        elif (added := self._item_at(index, item.get("id"))) is not None:
            yield from added.done(event, item)
        else:
            yield rules.LIFECYCLE.broken(event.at(), expected="output_item.added before it", got="none")

    def _item_at(self, index: int | None, id: object) -> StrictItem | None:
        """The item at an index. Without an index, which breaks another rule, the item with this id."""
        if index is not None:
            return self.items.get(index)
        return next((item for item in self.items.values() if item.begun.get("id") == id), None)

    def _within(self, event: NumberedEvent) -> Iterator[Finding]:
        yield from _places(event)
        if _is_of_item(event):
            item = self._item_at(whole_number(event.data.get("output_index")), event.data.get("item_id"))
            if item is None:
                yield rules.LIFECYCLE.broken(event.at(), expected="output_item.added before it", got="none")
            else:
                yield from item.feed(event)

    def rest(self, response: ReceivedResponse) -> Iterator[Finding]:
        """Reports what is missing when the stream has ended, and checks its last event."""
        if self.last is None:
            if not self.failed:
                yield rules.LIFECYCLE.broken("the end", expected="completed, incomplete or failed", got="none")
            return
        body = members(self.last.data.get("response"))
        failed = self.last.kind == "response.failed"
        if not failed:
            for item in self.items.values():
                yield from item.rest(cut=self.last.kind == "response.incomplete")
            yield from self._output(self.last, body)
        yield from _whole(self.last.at(), body, response)

    def _output(self, last: NumberedEvent, body: Json) -> Iterator[Finding]:
        output = body.get("output")
        if not isinstance(output, list):
            yield rules.LIFECYCLE.broken(last.at("response.output"), expected="a list", got=shown(output))
            return
        if len(output) != len(self.items):
            got = f"{len(output)} items, and {len(self.items)} streamed"
            level: Level | None = None if output else "SHOULD"
            yield rules.LIFECYCLE.broken(last.at("response.output"), expected="what was streamed", got=got, level=level)
            return
        for number, (item, final) in enumerate(zip(self.items.values(), objects(output), strict=False)):
            if (problem := item.differs_from(final)) and item.is_done:
                place = last.at(f"response.output[{number}]")
                yield rules.LIFECYCLE.broken(place, expected="the item as it was streamed", got=problem)


def _is_of_item(event: NumberedEvent) -> bool:
    return event.kind.startswith(
        (
            "response.content_part.",
            "response.output_text.",
            "response.refusal.",
            "response.reasoning_summary",
            "response.reasoning_text.",
            "response.function_call_arguments.",
            "response.custom_tool_call_input.",
        )
    )


def _places(event: NumberedEvent) -> Iterator[Finding]:
    if not _is_of_item(event):
        return
    wanted = ["output_index", "item_id"]
    if event.kind.startswith("response.reasoning_summary"):
        wanted.append("summary_index")
    elif "call" not in event.kind:
        wanted.append("content_index")
    lacking = [name for name in wanted if not isinstance(event.data.get(name), int if "index" in name else str)]
    if lacking:
        yield rules.PLACES.broken(event.at(), expected=", ".join(wanted), got=f"without {', '.join(lacking)}")


def _stream(events: list[NumberedEvent], response: ReceivedResponse) -> Iterator[Finding]:
    stream = _StrictStream()
    for number, event in enumerate(events):
        yield from stream.feed(event, first=not number)
    yield from stream.rest(response)
