"""The features of recorded responses, in the words of the report."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from harness.wire import FinishReason
from harness_lab.recorded.sessions.recorded_turn import BrokenResponse, RecordedCall, RecordedTurn

FEATURES: Final = (
    "error status",
    "streamed",
    "whole",
    "failure inside",
    "no response",
    "text",
    "beyond ASCII",
    "thinking",
    "signature",
    "call",
    "parallel calls",
    "call without an id of its own",
    "long arguments (1 kB)",
    "bad-JSON arguments",
    "other parts",
    "refusal",
    "max tokens",
    "content filter",
    "pause",
    "empty response",
    "no usage reported",
)
"""The features in the order of the report. ``failure inside``: the response has status 200 and is itself a failure.
``no response``: the body is not in its wire's form, and the session must report that."""

_FINISH_REASONS = {
    FinishReason.REFUSAL: "refusal",
    FinishReason.MAX_TOKENS: "max tokens",
    FinishReason.CONTENT_FILTER: "content filter",
    FinishReason.PAUSE: "pause",
}
_LONG_ARGUMENTS = 1024


def features_of(recorded: RecordedTurn | BrokenResponse, *, streamed: bool) -> Iterator[str]:
    """The features of one response."""
    yield "streamed" if streamed else "whole"
    if isinstance(recorded, BrokenResponse):
        yield "no response" if recorded.unreadable else "failure inside"
        return
    has = {
        "text": recorded.text,
        "beyond ASCII": not (recorded.text + recorded.thinking).isascii(),
        "thinking": recorded.thinking,
        "signature": recorded.signed,
        "call": recorded.calls,
        "parallel calls": len(recorded.calls) > 1,
        "call without an id of its own": any(not call.id for call in recorded.calls),
        "long arguments (1 kB)": any(len(_text(call)) >= _LONG_ARGUMENTS for call in recorded.calls),
        "bad-JSON arguments": any(not _is_object(_text(call)) for call in recorded.calls),
        "other parts": recorded.other,
        "refusal": recorded.refusal,
        "empty response": not (
            recorded.text or recorded.thinking or recorded.refusal or recorded.calls or recorded.other
        ),
        "no usage reported": recorded.usage is None,
        _FINISH_REASONS.get(recorded.stop, ""): recorded.stop in _FINISH_REASONS,
    }
    yield from (name for name, present in has.items() if present)


def _text(call: RecordedCall) -> str:
    return call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)


def _is_object(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments), dict)
    except ValueError:
        return False
