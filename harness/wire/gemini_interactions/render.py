"""Write a turn as the provider's bytes: a stream of events, or one document.

Every answer of a model that thinks begins with a signed ``thought``, with or without a summary; the signature comes as
a delta. The last event of a stream has no steps, and ``event: done`` follows it. The step of a server tool begins with
its signature but without its arguments or its result, which come in one delta.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from harness.wire.base import Conversation, Json, Rendered
from harness.wire.characters import joined
from harness.wire.content_blocks import INVALID_JSON, call_input
from harness.wire.deltas import split
from harness.wire.gemini_interactions.ends import CODES, errors_beside, status_of, written_usage
from harness.wire.gemini_interactions.errors import JSON
from harness.wire.gemini_interactions.models import MODELS, SIGNED_CALLS
from harness.wire.gemini_interactions.parse import parse
from harness.wire.gemini_interactions.steps import CALL, OUTPUT, THOUGHT, kind_of, summary_of
from harness.wire.gemini_interactions.words import GOES_ON
from harness.wire.identity import LOWER_ALPHANUMERIC, Identity
from harness.wire.json_text import compact, encoded
from harness.wire.lenient import entries, objects, string
from harness.wire.sse import SSE, frame
from harness.wire.turn import Call, Deltas, FinishReason, NativePiece, Part, StreamError, Text, ThinkingPart, Turn

_OWN_ID: Final = 23
"""The length of each of the two ids in the id of an interaction."""

_BY_SERVERS: Final = ("arguments", "result", "is_error")
"""The members that the delta of a server tool's step brings."""

_NAMED_AGAIN: Final = ("name", "server_name")
"""Members that the SDK's type for the delta of an MCP tool repeats. No recording has one."""


def render(turn: Turn, identity: Identity, conversation: Conversation) -> Rendered:
    """The provider's answer with ``turn``; a stream if the request asked for it.

    A document has no end that could be missing (``ending`` has no effect) and no arguments that are not an object (they
    become ``{}``); an error replaces the document.
    """
    stored = conversation.body.get("store") is not False
    own_id = _interaction_id(identity, conversation.continues or "") if stored else ""
    pieces = _with_a_thought(turn, conversation.model).pieces
    steps = [_step(piece, identity) for piece in pieces]
    if not conversation.stream:
        return _document(turn, steps, _interaction(turn, own_id, identity, conversation.model))
    frames = [*_opening(own_id, conversation.model)]
    for index, (piece, step) in enumerate(zip(pieces, steps, strict=True)):
        frames += _frames(index, piece, step, turn.deltas)
    if turn.error is not None and pieces and isinstance(pieces[-1], Text):
        frames.pop()  # the error comes in the middle of the text
    terminal = 0
    if turn.error is not None:
        frames += [_event("error", {"error": _error(turn.error)}), _DONE]
        terminal = 2
    elif turn.ending == "complete":
        interaction = _interaction(turn, own_id, identity, conversation.model)
        if token := interaction.get(GOES_ON):
            frames.append(_status(own_id, {GOES_ON: token}))
        frames += [_event("interaction.completed", {"interaction": interaction}), _DONE]
        terminal = 2
    if conversation.body.get("background") is True:
        frames = list(_numbered_events(frames))
    return Rendered(SSE.content_type, tuple(frames), parse(SSE.content_type, b"".join(frames)), terminal)


def events_of(interaction: Json) -> list[bytes]:
    """The stream of an interaction that was made in the background as one document."""
    end = {name: value for name, value in interaction.items() if name != "steps"}
    own_id = string(end.get("id"))
    frames = [*_opening(own_id, string(end.get("model")))]
    for index, step in enumerate(objects(interaction.get("steps"))):
        frames += _frames(index, NativePiece(index, step), step, "whole")
    return [*_numbered_events([*frames, _event("interaction.completed", {"interaction": end}), _DONE])]


def _interaction_id(identity: Identity, previous: str) -> str:
    """``v1_`` and two ids, as protobuf: the id of the conversation's first interaction, and this interaction's own."""
    own = identity.id("", _OWN_ID).encode()
    fields = (b"\x0a", _first_of(previous) or own), (b"\x12", own)
    message = b"".join(tag + bytes([len(value)]) + value for tag, value in fields)
    return "v1_" + base64.urlsafe_b64encode(message).decode().rstrip("=")


def _first_of(previous: str) -> bytes:
    """The first of the two ids in an id that was issued before; empty for an unknown id."""
    text = previous.removeprefix("v1_")
    try:
        message = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        return b""
    return message[2 : 2 + message[1]] if message[:1] == b"\x0a" and len(message) == 2 * (_OWN_ID + 2) else b""


# --- steps --------------------------------------------------------------------------------------------------


def _with_a_thought(turn: Turn, model: str) -> Turn:
    """The turn, with a thought in front if the model thinks and the script has none."""
    silent = not turn.pieces or any(isinstance(part, ThinkingPart) for part in turn.parts)
    if silent or not MODELS.holds(SIGNED_CALLS, model):
        return turn
    behind = tuple(replace(piece, at=piece.at + 1) for piece in turn.natives)
    return replace(turn, parts=(ThinkingPart(form="omitted"), *turn.parts), natives=behind)


