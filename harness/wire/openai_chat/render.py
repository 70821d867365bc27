"""A turn written as the Chat Completions API sends it, streamed or whole.

A turn with thinking is written as DeepSeek does (``reasoning_content``, usage in the finish chunk with DeepSeek's
members, no padding, no service tier): OpenAI itself never sends its reasoning here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from json.encoder import encode_basestring as quoted

from harness.wire.base import Conversation, Json, Rendered, Reply
from harness.wire.characters import joined
from harness.wire.deltas import split
from harness.wire.identity import HEX, Identity
from harness.wire.json_text import compact, encoded
from harness.wire.openai_chat.errors import STATUS_OF, read_stream_error, stream_error
from harness.wire.openai_chat.message import stop_of
from harness.wire.openai_chat.models import MODELS, SIGNATURES_WANTED
from harness.wire.openai_chat.parse import parse
from harness.wire.turn import Call, Deltas, FinishReason, Part, Refusal, Text, ThinkingPart, Turn, Usage

_FINISH_REASONS = {
    FinishReason.END: "stop",
    FinishReason.TOOL_CALLS: "tool_calls",
    FinishReason.MAX_TOKENS: "length",
    FinishReason.REFUSAL: "stop",
    FinishReason.CONTENT_FILTER: "content_filter",
    FinishReason.PAUSE: "stop",
}

_NO_USAGE = Usage(0, 0)
_SIGNATURE_BYTES = 96
_DONE = b"data: [DONE]\n\n"
_STREAM_TYPE = "text/event-stream; charset=utf-8"


def render(turn: Turn, identity: Identity, conversation: Conversation) -> Rendered:
    """The answer to ``conversation`` with ``turn``; a stream if the request asked for one.

    A document has no end that could be missing, so ``ending`` has no effect on it.
    """
    if conversation.stream:
        rendered = _stream(_SayableTurn.of(turn, identity, conversation), identity)
    else:
        rendered = _document(_SayableTurn.of(replace(turn, ending="complete"), identity, conversation))
    # What a script adds may say something (reasoning), so such an answer is read as any server's is.
    return replace(rendered, reply=parse(rendered.content_type, rendered.body)) if turn.members else rendered


@dataclass(frozen=True, slots=True)
class _SayableTurn:
    """A turn prepared for this wire: ids issued, adjacent texts joined, and what Chat cannot express left out."""

    turn: Turn
    parts: tuple[Part, ...]
    id: str
    created: int
    model: str
    fingerprint: str
    stream_options: Json

    @classmethod
    def of(cls, turn: Turn, identity: Identity, conversation: Conversation) -> _SayableTurn:
        parts = tuple(_sayable(turn.parts, identity))
        signs = MODELS.holds(SIGNATURES_WANTED, conversation.model)
        return cls(
            turn=turn,
            parts=tuple(_with_signature(parts, identity)) if signs else parts,
            id=identity.id("chatcmpl-", 29),
            created=identity.now(),
            model=conversation.model,
            fingerprint=identity.id("fp_", 10, HEX),
            stream_options=options if isinstance(options := conversation.body.get("stream_options"), dict) else {},
        )

    @property
    def finish_reason(self) -> str | None:
        return None if self.turn.ending == "eof" or self.turn.error else _FINISH_REASONS[self.turn.stop]

    @property
    def thinks(self) -> bool:
        return any(isinstance(part, ThinkingPart) for part in self.parts)

    def joined(self, kind: type[Text | ThinkingPart | Refusal]) -> str:
        return joined("".join(part.text for part in self.parts if isinstance(part, kind)))

    @property
    def padding(self) -> bool:
        """Whether chunks are padded: OpenAI pads them unless the request forbids it."""
        return not self.thinks and bool(self.stream_options.get("include_obfuscation", True))

    @property
    def tier(self) -> Json:
        return {} if self.thinks else {"service_tier": "default"}

    @property
    def usage(self) -> Json:
        return _deepseek_usage(self.turn.usage) if self.thinks else _openai_usage(self.turn.usage)

    @property
    def content(self) -> str | None:
        """``content``: null, not empty, if the turn has only calls or a refusal."""
        text = self.joined(Text)
        if text or not self.parts or (self.thinks and not self.calls and self.finish_reason):
            return text
        return None

    @property
    def calls(self) -> list[Call]:
        return [part for part in self.parts if isinstance(part, Call)]

    def message(self) -> Json:
        """The assistant message as a stream's reader puts it together."""
        message: Json = {"role": "assistant", "content": self.content}
        for name, text in (("reasoning_content", self.joined(ThinkingPart)), ("refusal", self.joined(Refusal))):
            if text:
                message[name] = text
        if self.calls:
            message["tool_calls"] = [_native_call(call) for call in self.calls]
        return {**message, **self.turn.members}

    def reply(self, message: Json, usage: Usage) -> Reply:
        error = read_stream_error(stream_error(self.turn.error)) if self.turn.error else None
        turn = Turn(
            parts=self.parts,
            stop=stop_of(self.finish_reason, self.parts),
            usage=usage,
            error=error,
            ending="complete" if self.finish_reason or error else "eof",
        )
        return Reply("openai-chat", self.id, self.model, (message,), turn, bool(self.finish_reason))


