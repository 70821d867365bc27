"""Content blocks: the native pieces of a message, and their neutral forms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from harness.wire.base import Json
from harness.wire.json_text import compact
from harness.wire.lenient import objects, string
from harness.wire.turn import Call, FinishReason, Part, Text, ThinkingPart, Usage

STOP_REASONS: Mapping[FinishReason, str] = {
    FinishReason.END: "end_turn",
    FinishReason.TOOL_CALLS: "tool_use",
    FinishReason.MAX_TOKENS: "max_tokens",
    FinishReason.REFUSAL: "refusal",
    FinishReason.CONTENT_FILTER: "refusal",
    FinishReason.PAUSE: "pause_turn",
}
"""This wire has no content filter of its own: a classifier that stops the model is its ``refusal``."""

_STOPS = {
    "end_turn": FinishReason.END,
    "stop_sequence": FinishReason.END,
    "tool_use": FinishReason.TOOL_CALLS,
    "max_tokens": FinishReason.MAX_TOKENS,
    "model_context_window_exceeded": FinishReason.MAX_TOKENS,
    "refusal": FinishReason.REFUSAL,
    "pause_turn": FinishReason.PAUSE,
}


def stop_of(reason: str | None) -> FinishReason:
    """The neutral stop of a ``stop_reason``; an unknown or missing one is ``END``."""
    return _STOPS.get(reason or "", FinishReason.END)


def part_of(block: Json, arguments: str | None = None) -> Part | None:
    """The neutral part of a block; None if it has no neutral form (server tools, images ...).

    ``arguments`` is a call's JSON text as streamed; without it the text is made from ``input``.
    """
    kind = block.get("type")
    if kind == "text":
        return Text(string(block.get("text")))
    if kind == "thinking":
        text, signature = string(block.get("thinking")), string(block.get("signature"))
        return ThinkingPart(text, "plain" if text or not signature else "omitted", signature)
    if kind == "redacted_thinking":
        return ThinkingPart(form="redacted", signature=string(block.get("data")))
    if kind == "tool_use":
        if arguments is None:
            arguments = compact(block.get("input", {}))
        return Call(string(block.get("name")), arguments, string(block.get("id")))
    return None


def beyond_parts(block: Json) -> tuple[str, ...]:
    """``Wire.beyond_parts``: a block without a neutral form, and the sources of a text."""
    if part_of(block) is None:
        return (string(block.get("type")) or "a block without a type",)
    return ("citations",) if block.get("citations") else ()


def parts_of(blocks: Sequence[Json], arguments: Iterable[str | None]) -> tuple[Part, ...]:
    """The parts in ``blocks``, in order."""
    parts = (part_of(block, text) for block, text in zip(blocks, arguments, strict=True))
    return tuple(part for part in parts if part is not None)


def usage_of(native: Mapping[str, Any]) -> Usage:
    """The neutral usage. ``input`` is the total: this wire counts cached and cache-writing tokens beside it."""
    cached = _count(native.get("cache_read_input_tokens"))
    written = _count(native.get("cache_creation_input_tokens"))
    details = native.get("output_tokens_details")
    reasoning = _count(details.get("thinking_tokens")) if isinstance(details, Mapping) else 0
    return Usage(
        input=_count(native.get("input_tokens")) + cached + written,
        output=_count(native.get("output_tokens")),
        reasoning=reasoning,
        cached=cached,
    )


def _count(value: Any) -> int:
    return value if isinstance(value, int) else 0


def blocks_of(content: Any) -> list[Json]:
    """The content blocks of a message. A string is one text block; an entry that is no block is left out."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return objects(content)
