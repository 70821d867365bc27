"""Recorded interactions, step by step from their raw JSON: a stream is put together by the indices of its steps."""

from __future__ import annotations

import json
from typing import Any

from harness.cassette.recordings.raw import raw_events
from harness.wire import FinishReason, Usage
from harness.wire.base import Json
from harness_lab.recorded.sessions.recorded_turn import BrokenResponse, RecordedCall, RecordedTurn, call_ids

_STOPS = {
    "completed": FinishReason.END,
    "requires_action": FinishReason.TOOL_CALLS,
    "incomplete": FinishReason.MAX_TOKENS,
    "budget_exceeded": FinishReason.MAX_TOKENS,
    "requires_continuation": FinishReason.PAUSE,
}
_NEUTRAL = ("model_output", "thought", "function_call")


def recorded_turn(body: bytes, *, streamed: bool) -> RecordedTurn | BrokenResponse:
    """The interaction in a body. One with an error, or without a usable end, is broken."""
    events = raw_events(body) if streamed else []
    interaction: Json = {} if streamed else json.loads(body)
    steps: list[Json] = _steps(events) if streamed else interaction.get("steps") or []
    for event in events:
        if event["event_type"] == "error":
            return BrokenResponse(str(event["error"].get("message") or ""))
        if event["event_type"] == "interaction.completed":
            interaction = event["interaction"]
    stop = _STOPS.get(interaction.get("status", ""))
    if stop is None:
        return BrokenResponse("")
    calls = [step for step in steps if step["type"] == "function_call"]
    ids = call_ids(call.get("id") for call in calls)
    return RecordedTurn(
        text="".join(_texts(step.get("content")) for step in steps if step["type"] == "model_output"),
        thinking="".join(_texts(step.get("summary")) for step in steps if step["type"] == "thought"),
        refusal="",
        calls=tuple(RecordedCall(id_, call["name"], call["arguments"]) for id_, call in zip(ids, calls, strict=True)),
        stop=stop,
        usage=_usage(interaction.get("usage")),
        returned=returned(steps),
        signed=sum(1 for step in steps if step.get("signature")),
        other=sum(1 for step in steps if step["type"] not in _NEUTRAL),
    )


def returned(steps: list[Json]) -> Any:
    """The steps that go back, without empty members, which the SDK's models add."""
    return [{name: value for name, value in step.items() if value not in (None, [], "")} for step in steps]


def _steps(events: list[Json]) -> list[Json]:
    """The steps of a stream. A recorded one never interleaves them."""
    steps: list[Json] = []
    for event in events:
        if event["event_type"] == "step.start":
            steps.append(dict(event["step"]))
        elif event["event_type"] == "step.delta":
            _add(steps[event["index"]], event["delta"])
    for step in steps:
        if isinstance(step.get("arguments"), str):
            step["arguments"] = json.loads(step["arguments"])
    return steps


def _add(step: Json, delta: Json) -> None:
    kind = delta["type"]
    if kind == "arguments_delta":
        begun = step["arguments"] if isinstance(step.get("arguments"), str) else ""
        step["arguments"] = begun + delta["arguments"]
    elif kind == "thought_signature":
        step["signature"] = delta["signature"]
    elif kind == "thought_summary":
        _append(step.setdefault("summary", []), delta["content"]["text"])
    elif kind == "text":
        _append(step.setdefault("content", []), delta["text"])
    else:
        step.update({name: value for name, value in delta.items() if name != "type"})


def _append(contents: list[Json], text: str) -> None:
    if not contents:
        contents.append({"type": "text", "text": ""})
    contents[-1]["text"] += text


def _texts(contents: Any) -> str:
    return "".join(content["text"] for content in contents or () if content["type"] == "text")


def _usage(counts: Json | None) -> Usage | None:
    if not counts:
        return None
    thoughts = counts["total_thought_tokens"]
    return Usage(
        input=counts["total_input_tokens"] + counts["total_tool_use_tokens"],
        output=counts["total_output_tokens"] + thoughts,
        reasoning=thoughts,
        cached=counts["total_cached_tokens"],
    )
