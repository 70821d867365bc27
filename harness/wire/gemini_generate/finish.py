"""How a response ends: finish reasons, in-stream errors and token counts, in both directions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.wire.base import Json
from harness.wire.turn import ErrorKind, FinishReason, StreamError, Usage

CONTINUATION = "CONTINUATION"
"""Not an end: another request continues the answer (automatic continuation, which the harness does not speak)."""

MALFORMED = "MALFORMED_FUNCTION_CALL"

NO_USAGE = Usage(input=0, output=0)

_REASONS: dict[FinishReason, str] = {
    FinishReason.END: "STOP",
    FinishReason.TOOL_CALLS: "STOP",
    FinishReason.PAUSE: "STOP",
    FinishReason.MAX_TOKENS: "MAX_TOKENS",
    FinishReason.CONTENT_FILTER: "SAFETY",
    # Gemini has no reason for a model that declines; of its filter reasons this one is set aside for it.
    FinishReason.REFUSAL: "PROHIBITED_CONTENT",
}

_FILTERED = {
    "SAFETY",
    "RECITATION",
    "LANGUAGE",
    "BLOCKLIST",
    "SPII",
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
    "MODEL_ARMOR",
}

_ENDED = {"STOP", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"}
"""Reasons with which the client answers the calls that came; without a call only STOP is an end."""

_NUMBERS = ("FINISH_REASON_UNSPECIFIED", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER", "BLOCKLIST")
"""Protobuf numbers, which dumps of SDK objects have instead of names."""

_ERRORS: dict[ErrorKind, tuple[int, str, str]] = {
    "overloaded": (503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
    "server_error": (
        500,
        "INTERNAL",
        "An internal error has occurred. Please retry or report in "
        "https://developers.generativeai.google/guide/troubleshooting",
    ),
    "rate_limit": (
        429,
        "RESOURCE_EXHAUSTED",
        "Resource exhausted. Please try again later. Please refer to "
        "https://cloud.google.com/vertex-ai/generative-ai/docs/error-code-429 for more details.",
    ),
    "context_length": (
        400,
        "INVALID_ARGUMENT",
        "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
    ),
}


def finish_reason(stop: FinishReason) -> str:
    """The finish reason for a scripted stop. Gemini has none for calls and cannot pause: both are STOP."""
    return _REASONS[stop]


def outcome(reason: str | int | None, message: str, has_calls: bool) -> tuple[FinishReason, StreamError | None]:
    """The meaning of a finish reason. A reason that leaves no usable turn (a malformed call) is an error."""
    name = name_of(reason)
    ended = FinishReason.TOOL_CALLS if has_calls else FinishReason.END
    if name is None or name == "STOP" or (has_calls and name in _ENDED) or name == CONTINUATION:
        return ended, None
    if name == "MAX_TOKENS":
        return FinishReason.MAX_TOKENS, None
    if name == _REASONS[FinishReason.REFUSAL]:
        return FinishReason.REFUSAL, None
    if name in _FILTERED:
        return FinishReason.CONTENT_FILTER, None
    return ended, StreamError("server_error", message or name)


def name_of(reason: str | int | None) -> str | None:
    """The name of a finish reason, which may come as a protobuf number."""
    if isinstance(reason, int):
        return _NUMBERS[reason] if 0 <= reason < len(_NUMBERS) else str(reason)
    return reason


def error_body(error: StreamError) -> Json:
    """The ``error`` object that Google sends, also inside a stream."""
    code, status, message = _ERRORS[error.kind]
    return {"error": {"code": code, "message": error.message or message, "status": status}}


def read_error(error: Any) -> StreamError:
    """The neutral form of an ``error`` object."""
    if not isinstance(error, dict):
        return StreamError("server_error", str(error))
    message = str(error.get("message") or "")
    kinds: dict[Any, ErrorKind] = {503: "overloaded", 429: "rate_limit"}
    if error.get("code") == 400 and "token count" in message:
        return StreamError("context_length", message)
    return StreamError(kinds.get(error.get("code"), "server_error"), message)


def usage_metadata(spent: Usage) -> Json:
    """The token counts of every chunk; thoughts are counted beside the candidate, not in it."""
    counts: Json = {
        "promptTokenCount": spent.input,
        "candidatesTokenCount": spent.output - spent.reasoning,
        "totalTokenCount": spent.input + spent.output,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": spent.input}],
    }
    if spent.cached:
        counts["cachedContentTokenCount"] = spent.cached
    if spent.reasoning:
        counts["thoughtsTokenCount"] = spent.reasoning
    counts["serviceTier"] = "standard"
    return counts


def usage(counts: Mapping[str, Any] | None) -> Usage:
    """Token counts, read: the output includes the thoughts, the input what server tools added to the prompt."""
    if not counts:
        return NO_USAGE
    thoughts = counts.get("thoughtsTokenCount") or 0
    return Usage(
        input=(counts.get("promptTokenCount") or 0) + (counts.get("toolUsePromptTokenCount") or 0),
        output=(counts.get("candidatesTokenCount") or 0) + thoughts,
        reasoning=thoughts,
        cached=counts.get("cachedContentTokenCount") or 0,
    )