def _step(piece: Part | NativePiece, identity: Identity) -> Json:
    """The finished native step of a piece."""
    if isinstance(piece, NativePiece):
        return dict(piece.native)
    if isinstance(piece, ThinkingPart):
        text = joined(piece.text) if piece.form == "plain" else ""
        summary = {"summary": [{"text": text, "type": "text"}]} if text else {}
        return {"signature": piece.signature or identity.base64(96), **summary, "type": THOUGHT}
    if isinstance(piece, Call):
        call_id = identity.id("", 8, LOWER_ALPHANUMERIC) if piece.id is None else piece.id
        named = {"id": call_id} if call_id else {}
        signed = {"signature": piece.signature} if piece.signature else {}
        arguments = call_input(joined(piece.arguments))
        return {**named, **signed, "type": CALL, "name": piece.name, "arguments": arguments, **piece.members}
    more = piece.members if isinstance(piece, Text) else {}
    return {"type": OUTPUT, "content": [{"text": joined(piece.text), "type": "text", **more}]}


# --- a stream -----------------------------------------------------------------------------------------------

_DONE: Final = frame("[DONE]", "done")


def _event(kind: str, members: Json) -> bytes:
    return frame({**members, "event_type": kind}, kind)


def _numbered_events(frames: Sequence[bytes]) -> Iterator[bytes]:
    """The events, each with an id, after which a client can resume the stream."""
    for number, each in enumerate(frames, 1):
        before, name, rest = each.rpartition(b',"event_type":')
        yield before + f',"event_id":"{number:08x}"'.encode() + name + rest if name else each


def _opening(own_id: str, model: str) -> Iterator[bytes]:
    begun = {"id": own_id, "status": "in_progress", "object": "interaction", "model": model}
    yield _event("interaction.created", {"interaction": begun})
    yield _status(own_id, {})


def _status(own_id: str, more: Json) -> bytes:
    return _event("interaction.status_update", {"interaction_id": own_id, "status": "in_progress", **more})


def _frames(index: int, piece: Part | NativePiece, step: Json, deltas: Deltas) -> Iterator[bytes]:
    yield _event("step.start", {"index": index, "step": _start(step)})
    for delta in _deltas(piece, step, deltas):
        yield _event("step.delta", {"index": index, "delta": delta})
    yield _event("step.stop", {"index": index})


def _start(step: Json) -> Json:
    """The step at its beginning, without what deltas bring."""
    kind = kind_of(step)
    if kind == CALL:
        return {**step, "arguments": {}}
    brought = ("signature", "summary") if kind == THOUGHT else ("content",) if kind == OUTPUT else _BY_SERVERS
    return {name: value for name, value in step.items() if name not in brought}


def _deltas(piece: Part | NativePiece, step: Json, deltas: Deltas) -> Iterator[Json]:
    if kind_of(step) == CALL:
        text = piece.arguments if isinstance(piece, Call) else compact(step.get("arguments", {}))
        yield from ({"arguments": each, "type": "arguments_delta"} for each in split(text, deltas))
    elif isinstance(piece, NativePiece) and kind_of(step) not in (THOUGHT, OUTPUT):
        yield {"type": kind_of(step), **{name: step[name] for name in (*_NAMED_AGAIN, *_BY_SERVERS) if name in step}}
    elif kind_of(step) == THOUGHT:
        text = piece.text if isinstance(piece, ThinkingPart) and piece.form == "plain" else summary_of(step)
        contents = ({"text": each, "type": "text"} for each in split(text, deltas))
        yield from ({"content": content, "type": "thought_summary"} for content in contents)
        if "signature" in step:
            yield {"signature": step["signature"], "type": "thought_signature"}
    elif isinstance(piece, NativePiece | Call):
        for content in entries(step.get("content")):
            yield from _of_a_content(content, string(content.get("text")), deltas)
    else:
        yield from _of_a_content(step["content"][0], piece.text, deltas)


def _of_a_content(content: Json, text: str, deltas: Deltas) -> Iterator[Json]:
    """The deltas of a content: a text in pieces and then its annotations, any other content whole."""
    if kind_of(content) != "text":
        yield content
        return
    yield from ({"text": each, "type": "text"} for each in split(text, deltas) or [""])
    if annotations := entries(content.get("annotations")):
        yield {"annotations": annotations, "type": "text_annotation_delta"}


# --- a document ---------------------------------------------------------------------------------------------


def _interaction(turn: Turn, own_id: str, identity: Identity, model: str) -> Json:
    """The interaction at its end. If it is not stored, a document has no id and a stream an empty one."""
    now = datetime.fromtimestamp(identity.now(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "id": own_id,
        "status": status_of(turn.stop),
        "usage": written_usage(turn.usage),
        "created": now,
        "updated": now,
        "service_tier": "standard",
        **errors_beside(turn.stop),
        "object": "interaction",
        "model": model,
        **({GOES_ON: identity.base64(24)} if turn.stop is FinishReason.PAUSE else {}),
        **turn.members,
    }


def _document(turn: Turn, steps: list[Json], interaction: Json) -> Rendered:
    if turn.error is not None:
        return _in_one({"error": _error(turn.error)}, CODES[turn.error.kind][0])
    for step in steps:
        if INVALID_JSON in step.get("arguments", {}):
            step["arguments"] = {}
    end = {name: interaction.pop(name) for name in ("object", "model")}
    if not interaction["id"]:
        del interaction["id"]
    return _in_one({**interaction, "steps": steps, **end})


def _in_one(document: Json, status: int = 200) -> Rendered:
    body = encoded(compact(document))
    return Rendered(JSON, (body,), parse(JSON, body), terminal=0, status=status)


def _error(error: StreamError) -> Json:
    _, code, message = CODES[error.kind]
    return {"message": error.message or message, "code": code}
