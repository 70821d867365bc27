"""The reader of the whole text: it separates text for the user, thinking and calls.

A tag inside a string of a call is only text, so a block ends where its JSON ends. But a model may also forget the quote
that ends a string, and then everything after it, even later calls, would be swallowed. Which of the two happened is
known only later. So at the first tag inside a string a second reader starts, which reads as if the block had ended
there. If the block turns out to be whole JSON, a call or not, the second reader is dropped. If the block breaks, the
second reader continues with all that it has read. Nothing is read again.

There are never more than two. The second reader's own block began inside a string of the first, so at every quote
one of them enters a string and the other leaves one; a tag decides the fate of the one that is in none.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Literal

from harness.wire.text_tags.call import BlockReader, NewArguments, TextCall
from harness.wire.text_tags.tags import END_OF, ENDS, Tag

ReadPiece = tuple[Literal["text", "thinking"] | TextCall, str]
"""A piece of text, of thinking, or of a call's arguments."""


@dataclass(frozen=True, slots=True)
class Span:
    """The place of a call block, of thinking, or of a tag without its other half in the text; ``end`` is after it."""

    kind: Literal["call", "thinking"]
    start: int
    end: int


class _In(Enum):
    TEXT = auto()
    THINKING = auto()
    CALL = auto()
    NO_CALL = auto()  # a block that is known to be no call, until the next tag


class Reader:
    """Reads tokens from ``origin``, a place in the text outside of calls and thinking.

    ``pieces``, ``calls`` and ``spans`` grow; ``calls`` gets each call when its block ends.
    """

    __slots__ = ("_at", "_block", "_in", "_second", "_start", "calls", "origin", "pieces", "spans")

    def __init__(self, origin: int = 0) -> None:
        self.origin = origin
        self.pieces: list[ReadPiece] = []
        self.calls: list[TextCall] = []
        self.spans: list[Span] = []
        self._in = _In.TEXT
        self._at = origin
        self._start = origin  # of the open block or thinking
        self._block = BlockReader(Tag.CALL)
        self._second: Reader | None = None

    def take(self, token: Tag | str) -> Reader:
        """Read one token; returns the reader for the next one."""
        if self._in is _In.CALL:
            return self._take_in_call(token)
        if self._in is _In.NO_CALL:
            self._take_in_no_call(token)
        elif self._in is _In.THINKING:
            self._take_in_thinking(token)
        else:
            self._take_outside(token)
        return self

    def end(self) -> Reader:
        """No more text will come. Returns the reader that has read it all."""
        if self._in is _In.CALL and self._second:
            return self._hand_over(self._second).end()
        if self._in in (_In.CALL, _In.NO_CALL):
            self._end_no_call(self._at)
        elif self._in is _In.THINKING:
            self.spans.append(Span("thinking", self._start, self._at))
        return self

    # --- outside of calls -------------------------------------------------------------------------------

    def _take_outside(self, token: Tag | str) -> None:
        start = self._at
        self._at += len(token)
        if token is Tag.THINK:
            self._in, self._start = _In.THINKING, start
        elif isinstance(token, Tag) and token in END_OF:
            self._in, self._start, self._block = _In.CALL, start, BlockReader(token)
        elif token in ENDS:
            self.spans.append(Span("call", start, self._at))
        else:
            self.pieces.append(("text", str(token)))

    def _take_in_thinking(self, token: Tag | str) -> None:
        self._at += len(token)
        if token is Tag.THINK_END:
            self._in = _In.TEXT
            self.spans.append(Span("thinking", self._start, self._at))
        else:
            self.pieces.append(("thinking", str(token)))

    # --- in a call --------------------------------------------------------------------------------------

    def _take_in_call(self, token: Tag | str) -> Reader:
        block = self._block
        if isinstance(token, Tag) and not block.in_string:
            return self._close(token)
        self._say(block.feed(token))
        if block.problem:
            return self._break(token)
        self._at += len(token)
        if self._second:
            self._second = self._second.take(token)
        elif isinstance(token, Tag) and token is not Tag.THINK_END:
            block.seal()
            self._second = _reader_behind(self._at, token)
        block.keep(token)
        return self

    def _close(self, tag: Tag) -> Reader:
        self._say(self._block.close(tag))
        if self._block.whole:
            self._second = None
        if self._block.problem:
            return self._break(tag)
        self._at += len(tag)
        self._end_block(self._at)
        return self

    def _break(self, token: Tag | str) -> Reader:
        """``token`` shows that the block is no call. The second reader has not read this token yet."""
        if self._second:
            return self._hand_over(self._second).take(token)
        self._in = _In.NO_CALL
        self._take_in_no_call(token)
        return self

    def _take_in_no_call(self, token: Tag | str) -> None:
        if not isinstance(token, Tag) or token is Tag.THINK_END:
            self._block.keep(token)
            self._at += len(token)
        elif token in ENDS:
            self._at += len(token)
            self._end_no_call(self._at)
        else:
            self._end_no_call(self._at)
            self._take_outside(token)

    def _end_no_call(self, end: int) -> None:
        self._say(self._block.give_up())
        self._end_block(end)

    def _end_block(self, end: int) -> None:
        self._in = _In.TEXT
        if self._block.call:
            self.calls.append(self._block.call)
        self.spans.append(Span("call", self._start, end))

    def _hand_over(self, second: Reader) -> Reader:
        self._end_no_call(second.origin)
        self.pieces += second.pieces
        self.calls += second.calls
        self.spans += second.spans
        second.pieces, second.calls, second.spans = self.pieces, self.calls, self.spans
        return second

    def _say(self, emitted: NewArguments) -> None:
        self.pieces += emitted


def _reader_behind(at: int, tag: Tag) -> Reader:
    """A reader that takes ``tag``, which ends before ``at``, for the end of the block or the beginning of the next."""
    if tag in ENDS:
        return Reader(at)
    return Reader(at - len(tag)).take(tag)
