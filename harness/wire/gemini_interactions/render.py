"""Write a turn as the provider's bytes: a stream of events, or one document.

Every answer of a model that thinks begins with a ``thought`` that is signed, whether it says a summary or not; the
signature comes as a delta. A stream says its end without steps, and ``event: done`` behind it.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Sequence
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
from harness.wire.gemini_interactions.steps import CALL, OUTPUT, THOUGHT
from harness.wire.identity import LOWER_ALPHANUMERIC, Identity
from harness.wire.json_text import compact, encoded
from harness.wire.sse import SSE, frame
from harness.wire.turn import Call, Deltas, Part, StreamError, Text, ThinkingPart, Turn

__all__ = ["render"]

_OWN_ID: Final = 23
"""The characters of the two ids in the id of an interaction."""


def render(turn: Turn, identity: Identity, conversation: Conversation) -> Rendered:
    """The provider's answer that says ``turn``; a stream if the request asked for it.

    The document form knows no missing end (``ending`` says nothing there) and no arguments that are not an object
    (they become ``{}``); an error takes the place of the whole document.
    """
    stored = conversation.body.get("store") is not False
    own_id = _interaction_id(identity, conversation.continues or "") if stored else ""
    parts = _with_a_thought(turn, conversation.model)
    steps = [_step(part, identity) for part in parts]
    if not conversation.stream:
        return _document(turn, steps, _interaction(turn, own_id, identity, conversation.model))
    frames = [*_opening(own_id, conversation.model)]
    for index, (part, step) in enumerate(zip(parts, steps, strict=True)):
        frames += _frames(index, part, step, turn.deltas)
    if turn.error is not None and parts and isinstance(parts[-1], Text):
        frames.pop()  # the error comes in the middle of the text
    terminal = 0
    if turn.error is not None:
        frames += [_event("error", {"error": _error(turn.error)}), _DONE]
        terminal = 2
    elif turn.ending == "complete":
        interaction = _interaction(turn, own_id, identity, conversation.model)
        frames += [_event("interaction.completed", {"interaction": interaction}), _DONE]
        terminal = 2
    return Rendered(SSE.content_type, tuple(frames), parse(SSE.content_type, b"".join(frames)), terminal)


def _interaction_id(identity: Identity, previous: str) -> str:
    """``v1_`` and two ids, as protobuf: that of the first interaction of the conversation, and the own one."""
    own = identity.id("", _OWN_ID).encode()
    fields = (b"\x0a", _first_of(previous) or own), (b"\x12", own)
    message = b"".join(tag + bytes([len(value)]) + value for tag, value in fields)
    return "v1_" + base64.urlsafe_b64encode(message).decode().rstrip("=")


def _first_of(previous: str) -> bytes:
    """The first of the two ids in an id that was issued before; nothing where it is none of ours."""
    text = previous.removeprefix("v1_")
    try:
        message = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        return b""
    return message[2 : 2 + message[1]] if message[:1] == b"\x0a" and len(message) == 2 * (_OWN_ID + 2) else b""


# --- steps --------------------------------------------------------------------------------------------------


def _with_a_thought(turn: Turn, model: str) -> Sequence[Part]:
    """The pieces of the turn, a thought in front where the model thinks and the script has none."""
    silent = not turn.parts or any(isinstance(part, ThinkingPart) for part in turn.parts)
    if silent or not MODELS.holds(SIGNED_CALLS, model):
        return turn.parts
    return (ThinkingPart(form="omitted"), *turn.parts)


def _step(part: Part, identity: Identity) -> Json:
    """The finished native step of a part."""
    if isinstance(part, ThinkingPart):
        text = joined(part.text) if part.form == "plain" else ""
        summary = {"summary": [{"text": text, "type": "text"}]} if text else {}
        return {"signature": part.signature or identity.base64(96), **summary, "type": THOUGHT}
    if isinstance(part, Call):
        call_id = identity.id("", 8, LOWER_ALPHANUMERIC) if part.id is None else part.id
        named = {"id": call_id} if call_id else {}
        signed = {"signature": part.signature} if part.signature else {}
        arguments = call_input(joined(part.arguments))
        return {**named, **signed, "type": CALL, "name": part.name, "arguments": arguments}
    return {"type": OUTPUT, "content": [{"text": joined(part.text), "type": "text"}]}


# --- a stream -----------------------------------------------------------------------------------------------

_DONE: Final = frame("[DONE]", "done")


def _event(kind: str, members: Json) -> bytes:
    return frame({**members, "event_type": kind}, kind)


def _opening(own_id: str, model: str) -> Iterator[bytes]:
    begun = {"id": own_id, "status": "in_progress", "object": "interaction", "model": model}
    yield _event("interaction.created", {"interaction": begun})
    yield _event("interaction.status_update", {"interaction_id": own_id, "status": "in_progress"})


def _frames(index: int, part: Part, step: Json, deltas: Deltas) -> Iterator[bytes]:
    yield _event("step.start", {"index": index, "step": _start(part, step)})
    for delta in _deltas(part, step, deltas):
        yield _event("step.delta", {"index": index, "delta": delta})
    yield _event("step.stop", {"index": index})


def _start(part: Part, step: Json) -> Json:
    if isinstance(part, Call):
        return {**step, "arguments": {}}
    return {name: value for name, value in step.items() if name not in ("signature", "summary", "content")}


def _deltas(part: Part, step: Json, deltas: Deltas) -> Iterator[Json]:
    if isinstance(part, Call):
        yield from ({"arguments": each, "type": "arguments_delta"} for each in split(part.arguments, deltas))
    elif isinstance(part, ThinkingPart):
        text = part.text if part.form == "plain" else ""
        contents = ({"text": each, "type": "text"} for each in split(text, deltas))
        yield from ({"content": content, "type": "thought_summary"} for content in contents)
        yield {"signature": step["signature"], "type": "thought_signature"}
    else:
        yield from ({"text": each, "type": "text"} for each in split(part.text, deltas) or [""])


# --- a document ---------------------------------------------------------------------------------------------


def _interaction(turn: Turn, own_id: str, identity: Identity, model: str) -> Json:
    """The interaction at its end. Without a store it has no id in a document, and an empty one in a stream."""
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
    }


def _document(turn: Turn, steps: list[Json], interaction: Json) -> Rendered:
    if turn.error is not None:
        return _in_one({"error": _error(turn.error)}, CODES[turn.error.kind][0])
    for step in steps:
        if INVALID_JSON in step.get("arguments", {}):
            step["arguments"] = {}
    end = {"object": interaction.pop("object"), "model": interaction.pop("model")}
    if not interaction["id"]:
        del interaction["id"]
    return _in_one({**interaction, "steps": steps, **end})


def _in_one(document: Json, status: int = 200) -> Rendered:
    body = encoded(compact(document))
    return Rendered(JSON, (body,), parse(JSON, body), terminal=0, status=status)


def _error(error: StreamError) -> Json:
    _, code, message = CODES[error.kind]
    return {"message": error.message or message, "code": code}
