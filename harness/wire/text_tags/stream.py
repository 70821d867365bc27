"""The protocol's parser. It takes an answer's text, cut anywhere, and returns each piece as soon as it is decided."""

from __future__ import annotations

from typing import Literal

from harness.wire.characters import Pieces
from harness.wire.text_tags.call import TextCall
from harness.wire.text_tags.reader import Reader, ReadPiece
from harness.wire.text_tags.tags import TagLexer


class TextTags:
    """Feed it the text of one answer as it arrives, ``end`` it, then ask for the calls."""

    def __init__(self) -> None:
        self._whole = Pieces()
        self._lexer = TagLexer()
        self._reader = Reader()
        self._text = Trimmed()

    def feed(self, text: str) -> list[ReadPiece]:
        """Take the next piece of text; returns what it adds, never half a tag, a character or an escape."""
        return self._read(self._whole.push(text))

    def end(self) -> list[ReadPiece]:
        """No more text will come: returns what was held back."""
        emitted = self._read(self._whole.end())
        if rest := self._lexer.end():
            self._reader = self._reader.take(rest)
        self._reader = self._reader.end()
        return emitted + self._emit()

    @property
    def raw(self) -> str:
        """All text that was fed, in whole characters. It goes back into the history."""
        return self._whole.text

    @property
    def calls(self) -> tuple[TextCall, ...]:
        """The calls whose blocks have ended, in order."""
        return tuple(self._reader.calls)

    def without(self, kind: Literal["call", "thinking"]) -> str:
        """``raw`` without the calls, or without the thinking, and without white space around it."""
        kept, at = [], 0
        for span in self._reader.spans:
            if span.kind == kind:
                kept.append(self.raw[at : span.start])
                at = span.end
        return "".join([*kept, self.raw[at:]]).strip()

    def _read(self, text: str) -> list[ReadPiece]:
        for token in self._lexer.feed(text):
            self._reader = self._reader.take(token)
        return self._emit()

    def _emit(self) -> list[ReadPiece]:
        if not (pieces := self._reader.pieces):
            return []
        self._reader.pieces = []
        shown = [(what, self._text.push(piece) if what == "text" else piece) for what, piece in pieces]
        return [(what, piece) for what, piece in shown if piece or what != "text"]


class Trimmed:
    """Text emitted piece by piece without the white space around it: white space waits for the text after it."""

    __slots__ = ("_begun", "_blanks")

    def __init__(self) -> None:
        self._begun = False
        self._blanks: list[str] = []

    def push(self, piece: str) -> str:
        """What can be emitted now that ``piece`` has come; possibly nothing."""
        if not self._begun:
            piece = piece.lstrip()
        solid = piece.rstrip()
        emitted = "".join([*self._blanks, solid]) if solid else ""
        if solid:
            self._begun, self._blanks = True, []
        if self._begun:
            self._blanks.append(piece[len(solid) :])
        return emitted


def parse_tool_calls(text: str) -> tuple[TextCall, ...]:
    """Every call in ``text``, in order, even calls that cannot be run; calls inside thinking do not count."""
    return _read(text).calls


def strip_thinking(text: str) -> str:
    """``text`` without ``<think>...</think>`` (or to the end, if it is not closed), trimmed.

    A tag inside a string of a call belongs to the call.
    """
    return _read(text).without("thinking")


def strip_tool_calls(text: str) -> str:
    """``text`` without its calls, whole or not, in all three forms, and without end tags that end nothing; trimmed."""
    return _read(text).without("call")


def _read(text: str) -> TextTags:
    parser = TextTags()
    parser.feed(text)
    parser.end()
    return parser
