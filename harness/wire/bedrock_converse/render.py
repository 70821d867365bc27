"""Write a turn as the provider's bytes: a stream of AWS frames, or one document."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import Final

from harness.wire.base import Conversation, Json, Rendered
from harness.wire.bedrock_converse.blocks import STOP_REASONS
from harness.wire.bedrock_converse.errors import JSON, STATUS_OF, exception_of
from harness.wire.bedrock_converse.models import MODELS, TYPED_CALLS
from harness.wire.bedrock_converse.parse import parse
from harness.wire.bedrock_converse.stream import EVENT_STREAM, event, exception
from harness.wire.characters import joined
from harness.wire.content_blocks import INVALID_JSON, call_input
from harness.wire.deltas import split
from harness.wire.identity import ALPHANUMERIC, Identity
from harness.wire.json_text import compact, encoded
from harness.wire.turn import Call, Deltas, Part, ThinkingPart, Turn, Usage

_LATENCY: Final = {"latencyMs": 812}


def render(turn: Turn, identity: Identity, conversation: Conversation) -> Rendered:
    """The provider's answer with ``turn``; a stream if the path asked for one.

    A document has no terminal event that could be missing (``ending`` has no effect) and no arguments that are not an
    object (they become ``{}``); an error replaces the document.
    """
    blocks = [_block(part, identity, conversation.model) for part in turn.parts]
    if not conversation.stream:
        return _document(turn, blocks)
    frames = [event("messageStart", {"role": "assistant"})]
    for index, (part, block) in enumerate(zip(turn.parts, blocks, strict=True)):
        frames += _frames(index, part, block, turn.deltas)
    terminal = 0
    if turn.error is not None:
        frames.append(exception(*exception_of(turn.error)))
        terminal = 1
    elif turn.ending == "complete":
        frames.append(event("messageStop", {"stopReason": STOP_REASONS[turn.stop]}))
        frames.append(event("metadata", {"metrics": _LATENCY, "usage": _usage(turn.usage)}))
        terminal = 2
    kind = EVENT_STREAM.content_type
    return Rendered(kind, tuple(frames), parse(kind, b"".join(frames)), terminal)


# --- blocks -------------------------------------------------------------------------------------------------


def _block(part: Part, identity: Identity, model: str) -> Json:
    """The finished native block of a part."""
    if isinstance(part, Call):
        return {"toolUse": _tool_use(part, identity, model)}
    if isinstance(part, ThinkingPart):
        if part.form == "redacted":
            return {"reasoningContent": {"redactedContent": part.signature or _redacted_reasoning(identity)}}
        signed = {"signature": part.signature or _signature(identity)} if part.signed else {}
        text = "" if part.form == "omitted" else joined(part.text)
        return {"reasoningContent": {"reasoningText": {**signed, "text": text}}}
    return {"text": joined(part.text)}


def _signature(identity: Identity) -> str:
    return "EqQB" + identity.base64(129)


def _redacted_reasoning(identity: Identity) -> str:
    """Redacted reasoning. In all recordings the bytes are the text that the Messages API sends."""
    return b64encode(_signature(identity).encode()).decode()


def _tool_use(call: Call, identity: Identity, model: str) -> Json:
    """Bedrock makes the ids itself, in one form for all models. Calls of some models have a ``type``."""
    named: Json = {"input": call_input(joined(call.arguments)), "name": call.name}
    if call.id != "":
        named["toolUseId"] = identity.id("tooluse_", 22, ALPHANUMERIC) if call.id is None else call.id
    return {**named, "type": "tool_use"} if MODELS.holds(TYPED_CALLS, model) else named


# --- a stream -----------------------------------------------------------------------------------------------


def _frames(index: int, part: Part, block: Json, deltas: Deltas) -> Iterator[bytes]:
    if isinstance(part, Call):
        start = {name: value for name, value in block["toolUse"].items() if name != "input"}
        yield event("contentBlockStart", {"contentBlockIndex": index, "start": {"toolUse": start}})
    for delta in _deltas(part, block, deltas):
        yield event("contentBlockDelta", {"contentBlockIndex": index, "delta": delta})
    yield event("contentBlockStop", {"contentBlockIndex": index})


def _deltas(part: Part, block: Json, deltas: Deltas) -> Iterator[Json]:
    """The deltas. Each recorded call of Claude begins with an empty piece, the only one without arguments."""
    if isinstance(part, Call):
        yield from ({"toolUse": {"input": piece}} for piece in ("", *split(part.arguments, deltas)))
    elif not isinstance(part, ThinkingPart):
        yield from ({"text": piece} for piece in split(part.text, deltas) or [""])
    elif part.form == "redacted":
        yield block
    else:
        text = part.text if part.form == "plain" else ""
        yield from ({"reasoningContent": {"text": piece}} for piece in split(text, deltas))
        if signature := block["reasoningContent"]["reasoningText"].get("signature"):
            yield {"reasoningContent": {"signature": signature}}


# --- a document ---------------------------------------------------------------------------------------------


def _document(turn: Turn, blocks: list[Json]) -> Rendered:
    if turn.error is not None:
        return _in_one({"message": exception_of(turn.error)[1]}, STATUS_OF[turn.error.kind])
    for block in blocks:
        if INVALID_JSON in block.get("toolUse", {}).get("input", {}):
            block["toolUse"]["input"] = {}
    message = {"content": blocks, "role": "assistant"}
    stop = STOP_REASONS[turn.stop]
    document = {"metrics": _LATENCY, "output": {"message": message}, "stopReason": stop, "usage": _usage(turn.usage)}
    return _in_one(document)


def _in_one(document: Json, status: int = 200) -> Rendered:
    body = encoded(compact(document))
    return Rendered(JSON, (body,), parse(JSON, body), terminal=0, status=status)


def _usage(usage: Usage) -> Json:
    """The usage. If the cache was used, its counts come under the names of both generations of the API."""
    cached: Json = {}
    if usage.cached:
        cached = {
            "cacheReadInputTokenCount": usage.cached,
            "cacheReadInputTokens": usage.cached,
            "cacheWriteInputTokenCount": 0,
            "cacheWriteInputTokens": 0,
        }
    counted = {"inputTokens": max(usage.input - usage.cached, 0), "outputTokens": usage.output, "serverToolUsage": {}}
    return {**cached, **counted, "totalTokens": max(usage.input, usage.cached) + usage.output}
