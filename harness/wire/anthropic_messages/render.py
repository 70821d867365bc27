"""Write a turn as the provider's bytes: an event stream, or one message document (wire document, section 3)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from json.encoder import encode_basestring as _quoted

from harness.wire.anthropic_messages.blocks import (
    STOP_REASONS,
    parts_of,
    stop_of,
    usage_of,
)
from harness.wire.anthropic_messages.errors import EVENT_STREAM, JSON, stream_error, stream_error_body
from harness.wire.base import Conversation, Json, Opaque, Rendered, Reply
from harness.wire.characters import joined
from harness.wire.content_blocks import INVALID_JSON, call_input
from harness.wire.deltas import split
from harness.wire.identity import Identity
from harness.wire.json_text import compact, encoded
from harness.wire.lenient import string
from harness.wire.turn import (
    NO_MEMBERS,
    Call,
    Deltas,
    ErrorKind,
    FinishReason,
    NativePiece,
    Part,
    Text,
    ThinkingPart,
    Turn,
    Usage,
)

_DIRECT = {"type": "direct"}
_PING = b'event: ping\ndata: {"type":"ping"}\n\n'
_MESSAGE_STOP = b'event: message_stop\ndata: {"type":"message_stop"}\n\n'

_DELTA_OF = {
    "text": ("text_delta", "text"),
    "thinking": ("thinking_delta", "thinking"),
    "tool_use": ("input_json_delta", "partial_json"),
    "server_tool_use": ("input_json_delta", "partial_json"),
    "mcp_tool_use": ("input_json_delta", "partial_json"),
}

_SEARCH = '{"query": "release notes"}'
"""What the model looks up while it pauses: a real ``pause_turn`` ends with a server tool that is still running."""


def render(turn: Turn, identity: Identity, conversation: Conversation) -> Rendered:
    """The provider's answer with ``turn``; an event stream if the request asked for one.

    A document has no terminal event that could be missing (``ending`` has no effect) and no arguments that are not an
    object (they become ``{}``); an error replaces the document.
    """
    message_id = identity.id("msg_01", 22)
    blocks = [_block(piece, identity) for piece in turn.pieces]
    texts = [_streamed_text(piece) for piece in turn.pieces]
    blocks[:0] = searched = _search_results(conversation, turn)
    texts[:0] = [""] * len(searched)
    if turn.stop is FinishReason.PAUSE and not turn.natives:
        blocks.append(_server_tool(identity))
        texts.append(_SEARCH)
    if conversation.stream:
        return _stream(turn, message_id, conversation.model, blocks, texts, identity)
    return _document(turn, message_id, conversation.model, blocks, identity)


def _block(part: Part | NativePiece, identity: Identity) -> Json:
    """The finished native block of a part."""
    if isinstance(part, NativePiece):
        return dict(part.native)
    if isinstance(part, Call):
        return _tool_use(part, identity)
    if isinstance(part, ThinkingPart):
        signature = part.signature or "EqQB" + identity.base64(129)
        if part.form == "redacted":
            return {"type": "redacted_thinking", "data": signature}
        text = "" if part.form == "omitted" else joined(part.text)
        return {"type": "thinking", "thinking": text, "signature": signature}
    members = part.members if isinstance(part, Text) else NO_MEMBERS
    return {"type": "text", "text": joined(part.text), **members}


def _tool_use(call: Call, identity: Identity) -> Json:
    block: Json = {"type": "tool_use"}
    if call.id != "":
        block["id"] = identity.id("toolu_01", 22) if call.id is None else call.id
    return block | {"name": call.name, "input": call_input(joined(call.arguments)), "caller": _DIRECT, **call.members}


def _server_tool(identity: Identity) -> Json:
    search = {"id": identity.id("srvtoolu_01", 22), "name": "web_search", "input": json.loads(_SEARCH)}
    return {"type": "server_tool_use", **search, "caller": _DIRECT}


def _search_results(conversation: Conversation, turn: Turn) -> list[Json]:
    """The results of a paused turn's searches: the next turn begins with them (ANT-23), unless a script has them."""
    opaque = [part for message in conversation.messages for part in message.parts if isinstance(part, Opaque)]
    if not opaque:
        return []
    found = {string(part.native.get("tool_use_id")) for part in opaque if part.kind == "web_search_tool_result"}
    found |= {string(piece.native.get("tool_use_id")) for piece in turn.natives}
    return [
        {"type": "web_search_tool_result", "tool_use_id": id_, "content": [], "caller": _DIRECT}
        for part in opaque
        if part.kind == "server_tool_use"
        and part.native.get("name") == "web_search"
        and (id_ := string(part.native.get("id"))) not in found
    ]


def _streamed_text(part: Part | NativePiece) -> str:
    """The text that arrives in deltas, as scripted."""
    if isinstance(part, NativePiece):
        return compact(part.native["input"]) if "input" in part.native else string(part.native.get("text"))
    if isinstance(part, Call):
        return part.arguments
    if isinstance(part, ThinkingPart) and part.form != "plain":
        return ""
    return part.text