def _sayable(parts: Sequence[Part], identity: Identity) -> Iterator[Part]:
    for kind, group in groupby((part for part in parts if _is_sayable(part)), key=type):
        if kind is Call:
            yield from (_call_with_id(call, identity) for call in group if isinstance(call, Call))
        else:
            yield kind(joined("".join(part.text for part in group if not isinstance(part, Call))))


def _with_signature(parts: Sequence[Part], identity: Identity) -> Iterator[Part]:
    """The parts, with the first call signed like Google's server does unless a script has a signature."""
    first = next((part for part in parts if isinstance(part, Call)), None)
    for part in parts:
        if part is first and isinstance(part, Call) and "extra_content" not in part.members:
            signature = {"google": {"thought_signature": identity.base64(_SIGNATURE_BYTES)}}
            yield replace(part, members={**part.members, "extra_content": signature})
        else:
            yield part


def _is_sayable(part: Part) -> bool:
    if isinstance(part, Call):
        return True
    return bool(part.text) and not (isinstance(part, ThinkingPart) and part.form != "plain")


def _call_with_id(call: Call, identity: Identity) -> Call:
    call_id = identity.id("call_", 24) if call.id is None else call.id
    return Call(call.name, joined(call.arguments), call_id, members=call.members)


def _native_call(call: Call) -> Json:
    function = {"name": call.name, "arguments": call.arguments}
    return {**({"id": call.id} if call.id else {}), "type": "function", "function": function, **call.members}


def _openai_usage(usage: Usage) -> Json:
    return {
        **_tokens(usage),
        "prompt_tokens_details": {"cached_tokens": usage.cached, "cache_write_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": usage.reasoning,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }


def _deepseek_usage(usage: Usage) -> Json:
    return {
        **_tokens(usage),
        "prompt_tokens_details": {"cached_tokens": usage.cached},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
        "prompt_cache_hit_tokens": usage.cached,
        "prompt_cache_miss_tokens": usage.input - usage.cached,
    }


def _tokens(usage: Usage) -> Json:
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
    }


# --- the stream --------------------------------------------------------------------------------------------


class _Chunks:
    """Writes chunks; their common members are encoded once."""

    def __init__(self, answer: _SayableTurn, padding: str) -> None:
        head = {
            "id": answer.id,
            "object": "chat.completion.chunk",
            "created": answer.created,
            "model": answer.model,
            **answer.tier,
            "system_fingerprint": answer.fingerprint,
        }
        self.sends_usage = bool(answer.stream_options.get("include_usage"))
        self._head = f"data: {compact(head)[:-1]}"
        self._obfuscation = "" if padding == "" else f',"obfuscation":"{padding}"'
        self._open = f'{self._head},"choices":[{{"index":0,"delta":'
        usage = ',"usage":null' if self.sends_usage else ""
        self._close = f',"logprobs":null,"finish_reason":null}}]{usage}{self._obfuscation}}}\n\n'

    def deltas(self, deltas: Iterable[str]) -> list[bytes]:
        """A chunk for each delta. All are encoded in one step, because JSON text has no line breaks."""
        before, after = encoded(self._open), encoded(self._close)
        return [before + delta + after for delta in encoded("\n".join(deltas)).split(b"\n")]

    def finish(self, delta: str, reason: str, usage: Json | None) -> bytes:
        usage_member = f',"usage":{compact(usage)}' if self.sends_usage else ""
        choice = f'{self._open}{delta},"logprobs":null,"finish_reason":"{reason}"}}]'
        return f"{choice}{usage_member}{self._obfuscation}}}\n\n".encode()

    def usage(self, usage: Json) -> bytes:
        usage_text = compact(usage)
        return f'{self._head},"choices":[],"usage":{usage_text}{self._obfuscation}}}\n\n'.encode()


def _stream(answer: _SayableTurn, identity: Identity) -> Rendered:
    chunks = _Chunks(answer, identity.id("", 6) if answer.padding else "")
    frames = chunks.deltas(_deltas(answer))
    end = _end(answer, chunks)
    with_usage = bool(answer.finish_reason) and chunks.sends_usage
    reply = answer.reply(answer.message(), answer.turn.usage if with_usage else _NO_USAGE)
    return Rendered(_STREAM_TYPE, (*frames, *end), reply, terminal=len(end))


def _end(answer: _SayableTurn, chunks: _Chunks) -> list[bytes]:
    if answer.turn.error:
        error = {"error": stream_error(answer.turn.error)}
        return [f"data: {compact(error)}\n\n".encode()]
    if answer.finish_reason is None:
        return []
    usage = answer.usage
    if answer.thinks:
        says_nothing = "{}" if answer.content is None else '{"content":"","reasoning_content":null}'
        return [chunks.finish(says_nothing, answer.finish_reason, usage), _DONE]
    finish = chunks.finish("{}", answer.finish_reason, None)
    return [finish, chunks.usage(usage), _DONE] if chunks.sends_usage else [finish, _DONE]


