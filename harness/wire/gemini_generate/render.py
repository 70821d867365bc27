"""A turn as the bytes that Gemini sends: a stream of whole ``GenerateContentResponse`` objects, or one of them.

The layout is the server's own: CRLF, no ``event`` lines, no ``[DONE]``, ``<`` and ``>`` escaped, token counts on every
chunk, the finish reason on the last one only. Calls come whole. This wire cannot express a call whose arguments are not
a JSON object: the server then ends with MALFORMED_FUNCTION_CALL, or with MAX_TOKENS if that is why the arguments are
unfinished.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

from harness.wire.base import Conversation, Json, Rendered, Reply
from harness.wire.deltas import split
from harness.wire.gemini_generate.finish import MALFORMED, error_body, finish_reason, usage_metadata
from harness.wire.gemini_generate.fold import GenerateFold
from harness.wire.gemini_generate.thinks import signs
from harness.wire.identity import ALPHANUMERIC, LOWER_ALPHANUMERIC, Identity
from harness.wire.json_text import encoded, strict
from harness.wire.turn import Call, FinishReason, NativePiece, Refusal, Text, Turn

STREAM_TYPE = "text/event-stream"
JSON_TYPE = "application/json; charset=UTF-8"

_RESPONSE_ID = ALPHANUMERIC + "-_"
_SIGNATURE_BYTES = 96
_CALLED = "Model generated function call(s)."


@dataclass(slots=True)
class _Draft:
    """The parts of a turn, one list per chunk, and the candidate members of its end.

    ``signs``: whether its text and its first call are signed; only a model that thinks signs them.
    """

    signs: bool = True
    chunks: list[list[Json]] = field(default_factory=list)
    broken: Call | None = None

    @property
    def parts(self) -> list[Json]:
        return [part for chunk in self.chunks for part in chunk]

    @property
    def has_calls(self) -> bool:
        return any("functionCall" in part for part in self.parts)

    @property
    def wants_signature(self) -> bool:
        """Whether the answer ends in text without a signature."""
        parts = self.parts
        last = parts[-1] if parts else {}
        return (
            self.signs and "text" in last and not last.keys() & {"thought", "thoughtSignature"} and not self.has_calls
        )


def render(turn: Turn, identity: Identity, conversation: Conversation) -> Rendered:
    """The answer to ``conversation`` with ``turn``, streamed if the request asked for it.

    A document has no end that could be missing, so ``ending`` has no effect on it.
    """
    envelope = {
        "usageMetadata": usage_metadata(replace(turn.usage, output=max(turn.usage.output, turn.usage.reasoning))),
        "modelVersion": conversation.model,
        "responseId": identity.id("", 23, _RESPONSE_ID),
    }
    signed = signs(conversation)
    if conversation.stream:
        return _stream(turn, _draft(turn, identity, signs=signed), envelope, identity)
    turn = replace(turn, deltas="whole", ending="complete")
    return _document(turn, _draft(turn, identity, signs=signed), envelope, identity)


# --- the native parts --------------------------------------------------------------------------------------


def _draft(turn: Turn, identity: Identity, *, signs: bool) -> _Draft:
    draft = _Draft(signs)
    signed = not signs
    for part in turn.pieces:
        if isinstance(part, NativePiece):
            draft.chunks.append([dict(part.native)])
        elif isinstance(part, Call):
            native = _call(part, identity, signed)
            if native is None:
                draft.broken = part
                break
            signed = True
            _add_call(draft, native, together=turn.deltas == "whole")
        elif isinstance(part, Text | Refusal) or part.form == "plain":
            extra: Json = {} if isinstance(part, Text | Refusal) else {"thought": True}
            pieces = [[{"text": piece, **extra}] for piece in split(part.text, turn.deltas)]
            signature = "" if isinstance(part, Refusal) else part.signature
            if signature:
                pieces = pieces or [[{"text": "", **extra}]]
                pieces[-1][0]["thoughtSignature"] = signature
            if isinstance(part, Text) and part.members and pieces:
                pieces[-1][0].update(part.members)
            draft.chunks.extend(pieces)
    return draft


def _call(call: Call, identity: Identity, signed: bool) -> Json | None:
    """The call's part; None if its arguments are no object. Only the first call of a turn is signed.

    Empty arguments are left out, as Google does for some functions without parameters.
    """
    arguments = _object(call.arguments)
    if arguments is None:
        return None
    native: Json = {"functionCall": {"name": call.name}}
    if call.arguments.strip():
        native["functionCall"]["args"] = arguments
    call_id = identity.id("", 8, LOWER_ALPHANUMERIC) if call.id is None else call.id
    if call_id:
        native["functionCall"]["id"] = call_id
    signature = call.signature or ("" if signed else identity.base64(_SIGNATURE_BYTES))
    if signature:
        native["thoughtSignature"] = signature
    return {**native, **call.members}


def _object(arguments: str) -> Json | None:
    if not arguments.strip():
        return {}
    try:
        value = strict(arguments)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _add_call(draft: _Draft, native: Json, *, together: bool) -> None:
    if together and draft.chunks and "functionCall" in draft.chunks[-1][-1]:
        draft.chunks[-1].append(native)
    else:
        draft.chunks.append([native])


# --- the end -----------------------------------------------------------------------------------------------


def _end(turn: Turn, draft: _Draft) -> Json:
    """The candidate members that end the turn; none if the stream must end without them."""
    if turn.ending == "eof" or turn.error:
        return {}
    if draft.broken and turn.stop is not FinishReason.MAX_TOKENS:
        call_text = f"print(default_api.{draft.broken.name}({draft.broken.arguments}"
        return {"finishReason": MALFORMED, "finishMessage": f"Malformed function call: {call_text}"}
    end: Json = {"finishReason": finish_reason(turn.stop), **turn.members}
    if end["finishReason"] == "STOP" and draft.has_calls:
        end["finishMessage"] = _CALLED
    if turn.stop is FinishReason.CONTENT_FILTER:
        end["safetyRatings"] = [{"category": "HARM_CATEGORY_DANGEROUS_CONTENT", "probability": "HIGH", "blocked": True}]
    return end


def _closing_content(end: Json, draft: _Draft, identity: Identity) -> Json | None:
    """The content of a separate closing chunk; None if the last chunk with parts is also the closing one."""
    reason = end["finishReason"]
    if reason == "STOP":
        part: Json = {"text": ""}
        if draft.wants_signature:
            part["thoughtSignature"] = identity.base64(_SIGNATURE_BYTES)
        return {"parts": [part], "role": "model"}
    if reason == "MAX_TOKENS":
        return None if draft.chunks else {"role": "model"}
    return {}


# --- the bytes ---------------------------------------------------------------------------------------------


def _stream(turn: Turn, draft: _Draft, envelope: Json, identity: Identity) -> Rendered:
    tail = f'"index": 0}}],{_members(envelope)}}}\r\n\r\n'
    end = _end(turn, draft)
    closing = _closing_content(end, draft, identity) if end else None
    frames = _part_frames(draft.chunks, tail, end if end and closing is None else {})
    if closing is not None:
        frames.append(_bytes(f'data: {{"candidates": [{{"content": {_json(closing)},{_members(end)},{tail}'))
    parts = [*draft.parts, *(closing or {}).get("parts", ())]
    answers = [_answer({"parts": parts}, end, envelope)] if frames else []
    if turn.error:
        answers.append(error_body(turn.error))
        frames.append(_bytes(f"data: {_json(answers[-1])}\r\n\r\n"))
    return Rendered(STREAM_TYPE, tuple(frames), _reply(*answers), terminal=1 if end else 0)


def _part_frames(chunks: list[list[Json]], tail: str, end: Json) -> list[bytes]:
    head = 'data: {"candidates": [{"content": {"parts": ['
    middle = f'],"role": "model"}},{tail}'
    frames = [_bytes(f"{head}{','.join(map(_part, chunk))}{middle}") for chunk in chunks]
    if end:
        last = f'],"role": "model"}},{_members(end)},{tail}'
        frames[-1] = _bytes(f"{head}{','.join(map(_part, chunks[-1]))}{last}")
    return frames


def _document(turn: Turn, draft: _Draft, envelope: Json, identity: Identity) -> Rendered:
    """The same answer in one piece: the signature of a text is on the text itself."""
    if turn.error:
        body = error_body(turn.error)
        return Rendered(JSON_TYPE, (_pretty(body),), _reply(body), terminal=0, status=body["error"]["code"])
    end = _end(turn, draft)
    if end.get("finishReason") == "STOP" and draft.wants_signature:
        draft.chunks[-1][-1]["thoughtSignature"] = identity.base64(_SIGNATURE_BYTES)
    content = {"parts": parts, "role": "model"} if (parts := draft.parts) else {"role": "model"}
    body = _answer(content, end, envelope)
    return Rendered(JSON_TYPE, (_pretty(body),), _reply(body), terminal=0)


def _answer(content: Json, end: Json, envelope: Json) -> Json:
    return {"candidates": [{"content": content, **end, "index": 0}], **envelope}


def _reply(*answers: Json) -> Reply:
    """What the parser reads in these responses."""
    fold = GenerateFold()
    for each in answers:
        fold.take(each)
    return fold.reply()


def _part(part: Json) -> str:
    if len(part) == 1 and "text" in part:
        return f'{{"text": {json.dumps(part["text"], ensure_ascii=False)}}}'
    return _json(part)


def _members(value: Json) -> str:
    return _json(value)[1:-1]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ": "))


def _pretty(value: Any) -> bytes:
    return _bytes(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def _bytes(text: str) -> bytes:
    """UTF-8, with ``<`` and ``>`` escaped as the server does, and lone surrogates as escapes."""
    if "<" in text or ">" in text:
        text = text.replace("<", "\\u003c").replace(">", "\\u003e")
    return encoded(text)
