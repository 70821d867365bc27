"""How servers of this format stream differently from Anthropic."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

from harness.wire.dialect import Dialect, changing, named
from harness.wire.lenient import Json, members, string


def _two_starts(events: list[Json]) -> Iterable[Json]:
    for event in events:
        yield event
        if event.get("type") == "message_start":
            yield event


def _thinking_in_text(events: list[Json]) -> Iterable[Json]:
    """A thought and the text after it are in one block, which begins as a text block; the thought is unsigned."""
    starts = [event for event in events if event.get("type") == "content_block_start"]
    kinds = {event["index"]: event["content_block"].get("type") for event in starts}
    thoughts = [index for index, kind in kinds.items() if kind == "thinking" and kinds.get(index + 1) == "text"]
    for event in events:
        index = event.get("index")
        if index is not None:
            if _is_left_out(event, is_thought=index in thoughts, is_text=index - 1 in thoughts):
                continue
            if index in thoughts and "content_block" in event:
                event["content_block"] = {"type": "text", "text": ""}
            event["index"] = index - sum(each < index for each in thoughts)
        yield event


def _is_left_out(event: Json, *, is_thought: bool, is_text: bool) -> bool:
    """Whether the joined block lacks the event: the end and signature of the thought, or the start of the text."""
    if is_thought:
        is_signature = members(event.get("delta")).get("type") == "signature_delta"
        return is_signature or event.get("type") == "content_block_stop"
    return is_text and event.get("type") == "content_block_start"


def _input_at_start(events: list[Json]) -> Iterable[Json]:
    """The input of a call is in the start of its block. An input that is no JSON object still comes in pieces."""
    pieces: dict[object, list[Json]] = {}
    starts: dict[object, Json] = {}
    for event in events:
        block, delta = members(event.get("content_block")), members(event.get("delta"))
        if block.get("type") == "tool_use":
            starts[event.get("index")] = block
        elif delta.get("type") == "input_json_delta" and event.get("index") in starts:
            pieces.setdefault(event.get("index"), []).append(event)
    left_out: set[int] = set()
    for index, deltas in pieces.items():
        whole = _object("".join(string(members(each["delta"]).get("partial_json")) for each in deltas))
        if whole:
            starts[index]["input"] = whole
            left_out |= {id(each) for each in deltas}
    return [event for event in events if id(event) not in left_out]


def _object(text: str) -> Json:
    try:
        return members(json.loads(text))
    except (ValueError, RecursionError):
        return {}


def _end_turn(event: Json) -> None:
    delta = members(event.get("delta"))
    if delta.get("stop_reason") == "tool_use":
        delta["stop_reason"] = "end_turn"


DIALECTS: Final = named(
    Dialect(
        "two-message-starts",
        "The event message_start comes twice.",
        ("litellm #32357",),
        _two_starts,
    ),
    Dialect(
        "end-turn-with-calls",
        "A turn that calls tools stops with end_turn.",
        ("litellm #34692", "NemoClaw #7967"),
        changing(_end_turn),
        wrong_stop=True,
    ),
    Dialect(
        "thinking-in-text",
        "Thinking comes as thinking_delta in the block of the text behind it, without a signature.",
        ("litellm #32357", "litellm #33224", "litellm PR #32664"),
        _thinking_in_text,
    ),
    Dialect(
        "input-at-start",
        "The input of a call comes whole with the start of its block, and no delta has any of it.",
        ("recorded streams of Anthropic, for the calls that code makes",),
        _input_at_start,
    ),
)