# --- the event stream ---------------------------------------------------------------------------------------


def _stream(
    turn: Turn, message_id: str, model: str, blocks: list[Json], texts: list[str], identity: Identity
) -> Rendered:
    usage, billed = _first_usage(turn.usage.input, turn.usage.cached)
    frames = [_message_start(message_id, model, usage)]
    for index, (block, text) in enumerate(zip(blocks, texts, strict=True)):
        frames += _block_frames(index, block, text, turn.deltas)
    arguments = [joined(text) for text in texts]
    parts = parts_of(blocks, arguments)
    if turn.error is not None:
        body = stream_error_body(turn.error, identity)
        frames.append(_frame("error", body))
        rendered = Turn(parts=parts, usage=billed, error=stream_error(body))
        terminal = 1
    elif turn.ending == "complete":
        message_delta, billed = _scripted_delta(turn) if turn.members else _message_delta(turn)
        frames += [message_delta, _MESSAGE_STOP]
        rendered = Turn(parts=parts, stop=stop_of(STOP_REASONS[turn.stop]), usage=billed)
        terminal = 2
    else:
        rendered = Turn(parts=parts, usage=billed, ending="eof")
        terminal = 0
    complete = rendered.ending == "complete" and rendered.error is None
    container = _container(turn) if complete else ""
    reply = Reply("anthropic-messages", message_id, model, tuple(blocks), rendered, complete, container)
    return Rendered(EVENT_STREAM, tuple(frames), reply, terminal)


def _container(turn: Turn) -> str:
    """The id of the container that a script names."""
    container = turn.members.get("container")
    return string(container.get("id")) if isinstance(container, dict) else ""


