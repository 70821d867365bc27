"""A turn, folded from the SDK's response objects without I/O."""

from __future__ import annotations

from typing import Any, NamedTuple

from google.genai import types

from harness.loop.session import (
    AssistantDelta,
    Delta,
    ModelFile,
    ProviderTurn,
    StreamFailed,
    ThinkingDelta,
    ToolCall,
    ToolCallDelta,
)
from harness.loop.sessions.gemini_generate.native import call_part, other_part, piece_of_call, text_part
from harness.loop.sessions.shared import answered_by, unique_id
from harness.wire import FinishReason, Usage
from harness.wire.base import Json
from harness.wire.characters import Pieces
from harness.wire.gemini_generate.finish import CONTINUATION, outcome
from harness.wire.gemini_generate.parts import arguments_text, begins_call, is_streamed_call
from harness.wire.gemini_generate.streamed_calls import StreamedCall

_UNNAMED = "unknown_tool"
"""The API refuses a call or response without a name (GEM-11), so a call without a name gets this one."""

_TEXT, _THOUGHT = types.Part(), types.Part(thought=True)
"""Empty parts, to which half a character may belong."""


class _Streaming(NamedTuple):
    """A call with streamed arguments, the part with its first piece, and its place among the parts."""

    call: StreamedCall
    part: types.Part
    place: int


class GenerateReader:
    """Takes the chunks of one response and returns deltas, then the turn.

    ``taken`` are the ids of the run's calls so far; the ids of this turn are added to it. A call without an id, or with
    an id that was used before, gets an invented ``ToolCall.id`` and goes back unchanged.
    """

    def __init__(self, taken: set[str]) -> None:
        self._call_ids = taken
        self._parts: list[dict[str, Any]] = []
        self._text = Pieces()
        self._thinking = Pieces()
        self._calls: list[ToolCall] = []
        self._streaming: _Streaming | None = None
        self._usage: types.GenerateContentResponseUsageMetadata | None = None
        self._finish: str | None = None
        self._blocked = ""
        self._model = ""
        self._files: list[ModelFile] = []

    def feed(self, chunk: types.GenerateContentResponse) -> list[Delta]:
        """The deltas of one chunk. A call with streamed arguments is emitted when it ends."""
        self._usage = chunk.usage_metadata or self._usage
        if chunk.prompt_feedback and chunk.prompt_feedback.block_reason:
            self._blocked = chunk.prompt_feedback.block_reason.value
        self._model = self._model or answered_by(chunk, "model_version")[0]
        deltas: list[Delta] = []
        for candidate in chunk.candidates or ():
            if candidate.index:
                continue
            for part in (candidate.content and candidate.content.parts) or ():
                deltas.extend(self._part(part))
            if candidate.finish_reason:
                self._finish = candidate.finish_reason.value
        return deltas

    def end(self) -> list[Delta]:
        """The deltas that were held back, at the end of the response. Servers may send a finish reason in every chunk.

        Raises ``StreamFailed`` for a response that did not end, or that goes on in another request.
        """
        if not self._blocked and self._finish in (None, CONTINUATION):
            raise StreamFailed("the stream ended without a finish reason")
        return [*self._release_half(), *self._end_call()]

    def finish(self) -> ProviderTurn:
        """The whole turn, once ``end`` was called.

        Raises ``StreamFailed`` if the finish reason means that the response is unusable (a malformed call).
        """
        # The SDK leaves the words beside a finish reason (finishMessage) out of what the Gemini API sends.
        stop, failure = outcome(self._finish, "", bool(self._calls))
        if failure:
            raise StreamFailed(f"the model gave no usable turn: {failure.message}")
        return ProviderTurn(
            assistant_text=self._text.text,
            tool_calls=tuple(self._calls),
            assistant_turn={"role": "model", "parts": self._parts},
            stop=FinishReason.CONTENT_FILTER if self._blocked else stop,
            thinking_text=self._thinking.text,
            usage=_usage(self._usage),
            files=tuple(self._files),
            model=self._model,
        )

    def _part(self, part: types.Part) -> list[Delta]:
        if part.function_call is not None:
            return [*self._release_half(), *self._call(part, piece_of_call(part.function_call))]
        if part.text is not None:
            return self._piece(part, part.text)
        deltas = self._release_half()
        self._parts.append(other_part(part))
        if part.inline_data is not None and part.inline_data.data and not part.thought:
            self._files.append(ModelFile(part.inline_data.mime_type or "", part.inline_data.data))
        return deltas

    def _piece(self, part: types.Part, text: str) -> list[Delta]:
        """A piece of text or thinking; half a surrogate pair at its end waits for the next piece.

        Many streams end with a part with an empty text. It does not go back, because Vertex AI refuses it.
        """
        if part.thought:
            return [*self._deltas(_TEXT, self._text.end()), *self._deltas(part, self._thinking.push(text))]
        return [*self._deltas(_THOUGHT, self._thinking.end()), *self._deltas(part, self._text.push(text))]

    def _release_half(self) -> list[Delta]:
        return [*self._deltas(_THOUGHT, self._thinking.end()), *self._deltas(_TEXT, self._text.end())]

    def _deltas(self, part: types.Part, text: str) -> list[Delta]:
        if text or part.thought_signature:
            self._parts.append(text_part(text, part))
        if not text:
            return []
        return [ThinkingDelta(text) if part.thought else AssistantDelta(text)]

    def _call(self, part: types.Part, piece: Json) -> list[Delta]:
        """Take a whole call, or a piece of one. A piece without a call adds nothing."""
        if begins_call(piece):
            return [*self._end_call(), *self._begin_call(part, piece)]
        if self._streaming is None:
            return []
        self._streaming.call.add(piece)
        return self._end_call() if self._streaming.call.ended else []

    def _begin_call(self, part: types.Part, piece: Json) -> list[Delta]:
        place = len(self._parts)
        self._parts.append({})
        if not is_streamed_call(piece):
            return [self._made(piece, part, place)]
        self._streaming = _Streaming(StreamedCall(piece), part, place)
        return self._end_call() if self._streaming.call.ended else []

    def _end_call(self) -> list[Delta]:
        """End the call with streamed arguments, if there is one. It may be incomplete if its end did not arrive."""
        if self._streaming is None:
            return []
        (streamed, part, place), self._streaming = self._streaming, None
        return [self._made(streamed.call, part, place)]

    def _made(self, call: Json, part: types.Part, place: int) -> Delta:
        name = call.get("name") or _UNNAMED
        self._parts[place] = call_part(name, call.get("args"), part)
        made = ToolCall(self._unique_id(call.get("id")), name, arguments_text(call))
        self._calls.append(made)
        return ToolCallDelta(made.id, made.name, made.arguments)

    def _unique_id(self, provider_id: str | None) -> str:
        call_id = unique_id(provider_id, self._call_ids, "call-{}")
        self._call_ids.add(call_id)
        return call_id


def _usage(spent: types.GenerateContentResponseUsageMetadata | None) -> Usage:
    if spent is None:
        return Usage(input=0, output=0)
    thoughts = spent.thoughts_token_count or 0
    return Usage(
        input=(spent.prompt_token_count or 0) + (spent.tool_use_prompt_token_count or 0),
        output=(spent.candidates_token_count or 0) + thoughts,
        reasoning=thoughts,
        cached=spent.cached_content_token_count or 0,
    )