def _deltas(answer: _SayableTurn) -> Iterator[str]:
    """The ``delta`` of every chunk before the finish chunk, as JSON text."""
    parts = answer.parts
    if not answer.thinks and len(parts) == 1 and isinstance(parts[0], Call) and not answer.turn.members:
        # A single call opens the message itself; several calls come after a chunk with the role alone.
        header = _call_header(0, parts[0])
        yield f'{{"role":"assistant","content":null,"tool_calls":[{header}],"refusal":null}}'
        yield from _call_fragments(0, parts[0], answer.turn.deltas)
        return
    yield _opening(answer)
    thoughts = {name: value for name, value in answer.turn.members.items() if name in _THOUGHTS}
    if thoughts:
        yield compact(thoughts)
    index = 0
    for part in parts:
        if isinstance(part, Call):
            yield f'{{"tool_calls":[{_call_header(index, part)}]}}'
            yield from _call_fragments(index, part, answer.turn.deltas)
            index += 1
        else:
            before, after = _wrapping(part, answer.thinks)
            yield from _pieces(before, part.text, after, answer.turn.deltas)
    if beside := {name: value for name, value in answer.turn.members.items() if name not in thoughts}:
        yield compact(beside)


_THOUGHTS = ("reasoning", "reasoning_details")
"""Members of a scripted message that a stream sends before its text, as OpenRouter does."""


def _opening(answer: _SayableTurn) -> str:
    first = answer.parts[0] if answer.parts else None
    if answer.thinks:
        return '{"role":"assistant","content":null,"reasoning_content":""}'
    if isinstance(first, Call):
        return '{"role":"assistant","content":null}'
    if isinstance(first, Refusal):
        return '{"role":"assistant","content":null,"refusal":""}'
    return '{"role":"assistant","content":"","refusal":null}'


def _wrapping(part: Text | ThinkingPart | Refusal, thinks: bool) -> tuple[str, str]:
    if isinstance(part, ThinkingPart):
        return '{"content":null,"reasoning_content":', "}"
    if isinstance(part, Refusal):
        return '{"refusal":', "}"
    return '{"content":', ',"reasoning_content":null}' if thinks else "}"


def _call_header(index: int, call: Call) -> str:
    identified = f'"id":{quoted(call.id)},' if call.id else ""
    beside = f",{compact(dict(call.members))[1:-1]}" if call.members else ""
    function = f'{{"name":{quoted(call.name)},"arguments":""}}'
    return f'{{"index":{index},{identified}"type":"function","function":{function}{beside}}}'


def _call_fragments(index: int, call: Call, deltas: Deltas) -> Sequence[str]:
    before = f'{{"tool_calls":[{{"index":{index},"function":{{"arguments":'
    return _pieces(before, call.arguments, "}}]}", deltas)


def _pieces(before: str, text: str, after: str, deltas: Deltas) -> Sequence[str]:
    """The deltas of a text or of arguments."""
    return (_same_pieces if len(text) <= _SHORT else _written_pieces)(before, text, after, deltas)


def _written_pieces(before: str, text: str, after: str, deltas: Deltas) -> Sequence[str]:
    return tuple([f"{before}{quoted(piece)}{after}" for piece in split(text, deltas)])


_SHORT = 4096
"""The longest text, in characters, whose deltas are cached."""

_same_pieces = lru_cache(maxsize=64)(_written_pieces)
"""They contain no id, and a served script sends the same texts again and again."""


# --- the whole response ------------------------------------------------------------------------------------


def _document(answer: _SayableTurn) -> Rendered:
    if answer.turn.error:
        error = stream_error(answer.turn.error)
        turn = Turn(usage=_NO_USAGE, error=read_stream_error(error))
        body = json.dumps({"error": error}).encode()
        reply = Reply("openai-chat", "", "", (), turn, False)
        return Rendered("application/json", (body,), reply, terminal=0, status=STATUS_OF[answer.turn.error.kind])
    message = _whole_message(answer)
    document = {
        "id": answer.id,
        "object": "chat.completion",
        "created": answer.created,
        "model": answer.model,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": answer.finish_reason}],
        "usage": answer.usage,
        **answer.tier,
        "system_fingerprint": answer.fingerprint,
    }
    reply = answer.reply(message, answer.turn.usage)
    reply = replace(reply, turn=replace(reply.turn, parts=tuple(_as_message(answer))))
    return Rendered("application/json", (json.dumps(document).encode(),), reply, terminal=0)


def _whole_message(answer: _SayableTurn) -> Json:
    """The message of a whole response. OpenAI's has members that streams lack; DeepSeek's has no empty texts."""
    message = answer.message()
    if answer.thinks:
        return {**message, "content": message["content"] or ""}
    message.setdefault("annotations", [])
    message.setdefault("refusal", None)
    return message


def _as_message(answer: _SayableTurn) -> Iterator[Part]:
    """The parts in the order of a message, which does not show the order in which they came."""
    for kind in (ThinkingPart, Text, Refusal):
        if text := answer.joined(kind):
            yield kind(text)
    yield from answer.calls
