"""Fold the SDK's Chat chunks, or its whole completion, into a ``ProviderTurn``. No I/O.

Compatible servers leave ids out, repeat them, or give every call index 0. The rules by which fragments find their
call are the wire's (``harness.wire.openai_chat.message``); here each call gets the ids under which the loop and
the provider will know it:

    ToolCall.id   unique within the run: the server's own, or an invented one where it sent none or one of before
    native id     the server's own, also when an earlier turn had it (providers pair within one turn only); an
                  invented one where it sent none, or the same one twice in this turn: results need distinct ids
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import ChoiceDelta, ChoiceDeltaToolCall

from harness.loop.session import (
    AssistantDelta,
    Delta,
    ProviderTurn,
    StreamFailed,
    ThinkingDelta,
    ToolCall,
    ToolCallDelta,
)
from harness.loop.sessions.shared import answered_by, unique_id
from harness.wire.characters import Pieces, sendable, sendable_value
from harness.wire.lenient import string
from harness.wire.openai_chat.message import REASONING, CallDraft, MessageFold, arguments_text, read_usage, stop_of

_UNNAMED = "unknown_tool"
"""What a call without a name is sent back as: the API refuses an empty name."""


class _ArrivingCall:
    """A call that is arriving, under both of its ids."""

    __slots__ = ("arguments", "draft", "id", "native_id")

    def __init__(self, draft: CallDraft, call_id: str, native_id: str) -> None:
        self.draft = draft
        self.id = call_id
        self.native_id = native_id
        self.arguments = Pieces()

    @property
    def name(self) -> str:
        return sendable(self.draft.name)


class ChatReader:
    """Feed it every chunk of one response, then ask for the turn.

    ``taken`` are the ids of the run's calls so far, and those of this turn are added.
    """

    def __init__(self, taken: set[str]) -> None:
        self._fold = MessageFold()
        self._taken = taken
        self._calls: list[_ArrivingCall] = []
        self._text = Pieces()
        self._thinking = Pieces()
        self._refusal = Pieces()
        self._usage: Any = None
        self._finish_reason: str | None = None
        self._model = ""
        self._created: float | None = None

    def feed(self, event: ChatCompletionChunk) -> list[Delta]:
        """Take one chunk; returns what it adds. SDKs construct leniently: a member may be None, an event no chunk."""
        self._usage = getattr(event, "usage", None) or self._usage
        self._name(event)
        deltas: list[Delta] = []
        choices = getattr(event, "choices", None) or ()
        if not choices and self._usage and self._finish_reason is None and not self._fold.is_empty:
            # The chunk with the usage alone is the last one, and some servers say in no other how the turn ended.
            self._finish_reason = ""
            deltas += self._flush()
        for choice in choices:
            if choice.index:
                continue
            if choice.delta is not None:
                deltas += self._take_delta(choice.delta)
            if choice.finish_reason is not None:
                self._finish_reason = choice.finish_reason
                deltas += self._flush()
        return deltas

    def feed_whole(self, completion: ChatCompletion) -> list[Delta]:
        """Take a response that was not streamed; returns what it says, in the order of a message."""
        self._usage = getattr(completion, "usage", None)
        self._name(completion)
        choices = getattr(completion, "choices", None)
        if not choices:
            error = (completion.model_extra or {}).get("error")
            raise StreamFailed(f"The response has no choices: {error or 'it is empty'}")
        self._finish_reason = choices[0].finish_reason
        message = choices[0].message
        if message is None:
            return []
        native = message.model_dump(warnings=False)
        return [*self._take_words(native), *self._take_whole_calls(native), *self._flush()]

    def finish(self) -> ProviderTurn:
        """The whole turn. Raises ``StreamFailed`` when the response ended before it said why the model stopped."""
        if self._finish_reason is None:
            raise StreamFailed("The stream ended without a finish_reason.")
        if self._finish_reason == "error":
            raise StreamFailed("The provider ended the stream with finish_reason 'error'.")
        parts = self._fold.parts()
        usage = self._usage.model_dump(warnings=False) if self._usage else None
        return ProviderTurn(
            assistant_text=self._text.text,
            tool_calls=tuple(ToolCall(call.id, call.name, call.arguments.text) for call in self._calls),
            assistant_turn=self._native_turn(),
            stop=stop_of(self._finish_reason, parts),
            thinking_text=self._thinking.text,
            refusal=self._refusal.text,
            usage=read_usage(usage),
            model=self._model,
            created=self._created,
        )

    def _name(self, answer: ChatCompletionChunk | ChatCompletion) -> None:
        """Note which model answers, and since when; every chunk says it."""
        if not self._model:
            self._model, self._created = answered_by(answer, "model", "created")

    def _take_delta(self, delta: ChoiceDelta) -> list[Delta]:
        # Most deltas hold one piece of arguments and nothing else, so only what is there is looked at.
        deltas: list[Delta] = []
        if delta.content is not None or delta.refusal or delta.model_extra:
            deltas += self._take_words(
                {**(delta.model_extra or {}), "content": delta.content, "refusal": delta.refusal}
            )
        deltas += map(self._take_fragment, delta.tool_calls or ())
        if delta.function_call:
            deltas += self._take_function_call(delta.function_call.model_dump(warnings=False))
        return deltas

    def _take_words(self, words: dict[str, Any]) -> Iterator[Delta]:
        if piece := self._thinking.push(self._fold.reasoning(words)):
            yield ThinkingDelta(piece)
        for kind, text in self._fold.content(words.get("content")):
            if kind == "thinking":
                if piece := self._thinking.push(text):
                    yield ThinkingDelta(piece)
            elif piece := self._text.push(text):
                yield AssistantDelta(piece)
        if words.get("refusal"):
            self._fold.refusal(words["refusal"])
            self._refusal.push(words["refusal"])

    def _take_fragment(self, fragment: ChoiceDeltaToolCall) -> ToolCallDelta:
        function = fragment.function
        name = (function.name or "") if function else ""
        arguments = arguments_text(function.arguments) if function else ""
        draft = self._fold.fragment(fragment.index, string(fragment.id), name, arguments)
        if fragment.model_extra:
            draft.add(fragment.model_extra)
        return self._call_delta(draft, arguments)

    def _take_whole_calls(self, message: dict[str, Any]) -> Iterator[Delta]:
        for call in message.get("tool_calls") or ():
            draft = self._fold.whole_call(call)
            yield self._call_delta(draft, draft.arguments)
        yield from self._take_function_call(message.get("function_call") or {})

    def _take_function_call(self, call: dict[str, Any]) -> Iterator[Delta]:
        draft = self._fold.function_call(call)
        if draft is not None:
            yield self._call_delta(draft, call.get("arguments") or "")

    def _call_delta(self, draft: CallDraft, arguments: str) -> ToolCallDelta:
        if draft.position == len(self._calls):
            self._calls.append(self._identified(draft))
        call = self._calls[draft.position]
        return ToolCallDelta(call.id, call.name, call.arguments.push(arguments))

    def _identified(self, draft: CallDraft) -> _ArrivingCall:
        provider_id = sendable(draft.id)
        own = {call.id for call in self._calls} | {call.native_id for call in self._calls}
        call_id = unique_id(provider_id, self._taken, "call_{:024}")
        self._taken.add(call_id)
        return _ArrivingCall(draft, call_id, provider_id if provider_id and provider_id not in own else call_id)

    def _flush(self) -> Iterator[Delta]:
        if rest := self._thinking.end():
            yield ThinkingDelta(rest)
        if rest := self._text.end():
            yield AssistantDelta(rest)
        self._refusal.end()
        for call in self._calls:
            if rest := call.arguments.end():
                yield ToolCallDelta(call.id, call.name, rest)

    def _native_turn(self) -> dict[str, Any]:
        """The assistant message as it goes back.

        Reasoning goes back only with calls: then DeepSeek and Kimi require it, otherwise they ignore or refuse it.
        Arguments go back as the raw text, valid JSON or not: the API takes any string.
        """
        message = self._fold.message([call.native_id for call in self._calls])
        for call in message.get("tool_calls", ()):
            body = call.get("function") or call["custom"]
            body["name"] = body["name"] or _UNNAMED
        if not self._calls:
            for name in (*REASONING, "reasoning_details"):
                message.pop(name, None)
            if message["content"] is None and "refusal" not in message:
                message["content"] = ""
        native: dict[str, Any] = sendable_value(message)
        return native
