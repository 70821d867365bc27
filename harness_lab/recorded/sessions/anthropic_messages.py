"""Recorded Messages: the official SDK's own accumulation of a stream, or the raw JSON of a response that came whole."""

from __future__ import annotations

import json
from typing import Any

from harness.cassette.recordings.raw import raw_events
from harness.wire import FinishReason, Usage
from harness.wire.base import Json
from harness_lab.recorded.sessions.recorded_turn import BrokenResponse, RecordedCall, RecordedTurn, call_ids

_FINISH_REASONS = {
    "tool_use": FinishReason.TOOL_CALLS,
    "max_tokens": FinishReason.MAX_TOKENS,
    "model_context_window_exceeded": FinishReason.MAX_TOKENS,
    "refusal": FinishReason.REFUSAL,
    "pause_turn": FinishReason.PAUSE,
}
_NEUTRAL = ("text", "thinking", "redacted_thinking", "tool_use")


def recorded_turn(body: bytes) -> RecordedTurn | BrokenResponse:
    """A response that was not streamed."""
    message = json.loads(body)
    if error := message.get("error"):
        return BrokenResponse(str(error.get("message") or ""))
    return _recorded_turn(message, {})


def broken(body: bytes) -> BrokenResponse | None:
    """Why a stream is a failure: an error inside, or no ``message_stop``."""
    events = raw_events(body)
    for event in events:
        if event["type"] == "error":
            return BrokenResponse(str(event["error"].get("message") or ""))
    return None if any(event["type"] == "message_stop" for event in events) else BrokenResponse("message_stop")


def streamed_turn(body: bytes, message: Json) -> RecordedTurn:
    """A complete stream, from which the SDK made ``message``.

    The SDK keeps only the parsed value of a call's arguments, so their text is joined from the raw deltas.
    """
    arguments: dict[int, str] = {}
    for event in raw_events(body):
        if event["type"] == "content_block_delta" and event["delta"]["type"] == "input_json_delta":
            arguments[event["index"]] = arguments.get(event["index"], "") + event["delta"]["partial_json"]
    return _recorded_turn(message, arguments)


def _recorded_turn(message: Json, arguments: dict[int, str]) -> RecordedTurn:
    """``arguments`` are the texts that were streamed, by the index of their block."""
    blocks = [_with_arguments(block, arguments.get(at, "")) for at, block in enumerate(message["content"])]
    calls = [(at, block) for at, block in enumerate(message["content"]) if block["type"] == "tool_use"]
    ids = call_ids(block.get("id") for _, block in calls)
    details = message.get("stop_details") or {}
    return RecordedTurn(
        text="".join(block["text"] for block in blocks if block["type"] == "text"),
        thinking="".join(block["thinking"] for block in blocks if block["type"] == "thinking"),
        refusal=details.get("explanation") or "",
        calls=tuple(
            RecordedCall(call_id, block["name"], arguments.get(at) or block["input"])
            for call_id, (at, block) in zip(ids, calls, strict=True)
        ),
        stop=_FINISH_REASONS.get(message.get("stop_reason") or "", FinishReason.END),
        usage=_usage(message["usage"]),
        returned=returned(blocks),
        signed=sum(1 for block in blocks if block.get("signature") or block["type"] == "redacted_thinking"),
        other=sum(1 for block in blocks if block["type"] not in _NEUTRAL),
    )


def returned(blocks: list[Json]) -> Any:
    """The blocks that go back: no empty text, and nothing at all if there is only white space.

    Null members, which the SDK's accumulation adds, are left out.
    """
    kept = [
        {name: value for name, value in block.items() if value is not None}
        for block in blocks
        if block["type"] != "text" or block["text"]
    ]
    blank = all(block["type"] == "text" and not block["text"].strip() for block in kept)
    return [] if blank else kept


def _with_arguments(block: Json, arguments: str) -> Json:
    """A block with these arguments. Arguments that are no JSON object go back under ``INVALID_JSON``; the SDK only
    guesses them."""
    if not arguments:
        return block
    try:
        value = json.loads(arguments)
    except ValueError:
        value = None
    return {**block, "input": value if isinstance(value, dict) else {"INVALID_JSON": arguments}}


def _usage(counts: Json) -> Usage:
    """The usage. Cached and cache-writing tokens are counted in addition to the input."""
    cached = counts.get("cache_read_input_tokens") or 0
    return Usage(
        input=(counts.get("input_tokens") or 0) + cached + (counts.get("cache_creation_input_tokens") or 0),
        output=counts.get("output_tokens") or 0,
        reasoning=(counts.get("output_tokens_details") or {}).get("thinking_tokens") or 0,
        cached=cached,
    )
