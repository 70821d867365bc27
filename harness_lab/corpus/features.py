"""What recorded responses have in them, by the words of the report."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from harness.wire import FinishReason
from harness_lab.corpus.said import Broken, Said, SaidCall

__all__ = ["FEATURES", "features_of"]

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
"""In the order of the report. ``failure inside``: the response has status 200 and is itself a failure. ``no response``:
its body is none of its wire's, and the session must say so."""

_STOPS = {
    FinishReason.REFUSAL: "refusal",
    FinishReason.MAX_TOKENS: "max tokens",
    FinishReason.CONTENT_FILTER: "content filter",
    FinishReason.PAUSE: "pause",
}
_LONG_ARGUMENTS = 1024


def features_of(said: Said | Broken, *, streamed: bool) -> Iterator[str]:
    """The features of one response."""
    yield "streamed" if streamed else "whole"
    if isinstance(said, Broken):
        yield "no response" if said.unreadable else "failure inside"
        return
    has = {
        "text": said.text,
        "beyond ASCII": not (said.text + said.thinking).isascii(),
        "thinking": said.thinking,
        "signature": said.signed,
        "call": said.calls,
        "parallel calls": len(said.calls) > 1,
        "call without an id of its own": any(not call.id for call in said.calls),
        "long arguments (1 kB)": any(len(_text(call)) >= _LONG_ARGUMENTS for call in said.calls),
        "bad-JSON arguments": any(not _is_object(_text(call)) for call in said.calls),
        "other parts": said.other,
        "refusal": said.refusal,
        "empty response": not (said.text or said.thinking or said.refusal or said.calls or said.other),
        "no usage reported": said.usage is None,
        _STOPS.get(said.stop, ""): said.stop in _STOPS,
    }
    yield from (name for name, present in has.items() if present)


def _text(call: SaidCall) -> str:
    return call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)


def _is_object(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments), dict)
    except ValueError:
        return False
