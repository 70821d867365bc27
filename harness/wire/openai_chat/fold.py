"""The fold of a Chat response: the chunks of a stream, or a whole completion, of OpenAI and compatible servers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from harness.wire.arrival import STRING
from harness.wire.base import Reply
from harness.wire.fold import MALFORMED, ArrivingPart, Growth, arrivals_of
from harness.wire.lenient import Json, string
from harness.wire.openai_chat.errors import read_stream_error
from harness.wire.openai_chat.message import CallDraft, MessageFold, arguments_text, read_usage, stop_of
from harness.wire.turn import StreamError, Turn

_FAILED: Final = StreamError("server_error", "The provider ended the stream with finish_reason 'error'.")
"""OpenRouter's error for a model that failed in the middle of its answer."""


class ChatFold:
    """The content of the chunks of a response so far (``Fold``). Only the first choice is read."""

    unfinished = "The stream ended without a finish_reason."

    def __init__(self) -> None:
        self.problem = ""
        self.model = ""
        self.created: Any = None
        self._message = MessageFold()
        self._verbatim: Json | None = None
        self._error: StreamError | None = None
        self._id = ""
        self._finish_reason: str | None = None
        self._usage: Json | None = None
        self._texts = {"thinking": ArrivingPart("thinking"), "text": ArrivingPart("text")}

    def feed(self, event: Json) -> Sequence[Growth]:
        """``Fold.feed``."""
        try:
            return self._take(event)
        except MALFORMED as error:
            self.problem = f"The chunk cannot be read: {error!r}"
            return ()

    def feed_whole(self, document: Json) -> Sequence[Growth]:
        """``Fold.feed_whole``."""
        if not document.get("choices"):
            self.problem = f"The response has no choices: {document.get('error') or 'it is empty'}"
        try:
            return list(self._take_whole(document))
        except MALFORMED as error:
            self.problem = f"The response cannot be read: {error!r}"
            return ()

    def reply(self) -> Reply:
        """``Fold.reply``."""
        parts = self._message.parts()
        complete = self._finish_reason is not None and self._error is None
        turn = Turn(
            parts=parts,
            stop=stop_of(self._finish_reason, parts),
            usage=read_usage(self._usage),
            error=self._error,
            ending="complete" if complete or self._error else "eof",
        )
        message = self._verbatim or (None if self._message.is_empty else self._message.message())
        return Reply("openai-chat", self._id, self.model, (message,) if message else (), turn, complete)

    def _take(self, chunk: Json) -> list[Growth]:
        self._head(chunk)
        growths: list[Growth] = []
        choices = chunk.get("choices") or ()
        for choice in choices:
            if not choice.get("index"):
                growths += self._delta(choice.get("delta") or {})
                if choice.get("finish_reason") is not None:
                    growths += self._finish(choice["finish_reason"])
        if not choices and chunk.get("usage") and self._finish_reason is None and not self._message.is_empty:
            # The chunk with the usage alone is the last one. Snowflake and gpt-audio send no finish reason before it:
            # nothing says why the model has stopped.
            growths += self._finish("")
        return growths

    def _take_whole(self, completion: Json) -> Iterator[Growth]:
        self._head(completion)
        for choice in completion.get("choices") or ():
            if not choice.get("index"):
                message = choice.get("message") or {}
                self._verbatim = message or None
                yield from self._words(message)
                for call in message.get("tool_calls") or ():
                    draft = self._message.whole_call(call)
                    yield _grown(draft, draft.arguments)
                if choice.get("finish_reason") is not None:
                    yield from self._finish(choice["finish_reason"])

    def _head(self, document: Json) -> None:
        """Take the members outside of ``choices`` that chunks and completions share."""
        if not self._id:
            self._id = document.get("id") or ""
        if not self.model:
            self.model, self.created = document.get("model") or "", document.get("created")
        if usage := document.get("usage"):
            self._usage = usage
        if document.get("error"):
            self._error = self._error or read_stream_error(document["error"])

    def _delta(self, delta: Json) -> list[Growth]:
        fragments = delta.get("tool_calls") or ()
        growths = [] if fragments and len(delta) == 1 else self._words(delta)
        for fragment in fragments:
            function = fragment.get("function") or {}
            name, text = function.get("name") or "", arguments_text(function.get("arguments"))
            draft = self._message.fragment(fragment.get("index"), string(fragment.get("id")), name, text)
            draft.add(fragment)
            growths.append(_grown(draft, text))
        return growths

    def _words(self, words: Json) -> list[Growth]:
        growths: list[Growth] = []
        content = words.get("content")
        is_content_alone = content is not None and len(words) == 1  # most deltas are that
        if not is_content_alone and (thought := self._message.reasoning(words)):
            growths.append((self._texts["thinking"], thought))
        if content is not None:
            growths += [(self._texts[kind], text) for kind, text in self._message.content(content)]
        if is_content_alone:
            return growths
        if refusal := words.get("refusal"):
            self._message.refusal(refusal)
        if (function_call := words.get("function_call")) and (draft := self._message.function_call(function_call)):
            growths.append(_grown(draft, function_call.get("arguments") or ""))
        return growths

    def _finish(self, reason: str) -> list[Growth]:
        self._finish_reason = reason
        if reason == "error":
            self._error = self._error or _FAILED
        ending = [*self._texts.values(), *(draft.part for draft in self._message.calls)]
        return [(part, None) for part in ending]


def _grown(draft: CallDraft, text: str) -> Growth:
    part = draft.part
    part.id = part.id or draft.id
    if part.name != draft.name:
        part.name, part.make_delta = draft.name, None
    return part, text


arrivals = arrivals_of(ChatFold, re.compile(rb'"arguments":\s*' + STRING))
"""``Wire.arrivals``."""
