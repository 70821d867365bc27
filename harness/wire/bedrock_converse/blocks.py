"""Content blocks (objects with one member, which is their kind), and their neutral forms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from harness.wire.base import Json
from harness.wire.json_text import compact
from harness.wire.lenient import members, objects, string
from harness.wire.turn import Call, FinishReason, Part, Text, ThinkingPart, Usage

SERVER_TOOL: Final = "server_tool_use"
"""The ``type`` of a call that the provider itself runs."""

MALFORMED: Final = frozenset({"malformed_model_output", "malformed_tool_use"})
"""Stop reasons of an answer that the service could not read."""

STOP_REASONS: Final[Mapping[FinishReason, str]] = {
    FinishReason.END: "end_turn",
    FinishReason.TOOL_CALLS: "tool_use",
    FinishReason.MAX_TOKENS: "max_tokens",
    FinishReason.CONTENT_FILTER: "guardrail_intervened",
    # The API has no reason for a model that declines; of its two filters this one is set aside for it.
    FinishReason.REFUSAL: "content_filtered",
    FinishReason.PAUSE: "end_turn",
}

_STOPS: Final = {
    "end_turn": FinishReason.END,
    "stop_sequence": FinishReason.END,
    "tool_use": FinishReason.TOOL_CALLS,
    "max_tokens": FinishReason.MAX_TOKENS,
    "model_context_window_exceeded": FinishReason.MAX_TOKENS,
    "guardrail_intervened": FinishReason.CONTENT_FILTER,
    "content_filtered": FinishReason.REFUSAL,
}


def stop_of(reason: str | None) -> FinishReason:
    """The neutral stop of a ``stopReason``; an unknown or missing one is ``END``."""
    return _STOPS.get(reason or "", FinishReason.END)


def kind_of(block: Json) -> str:
    """The member that names the kind of a block; empty for an empty block."""
    return next(iter(block), "")


def is_call(block: Json) -> bool:
    """Whether the block is a call that the client must run."""
    called = block.get("toolUse")
    return isinstance(called, dict) and called.get("type") != SERVER_TOOL


def part_of(block: Json, arguments: str | None = None) -> Part | None:
    """The neutral part of a block; None if it has no neutral form (images, documents, server tools ...).

    ``arguments`` is a call's JSON text as streamed; without it the text is made from ``input``.
    """
    if "text" in block:
        return Text(string(block["text"]))
    if "citationsContent" in block:
        return Text(
            "".join(string(each.get("text")) for each in objects(_member(block, "citationsContent", "content")))
        )
    if "reasoningContent" in block:
        return _thinking(members(block["reasoningContent"]))
    if is_call(block):
        called = block["toolUse"]
        text = compact(called.get("input", {})) if arguments is None else arguments
        return Call(string(called.get("name")), text, string(called.get("toolUseId")))
    return None


def _member(block: Json, name: str, inner: str) -> Any:
    return members(block.get(name)).get(inner)


def _thinking(reasoning: Json) -> ThinkingPart:
    if "redactedContent" in reasoning:
        return ThinkingPart(form="redacted", signature=string(reasoning["redactedContent"]))
    payload = members(reasoning.get("reasoningText"))
    text, signature = string(payload.get("text")), string(payload.get("signature"))
    return ThinkingPart(text, "plain" if text or not signature else "omitted", signature)


def parts_of(blocks: Sequence[Json], arguments: Iterable[str | None]) -> tuple[Part, ...]:
    """The parts in ``blocks``, in order."""
    parts = (part_of(block, text) for block, text in zip(blocks, arguments, strict=True))
    return tuple(part for part in parts if part is not None)


def usage_of(native: Mapping[str, Any]) -> Usage:
    """The neutral usage. ``input`` is the total: the API counts cached and cache-writing tokens beside it."""
    cached = _count(native.get("cacheReadInputTokens"))
    written = _count(native.get("cacheWriteInputTokens"))
    return Usage(
        input=_count(native.get("inputTokens")) + cached + written,
        output=_count(native.get("outputTokens")),
        cached=cached,
    )


def _count(value: Any) -> int:
    return value if isinstance(value, int) else 0