_CACHE_WRITES = {"cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0}}
_SERVICE = {"service_tier": "standard", "inference_geo": "global"}


def _input_usage(usage: Usage) -> Json:
    return {
        "input_tokens": max(usage.input - usage.cached, 0),
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": usage.cached,
    }


@lru_cache(maxsize=64)
def _first_usage(read: int, cached: int) -> tuple[str, Usage]:
    """The usage at the start of a stream, as JSON text and as a value."""
    native = {**_input_usage(Usage(read, cached=cached)), **_CACHE_WRITES, "output_tokens": 1, **_SERVICE}
    return compact(native), usage_of(native)


def _final_usage(stop: FinishReason, usage: Usage) -> Json:
    native = {**_input_usage(usage), "output_tokens": usage.output}
    if usage.reasoning:
        native["output_tokens_details"] = {"thinking_tokens": usage.reasoning}
    if stop is FinishReason.PAUSE:
        native["server_tool_use"] = {"web_search_requests": 1, "web_fetch_requests": 0}
    return native


def _stop(stop: FinishReason) -> Json:
    reason = STOP_REASONS[stop]
    details = {"type": "refusal", "category": None, "explanation": None} if reason == "refusal" else None
    return {"stop_reason": reason, "stop_sequence": None, "stop_details": details}


def _message_start(message_id: str, model: str, usage: str) -> bytes:
    return encoded(
        'event: message_start\ndata: {"type":"message_start","message":{'
        f'"model":{_quoted(model)},"id":"{message_id}","type":"message","role":"assistant","content":[],'
        f'"stop_reason":null,"stop_sequence":null,"stop_details":null,"usage":{usage}}}}}\n\n'
    )


def _message_delta(turn: Turn) -> tuple[bytes, Usage]:
    """The frame, and the usage in it."""
    usage = turn.usage
    return _same_delta(turn.stop.value, usage.input, usage.output, usage.reasoning, usage.cached)


@lru_cache(maxsize=64)
def _same_delta(stopped: str, read: int, written: int, reasoning: int, cached: int) -> tuple[bytes, Usage]:
    stop = FinishReason(stopped)
    native = _final_usage(stop, Usage(read, written, reasoning, cached))
    data = {"type": "message_delta", "delta": _stop(stop), "usage": native}
    return _frame("message_delta", data), usage_of(native)


_DELTA_MEMBERS = ("container", "stop_details", "stop_sequence")
"""Members of a message that are in the delta of a stream's last event but one; others are beside that delta."""


def _scripted_delta(turn: Turn) -> tuple[bytes, Usage]:
    """``_message_delta`` with the script's additions."""
    native = {**_final_usage(turn.stop, turn.usage), **turn.members.get("usage", {})}
    inside = {name: turn.members[name] for name in _DELTA_MEMBERS if name in turn.members}
    beside = {name: value for name, value in turn.members.items() if name not in (*inside, "usage")}
    delta = {**_stop(turn.stop), **inside}
    return _frame("message_delta", {"type": "message_delta", "delta": delta, "usage": native, **beside}), usage_of(
        native
    )


def _block_frames(index: int, block: Json, text: str, deltas: Deltas) -> list[bytes]:
    kind = string(block.get("type"))
    shown = _shown_first(kind, block)
    head = f'event: content_block_start\ndata: {{"type":"content_block_start","index":{index},"content_block":'
    frames = [encoded(f"{head}{shown}}}\n\n")]
    if index == 0 and kind in _DELTA_OF:
        frames.append(_PING)
    for citation in block.get("citations") or () if kind == "text" else ():
        frames.append(_delta_event(index, {"type": "citations_delta", "citation": citation}))
    if kind in _DELTA_OF:
        frames += (_same_deltas if len(text) <= _SHORT else _delta_frames)(index, kind, text, deltas)
    if kind == "thinking":
        frames += _pieces(index, "signature_delta", "signature", [string(block.get("signature"))])
    if kind == "compaction":
        frames.append(_delta_event(index, {**block, "type": "compaction_delta"}))
    return [*frames, b'event: content_block_stop\ndata: {"type":"content_block_stop","index":%d}\n\n' % index]


def _shown_first(kind: str, block: Json) -> str:
    """A block in its start event, as JSON text."""
    if kind == "text" and len(block) > 2:
        return compact({**block, "text": "", **({"citations": []} if "citations" in block else {})})
    if kind == "tool_use" and _is_plain_call(block):
        return f'{{"type":"tool_use","id":{_quoted(block["id"])},"name":{_quoted(block["name"])},{_NO_INPUT}}}'
    return _EMPTY.get(kind) or compact({**block, "input": {}} if "input" in block else block)


def _is_plain_call(block: Json) -> bool:
    """Whether a call has the usual form, so that it is written without the encoder."""
    if tuple(block) != ("type", "id", "name", "input", "caller") or block["caller"] is not _DIRECT:
        return False
    return isinstance(block["id"], str) and isinstance(block["name"], str)


_NO_INPUT = f'"input":{{}},"caller":{compact(_DIRECT)}'


_EMPTY = {
    "compaction": '{"type":"compaction","content":null,"encrypted_content":null}',
    "text": '{"type":"text","text":""}',
    "thinking": '{"type":"thinking","thinking":"","signature":""}',
}
"""The start events of blocks whose whole content is streamed later."""


def _delta_frames(index: int, kind: str, text: str, deltas: Deltas) -> tuple[bytes, ...]:
    pieces = split(text, deltas)
    if kind.endswith("tool_use"):
        # Every recorded call begins with an empty piece; a call without arguments has nothing else.
        pieces = ["", *pieces]
    return tuple(_pieces(index, *_DELTA_OF[kind], pieces))


_SHORT = 4096
"""The longest text, in characters, whose frames are cached."""

_same_deltas = lru_cache(maxsize=64)(_delta_frames)
"""They contain no id, and a served script sends the same texts again and again."""


def _pieces(index: int, delta: str, member: str, pieces: list[str]) -> list[bytes]:
    head = (
        "event: content_block_delta\n"
        f'data: {{"type":"content_block_delta","index":{index},"delta":{{"type":"{delta}","{member}":'
    )
    return [encoded(f"{head}{_quoted(piece)}}}}}\n\n") for piece in pieces]


def _delta_event(index: int, delta: Json) -> bytes:
    return _frame("content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta})


def _frame(event: str, data: Json) -> bytes:
    return f"event: {event}\ndata: {compact(data)}\n\n".encode()


_STATUS_OF: Mapping[ErrorKind, int] = {
    "overloaded": 529,
    "server_error": 500,
    "rate_limit": 429,
    "context_length": 400,
}


# --- the document -------------------------------------------------------------------------------------------


def _document(turn: Turn, message_id: str, model: str, blocks: list[Json], identity: Identity) -> Rendered:
    if turn.error is not None:
        body = stream_error_body(turn.error, identity)
        reply = Reply("anthropic-messages", "", "", (), Turn(usage=Usage(0, 0), error=stream_error(body)), False)
        return Rendered(JSON, (compact(body).encode(),), reply, terminal=0, status=_STATUS_OF[turn.error.kind])
    for block in blocks:
        if block["type"] == "tool_use" and INVALID_JSON in block["input"]:
            block["input"] = {}
    added = {name: value for name, value in turn.members.items() if name != "usage"}
    usage = {**_final_usage(turn.stop, turn.usage), **_CACHE_WRITES, **_SERVICE, **turn.members.get("usage", {})}
    head = {"model": model, "id": message_id, "type": "message", "role": "assistant", "content": blocks}
    arguments = [compact(block["input"]) if "input" in block else None for block in blocks]
    parts = parts_of(blocks, arguments)
    rendered = Turn(parts=parts, stop=stop_of(STOP_REASONS[turn.stop]), usage=usage_of(usage))
    reply = Reply("anthropic-messages", message_id, model, tuple(blocks), rendered, container=_container(turn))
    document = {**head, **_stop(turn.stop), "usage": usage, **added}
    return Rendered(JSON, (compact(document).encode(),), reply, terminal=0)
