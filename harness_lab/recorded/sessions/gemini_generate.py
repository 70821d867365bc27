"""Recorded Gemini responses, part by part from their raw JSON."""

from __future__ import annotations

import base64
from typing import Any

from harness.cassette.recordings.raw import gemini_block_reason, gemini_objects, gemini_parts
from harness.wire import FinishReason, Usage
from harness.wire.base import Json
from harness_lab.recorded.sessions.recorded_turn import BrokenResponse, RecordedCall, RecordedTurn, call_ids

_FILTERS = (
    *("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "SPII", "MODEL_ARMOR"),
    *("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"),
)
_FINISH_REASONS = {
    "STOP": FinishReason.END,
    "MAX_TOKENS": FinishReason.MAX_TOKENS,
    "PROHIBITED_CONTENT": FinishReason.REFUSAL,
    **dict.fromkeys(_FILTERS, FinishReason.CONTENT_FILTER),
}
_CALLING = ("STOP", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS")
"""Reasons after which the calls of the turn must be answered."""


def recorded_turn(body: bytes, *, streamed: bool) -> RecordedTurn | BrokenResponse:
    """The first candidate. One with an error, with a malformed call or without an end is broken."""
    parts: list[Json] = []
    finish = blocked = counts = None
    responses = gemini_objects(body, streamed=streamed)
    for response in responses:
        if error := response.get("error"):
            # Of a body that came whole, with status 200, the SDK does not pass on an error.
            return BrokenResponse(str(error.get("message") or "") if streamed else "")
        blocked = blocked or gemini_block_reason(response)
        counts = response.get("usageMetadata") or counts
        for candidate in response.get("candidates") or ():
            if not candidate.get("index"):
                finish = candidate.get("finishReason") or finish
                parts += gemini_parts(candidate)
    calls = [part["functionCall"] for part in parts if "functionCall" in part]
    finish_reason = _finish_reason(finish, blocked=bool(blocked), calls=bool(calls))
    if finish_reason is None:
        return BrokenResponse("no usable turn" if finish else "finish reason" if responses else "")
    ids = call_ids(call.get("id") for call in calls)
    return RecordedTurn(
        text=_text(parts, thought=False),
        thinking=_text(parts, thought=True),
        refusal="",
        calls=tuple(
            RecordedCall(call_id, call["name"], call.get("args") or {})
            for call_id, call in zip(ids, calls, strict=True)
        ),
        stop=finish_reason,
        usage=_usage(counts),
        returned=returned({"parts": parts}),
        signed=sum(1 for part in parts if part.get("thoughtSignature")),
        other=sum(1 for part in parts if "text" not in part and "functionCall" not in part),
    )


def returned(content: Json) -> Any:
    """The parts that go back: all but empty text without a signature, which means nothing."""
    return [_comparable(part) for part in content["parts"] if part.get("text") != "" or part.get("thoughtSignature")]


def _comparable(part: Json) -> Json:
    """A part with its bytes decoded: servers, and the SDK, write them in either of the two alphabets of base64."""
    if "functionCall" in part:
        part = {**part, "functionCall": {"args": {}} | part["functionCall"]}
    if "inlineData" in part:
        part = {**part, "inlineData": {**part["inlineData"], "data": _decoded(part["inlineData"]["data"])}}
    if "thoughtSignature" in part:
        part = {**part, "thoughtSignature": _decoded(part["thoughtSignature"])}
    return part


def _decoded(text: str) -> bytes:
    return base64.b64decode(text.replace("-", "+").replace("_", "/") + "==")


def _text(parts: list[Json], *, thought: bool) -> str:
    spoken = (part for part in parts if "functionCall" not in part and bool(part.get("thought")) is thought)
    return "".join(part.get("text") or "" for part in spoken)


def _finish_reason(finish: str | None, *, blocked: bool, calls: bool) -> FinishReason | None:
    """The finish reason; None if the turn cannot be used."""
    if blocked:
        return FinishReason.CONTENT_FILTER
    if calls and finish in _CALLING:
        return FinishReason.TOOL_CALLS
    return _FINISH_REASONS.get(finish or "")


def _usage(counts: Json | None) -> Usage | None:
    if not counts:
        return None
    thoughts = counts.get("thoughtsTokenCount") or 0
    return Usage(
        input=(counts.get("promptTokenCount") or 0) + (counts.get("toolUsePromptTokenCount") or 0),
        output=(counts.get("candidatesTokenCount") or 0) + thoughts,
        reasoning=thoughts,
        cached=counts.get("cachedContentTokenCount") or 0,
    )
