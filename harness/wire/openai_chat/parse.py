"""Chat response bodies read back: streams of chunks and whole completions, of OpenAI and compatible servers."""

from __future__ import annotations

from typing import Any

from harness.ground.bounded_json import loads
from harness.wire.base import Json, Reply
from harness.wire.lenient import string
from harness.wire.openai_chat.errors import read_stream_error
from harness.wire.openai_chat.message import MessageFold, arguments_text, read_usage, stop_of
from harness.wire.sse import SseParser
from harness.wire.turn import StreamError, Turn
from harness.wire.wrong_shapes import refusing_wrong_shapes

_STREAM_LINES = (b"data:", b"event:", b"id:", b"retry:", b":")


def begins_answer(document: Json) -> bool:
    """Whether a JSON object is a whole completion or a chunk of one."""
    is_named = document.get("object") in ("chat.completion", "chat.completion.chunk")
    return is_named and isinstance(document.get("choices"), list)


@refusing_wrong_shapes
def parse(content_type: str, body: bytes) -> Reply:
    """Read a response body. Raises ``ValueError`` when it is neither a stream of chunks nor a completion.

    The content type decides only where the bytes do not: gateways send errors as JSON under the type of a stream.
    """
    start = body.lstrip()
    if start[:1] in (b"{", b"["):
        return _parse_document(body)
    if start.startswith(_STREAM_LINES) or "event-stream" in content_type:
        return _parse_stream(body)
    if start:
        raise ValueError(f"not a chat completion: {start[:60]!r}")
    return _ReceivedResponse().reply()


class _ReceivedResponse:
    """What has been read of one response."""

    def __init__(self) -> None:
        self.fold = MessageFold()
        self.verbatim: Json | None = None
        self.error: StreamError | None = None
        self._id = ""
        self._model = ""
        self._finish_reason: str | None = None
        self._usage: Json | None = None

    def head(self, document: Json) -> None:
        """Take the members that chunks and completions have in common, outside of ``choices``."""
        self._id = self._id or document.get("id") or ""
        self._model = self._model or document.get("model") or ""
        self._usage = document.get("usage") or self._usage
        if document.get("error"):
            self.error = self.error or read_stream_error(document["error"])

    def finish(self, choice: Json) -> None:
        if choice.get("finish_reason") is not None:
            self._finish_reason = choice["finish_reason"]
        if self._finish_reason == "error":  # OpenRouter's word for a model that failed in the middle of its answer
            self.error = self.error or StreamError("server_error", "The provider ended the answer with 'error'.")

    def done(self) -> None:
        """Take the chunk with the usage alone, which is the last one.

        Snowflake and gpt-audio send it without a finish reason before: nothing says why the model has stopped.
        """
        if self._finish_reason is None and not self.fold.is_empty:
            self._finish_reason = ""

    def reply(self) -> Reply:
        parts = self.fold.parts()
        complete = self._finish_reason is not None and self.error is None
        turn = Turn(
            parts=parts,
            stop=stop_of(self._finish_reason, parts),
            usage=read_usage(self._usage),
            error=self.error,
            ending="complete" if complete or self.error else "eof",
        )
        message = self.verbatim or (None if self.fold.is_empty else self.fold.message())
        items = (message,) if message else ()
        return Reply("openai-chat", self._id, self._model, items, turn, complete)


def _parse_stream(body: bytes) -> Reply:
    received = _ReceivedResponse()
    for event in SseParser().feed(body):
        if event.data.startswith("[DONE]"):
            break
        chunk = loads(event.data)
        if not isinstance(chunk, dict):
            raise ValueError(f"not a chunk: {event.data[:60]!r}")
        received.head(chunk)
        for choice in chunk.get("choices") or ():
            if not choice.get("index"):
                _take_delta(received.fold, choice.get("delta") or {})
                received.finish(choice)
        if chunk.get("usage") and not chunk.get("choices"):
            received.done()
    return received.reply()


def _take_delta(fold: MessageFold, delta: Json) -> None:
    _take_words(fold, delta)
    for fragment in delta.get("tool_calls") or ():
        function = fragment.get("function") or {}
        name, arguments = function.get("name") or "", arguments_text(function.get("arguments"))
        fold.fragment(fragment.get("index"), string(fragment.get("id")), name, arguments).add(fragment)


def _take_words(fold: MessageFold, words: Json) -> None:
    fold.reasoning(words)
    for _ in fold.content(words.get("content")):
        pass
    if words.get("refusal"):
        fold.refusal(words["refusal"])
    if words.get("function_call"):
        fold.function_call(words["function_call"])


def _parse_document(body: bytes) -> Reply:
    received = _ReceivedResponse()
    document = _load(body)
    if document is None:
        return received.reply()
    if "choices" not in document and "error" not in document:
        raise ValueError(f"neither choices nor error in {body[:60]!r}")
    received.head(document)
    for choice in document.get("choices") or ():
        if not choice.get("index"):
            message = choice.get("message") or {}
            received.verbatim = message or None
            _take_words(received.fold, message)
            for call in message.get("tool_calls") or ():
                received.fold.whole_call(call)
            received.finish(choice)
    return received.reply()


def _load(body: bytes) -> Json | None:
    """The document; None when it was cut. Gemini's compatible endpoint wraps errors in a list."""
    try:
        document: Any = loads(body)
    except ValueError:
        return None
    if isinstance(document, list) and document:
        document = document[0]
    if not isinstance(document, dict):
        raise ValueError(f"not a chat completion: {body[:60]!r}")
    return document
