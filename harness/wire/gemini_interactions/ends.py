"""How an interaction ends: its status, the errors inside it, and token counts, in both directions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from harness.wire.base import Json
from harness.wire.lenient import members, objects, string
from harness.wire.turn import ErrorKind, FinishReason, StreamError, Usage

NO_USAGE: Final = Usage(input=0, output=0)

_STATUSES: Final[Mapping[FinishReason, str]] = {
    FinishReason.END: "completed",
    FinishReason.TOOL_CALLS: "requires_action",
    FinishReason.MAX_TOKENS: "incomplete",
    FinishReason.CONTENT_FILTER: "failed",
    FinishReason.REFUSAL: "failed",
    FinishReason.PAUSE: "requires_continuation",
}

_BLOCKED: Final[Mapping[FinishReason, tuple[str, str]]] = {
    FinishReason.CONTENT_FILTER: ("safety", "The response was blocked for safety reasons."),
    # The API has no status for a model that declines; of its codes for blocked output this one is set aside for it.
    FinishReason.REFUSAL: ("prohibited_content", "The response was blocked: prohibited content."),
}

_FILTERS: Final = frozenset(
    [
        *("safety", "recitation", "language", "spii", "blocklist", "image_safety", "image_prohibited_content"),
        *("image_recitation", "image_other", "content_blocked"),
    ]
)
"""The other codes of blocked output."""

_UNFINISHED: Final = frozenset(["in_progress", "queued"])
_CUT: Final = frozenset(["incomplete", "budget_exceeded"])
"""Statuses of an answer that a limit ended."""

_CONTINUES: Final = "requires_continuation"
"""The status of a long answer that the next request continues by its token."""

CODES: Final[Mapping[ErrorKind, tuple[int, str, str]]] = {
    "overloaded": (503, "service_unavailable", "The service is currently unavailable."),
    "server_error": (500, "api_error", "An internal error has occurred. Please retry."),
    "rate_limit": (429, "rate_limit_exceeded", "Resource exhausted. Please try again later."),
    "context_length": (
        400,
        "invalid_request",
        "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
    ),
}
"""Errors by kind: the status outside a stream, the code and the text."""

_KINDS: Final[Mapping[str, ErrorKind]] = {
    "service_unavailable": "overloaded",
    "rate_limit_exceeded": "rate_limit",
    "quota_exceeded": "rate_limit",
    "too_many_requests": "rate_limit",
}


def status_of(stop: FinishReason) -> str:
    """The status for a scripted stop."""
    return _STATUSES[stop]


def errors_beside(stop: FinishReason) -> Json:
    """The members for this stop beside the status: the error of a blocked interaction."""
    if stop not in _BLOCKED:
        return {}
    code, message = _BLOCKED[stop]
    return {"errors": [{"code": code, "message": message}]}


def ended(interaction: Json, *, has_calls: bool) -> tuple[FinishReason, StreamError | None, bool]:
    """How an interaction ended: the stop, the error of a failed one, and whether it has ended at all."""
    status = string(interaction.get("status"))
    if status in _UNFINISHED or not status:
        return FinishReason.END, None, False
    if status in _CUT:
        return FinishReason.MAX_TOKENS, None, True
    if status == _CONTINUES:
        return FinishReason.PAUSE, None, True
    if status in ("failed", "cancelled"):
        return _failure_end(interaction, status)
    calls = status == "requires_action" and has_calls
    return FinishReason.TOOL_CALLS if calls else FinishReason.END, None, True


def _failure_end(interaction: Json, status: str) -> tuple[FinishReason, StreamError | None, bool]:
    error = next(iter(objects(interaction.get("errors"))), {})
    code = string(error.get("code"))
    if code == _BLOCKED[FinishReason.REFUSAL][0]:
        return FinishReason.REFUSAL, None, True
    if code in _FILTERS:
        return FinishReason.CONTENT_FILTER, None, True
    return FinishReason.END, error_of(error or {"message": f"the interaction has the status {status}"}), True


def error_of(error: Any) -> StreamError:
    """The neutral form of an ``error`` object; an unknown one counts as a server error."""
    code, message = string(members(error).get("code")), string(members(error).get("message"))
    if code == "invalid_request" and "token count" in message:
        return StreamError("context_length", message)
    return StreamError(_KINDS.get(code, "server_error"), message)


def usage_of(counts: Any) -> Usage:
    """Token counts, read. The API counts thoughts beside the output, and server tools' additions beside the input."""
    if not isinstance(counts, dict):
        return NO_USAGE
    thoughts = _count(counts.get("total_thought_tokens"))
    return Usage(
        input=_count(counts.get("total_input_tokens")) + _count(counts.get("total_tool_use_tokens")),
        output=_count(counts.get("total_output_tokens")) + thoughts,
        reasoning=thoughts,
        cached=_count(counts.get("total_cached_tokens")),
    )


def _count(value: Any) -> int:
    return value if isinstance(value, int) else 0


def written_usage(usage: Usage) -> Json:
    """Token counts as the API writes them."""
    output = max(usage.output - usage.reasoning, 0)
    return {
        "total_tokens": usage.input + output + usage.reasoning,
        "total_input_tokens": usage.input,
        "input_tokens_by_modality": [{"modality": "text", "tokens": usage.input}],
        "total_cached_tokens": usage.cached,
        "total_output_tokens": output,
        "total_tool_use_tokens": 0,
        "total_thought_tokens": usage.reasoning,
    }
