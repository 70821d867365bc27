"""Recorded Responses, as in the final response object, which is the provider's own accumulation of its stream.

Ids and encrypted reasoning may differ between ``output_item.done`` and the final object, and either may be sent back.
The session keeps those of the finished items.
"""

from __future__ import annotations

import json
from typing import Any

from harness.cassette.recordings.raw import raw_events
from harness.wire import FinishReason, Usage
from harness.wire.base import Json
from harness_lab.recorded.sessions.recorded_turn import BrokenResponse, RecordedCall, RecordedTurn, call_ids

_ENDS = ("response.completed", "response.incomplete")
_INPUT = {"function_call": "arguments", "custom_tool_call": "input"}
_NEUTRAL = ("message", "reasoning", *_INPUT)


def recorded_turn(body: bytes, *, streamed: bool) -> RecordedTurn | BrokenResponse:
    """The response of a body. One that failed, has an error or does not end is broken."""
    events = raw_events(body) if streamed else []
    response = _final(events) if streamed else json.loads(body)
    if isinstance(response, BrokenResponse):
        return response
    if response.get("status") not in (None, "completed", "incomplete") or "output" not in response:
        return BrokenResponse(_words(response.get("error")))
    done = _done(events)
    items = response["output"] or done
    content = [part for item in items if item["type"] == "message" for part in item["content"]]
    calls = [item for item in items if item["type"] in _INPUT]
    refusal = "".join(part["refusal"] for part in content if part["type"] == "refusal")
    return RecordedTurn(
        text="".join(part["text"] for part in content if part["type"] == "output_text"),
        thinking="".join(_thinking(item) for item in items if item["type"] == "reasoning"),
        refusal=refusal,
        calls=_calls(calls),
        stop=_finish_reason(response, calls=bool(calls), refused=bool(refusal)),
        usage=_usage(response.get("usage")),
        returned=returned(done if len(done) == len(items) else items),
        signed=sum(1 for item in items if item.get("encrypted_content")),
        other=sum(1 for item in items if item["type"] not in _NEUTRAL),
        deltas=_deltas(events),
    )


def returned(items: list[Json]) -> Any:
    """The output items that go back; an item's status and empty content are not sent back with reasoning."""
    return [
        {
            name: value
            for name, value in item.items()
            if item["type"] != "reasoning" or not (name == "status" or (name, value) == ("content", []))
        }
        for item in items
    ]


def _final(events: list[Json]) -> Json | BrokenResponse:
    """The final response object."""
    for event in events:
        kind = event.get("type")
        if kind in _ENDS:
            response: Json = event["response"]
            return response
        if kind == "error":
            return BrokenResponse(_words(event.get("error") or event))
        if kind == "response.failed":
            return BrokenResponse(_words(event["response"].get("error")))
    return BrokenResponse("response.completed" if events else "")


def _done(events: list[Json]) -> list[Json]:
    """The finished items in their order."""
    done = [event for event in events if event.get("type") == "response.output_item.done"]
    return [event["item"] for event in sorted(done, key=lambda event: int(event["output_index"]))]


def _deltas(events: list[Json]) -> tuple[str, str]:
    """Text and thinking from the deltas: two recordings end with another text than they streamed."""
    text, thinking = "", ""
    for event in events:
        kind = event.get("type")
        if kind == "response.output_text.delta":
            text += event["delta"]
        elif kind in ("response.reasoning_summary_text.delta", "response.reasoning_text.delta"):
            thinking += event["delta"]
        elif kind == "response.reasoning_summary_part.added" and event.get("summary_index"):
            thinking += "\n\n"
    return text, thinking


def _calls(items: list[Json]) -> tuple[RecordedCall, ...]:
    ids = call_ids(item.get("call_id") for item in items)
    return tuple(
        RecordedCall(call_id, item["name"], item[_INPUT[item["type"]]])
        for call_id, item in zip(ids, items, strict=True)
    )


def _words(error: Any) -> str:
    return str(error.get("message") or "") if isinstance(error, dict) else str(error or "")


def _thinking(item: Json) -> str:
    return "\n\n".join(part["text"] for part in item.get("summary") or item.get("content") or ())


def _finish_reason(response: Json, *, calls: bool, refused: bool) -> FinishReason:
    if response.get("status") == "incomplete":
        reason = (response.get("incomplete_details") or {}).get("reason")
        return FinishReason.CONTENT_FILTER if reason == "content_filter" else FinishReason.MAX_TOKENS
    return FinishReason.TOOL_CALLS if calls else FinishReason.REFUSAL if refused else FinishReason.END


def _usage(counts: Json | None) -> Usage | None:
    if not counts:
        return None
    return Usage(
        input=counts.get("input_tokens") or 0,
        output=counts.get("output_tokens") or 0,
        reasoning=(counts.get("output_tokens_details") or {}).get("reasoning_tokens") or 0,
        cached=(counts.get("input_tokens_details") or {}).get("cached_tokens") or 0,
    )
