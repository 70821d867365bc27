"""The fold of a Gemini answer: its parts from the chunks of a stream, or from one response, which has the same form.

A call comes in one chunk, unless its arguments are streamed (``partialArgs``, Vertex only).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from harness.wire.base import Reply
from harness.wire.fold import MALFORMED, ArrivingPart, Growth, Kind, arrivals_of
from harness.wire.gemini_generate.finish import CONTINUATION, outcome, read_error, usage
from harness.wire.gemini_generate.parts import (
    arguments_text,
    begins_call,
    carries_nothing,
    is_streamed_call,
    normal_part,
    signature_bytes,
    spoken,
)
from harness.wire.gemini_generate.streamed_calls import StreamedCall
from harness.wire.lenient import Json, string
from harness.wire.turn import Call, FinishReason, StreamError, Turn

_SHOWN: Final = 200
"""Characters of what cannot be read that a message shows."""


class GenerateFold:
    """The content of the chunks of an answer so far (``Fold``). Only the first candidate is read."""

    unfinished = "the stream ended without a finish reason"

    def __init__(self) -> None:
        self.problem = ""
        self.error: StreamError | None = None
        self.finish: str | int | None = None
        self._message = ""
        self._blocked = False
        self._id = self._model = ""
        self._counts: Json | None = None
        self._items: list[Json] = []
        self._streamed: dict[int, StreamedCall] = {}
        """Calls with streamed arguments, by the place of their first piece among the items."""
        self._places: list[int] = []
        """The place of each call among the items."""
        self._words: ArrivingPart | None = None
        self._call: tuple[ArrivingPart, StreamedCall] | None = None

    def feed(self, event: Json) -> Sequence[Growth]:
        """``Fold.feed``."""
        try:
            return self.take(event)
        except MALFORMED:
            self.problem = f"the response cannot be read: {str(event)[:_SHOWN]}"
            return ()

    feed_whole = feed

    def take(self, chunk: Json) -> list[Growth]:
        """Take a chunk, or a whole response. Raises one of ``MALFORMED`` for one that has another shape."""
        if chunk.get("error"):
            self.error = read_error(chunk["error"])
            return []
        self._id = chunk.get("responseId") or self._id
        self._model = chunk.get("modelVersion") or self._model
        self._counts = chunk.get("usageMetadata") or self._counts
        self._blocked = self._blocked or bool((chunk.get("promptFeedback") or {}).get("blockReason"))
        growths: list[Growth] = []
        for candidate in chunk.get("candidates") or ():
            if not candidate.get("index"):
                growths += self._parts((candidate.get("content") or {}).get("parts") or ())
                self.finish = candidate.get("finishReason") or self.finish
                self._message = candidate.get("finishMessage") or self._message
        return growths

    def end(self) -> Sequence[Growth]:
        """The ends of the parts that end with the answer. No chunk says that it is the last: servers may send a finish
        reason with each."""
        return [*self._end_words(), *self._end_call()] if self._complete else ()

    def reply(self) -> Reply:
        """``Fold.reply``. Its items can go back: streamed calls are whole, empty unsigned text parts are left out."""
        for place, each in self._streamed.items():
            self._items[place] = {**self._items[place], "functionCall": each.call}
        parts = spoken(self._items)
        stop, failure = outcome(self.finish, self._message, any(isinstance(part, Call) for part in parts))
        complete = self._complete
        turn = Turn(
            parts=parts,
            stop=FinishReason.CONTENT_FILTER if self._blocked else stop,
            usage=usage(self._counts),
            error=self.error or failure,
            ending="complete" if complete or self.error else "eof",
        )
        return Reply("gemini-generate", self._id, self._model, tuple(self._items), turn, complete)

    def arguments(self, number: int) -> str:
        """The arguments of a call, once it has ended."""
        place = self._places[number]
        streamed = self._streamed.get(place)
        return arguments_text(self._items[place]["functionCall"] if streamed is None else streamed.call)

    @property
    def _complete(self) -> bool:
        return self.error is None and (self._blocked or self.finish not in (None, CONTINUATION))

    def _parts(self, parts: Iterable[Json]) -> list[Growth]:
        growths: list[Growth] = []
        for part in parts:
            text, words = part.get("text"), self._words
            if words and words.kind == "text" and len(part) == 1 and text and isinstance(text, str):
                self._items.append(part)  # nearly all parts go on with a text
                growths.append((words, text))
            else:
                growths += self._part(normal_part(part))
        return growths

    def _part(self, part: Json) -> Sequence[Growth]:
        """Take a part. What the SDK refuses is a problem, but is kept."""
        text, call = part.get("text"), part.get("functionCall")
        signature = string(part.get("thoughtSignature"))
        if signature and signature_bytes(signature) is None:
            self.problem = f"a thoughtSignature is no base64: {signature[:40]!r}"
        if isinstance(text, str) and call is None:
            if carries_nothing(part):
                return ()
            growths = self._add_words(part, text, "thinking" if part.get("thought") else "text")
            return [*growths, *self._end_words()] if signature else growths
        if isinstance(call, dict) and text is None:
            return self._add_call(part, call)
        if text is not None or call is not None:
            self.problem = f"a part cannot be read: {str(part)[:_SHOWN]}"
        self._items.append(part)
        return self._end_words()

    def _add_words(self, part: Json, text: str, kind: Kind) -> Sequence[Growth]:
        self._items.append(part)
        words = self._words
        if words is not None and words.kind == kind:
            return ((words, text),)
        before = self._end_words()
        self._words = ArrivingPart(kind)
        return [*before, (self._words, text)]

    def _add_call(self, part: Json, call: Json) -> Sequence[Growth]:
        """Take a call or a piece of one. A piece without a call is left out."""
        if not begins_call(call):
            return self._grow_call(call)
        if not isinstance(call.get("args") or {}, dict):
            self.problem = f"the arguments of a call are no object: {str(call['args'])[:40]}"
        before = [*self._end_words(), *self._end_call()]
        arriving = ArrivingPart("call", len(self._places), call.get("id"), string(call.get("name")))
        self._places.append(len(self._items))
        self._items.append(part)
        if not is_streamed_call(call):
            return [*before, (arriving, None)]
        streamed = self._streamed[self._places[-1]] = StreamedCall(call)
        self._call = arriving, streamed
        return [*before, *self._grow_call(call, "{")]

    def _grow_call(self, piece: Json, opened: str = "") -> Sequence[Growth]:
        if self._call is None:
            return ()
        part, streamed = self._call
        added = (part, opened + streamed.add(piece))
        return [added, *self._end_call()] if streamed.ended else [added]

    def _end_words(self) -> Sequence[Growth]:
        words, self._words = self._words, None
        return () if words is None else ((words, None),)

    def _end_call(self) -> Sequence[Growth]:
        """The end of the call with streamed arguments, if there is one; they may not all have come."""
        if self._call is None:
            return ()
        (part, _), self._call = self._call, None
        return ((part, None),)


arrivals = arrivals_of(GenerateFold)
"""``Wire.arrivals``. Calls come in one piece. Of streamed arguments, which come as values, it is known what each piece
adds to the text only if the values come in the order of the text."""
