"""Text that a stream sends in pieces: the same member of successive events, joined.

A key that the model spells letter by letter is in no single event. So the pieces are joined before they are searched,
and findings are mapped back: the first piece with a part of the secret gets the placeholder, the others lose their
part.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from operator import itemgetter
from typing import Any

from harness.ground.json_places import Step, members, offset
from harness.secrets.edits import Edit
from harness.secrets.structure import documents
from harness.secrets.views import unescaped

_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A text in one event: the event's JSON with its offset in the body, and the path to the text in it."""

    text: str
    event: str
    start: int
    path: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class StreamedText:
    """All pieces of one text."""

    pieces: Sequence[TextPiece]

    @property
    def text(self) -> str:
        """The pieces joined to one text."""
        return "".join(piece.text for piece in self.pieces)

    def edits(self, edits: Sequence[Edit]) -> Iterator[Edit]:
        """The edits of the body that correspond to ``edits`` of the joined text."""
        ends = list(accumulate(len(piece.text) for piece in self.pieces))
        for edit in edits:
            replacement = edit.replacement
            index = bisect_right(ends, edit.start)
            while index < len(ends) and (begin := ends[index] - len(self.pieces[index].text)) < edit.end:
                piece = self.pieces[index]
                start, end = max(edit.start - begin, 0), min(edit.end - begin, len(piece.text))
                if start < end:
                    yield _edit_in(piece, start, end, replacement)
                    replacement = ""
                index += 1

    def crossing(self, edits: Sequence[Edit]) -> list[Edit]:
        """The edits that reach over the end of a piece."""
        ends = list(accumulate(len(piece.text) for piece in self.pieces))
        return [edit for edit in edits if bisect_right(ends, edit.start) != bisect_right(ends, edit.end - 1)]


def interleaved(found: Sequence[StreamedText]) -> list[StreamedText]:
    """All texts as one, with their pieces in the order of the events: they may alternate from event to event."""
    if len(found) < 2:
        return []
    pieces = [(piece.start, number, piece) for number, each in enumerate(found) for piece in each.pieces]
    return [StreamedText([piece for *_, piece in sorted(pieces, key=itemgetter(0, 1))])]


def messages(body: str) -> list[StreamedText]:
    """The texts of the messages of a request. Each list of objects in the request's one object becomes one text."""
    if body.lstrip()[:1] != "{":
        return []
    whole = list(documents(body))
    if len(whole) != 1 or whole[0].end - whole[0].start < len(body):
        return []
    found: list[StreamedText] = []
    for name, value in whole[0].value.items():
        if isinstance(value, list) and sum(isinstance(each, dict) for each in value) > 1:
            texts = [each for each in _texts(value, (), (name,)) if each[1][-1] in _TEXT_MEMBERS]
            found.append(StreamedText([TextPiece(text, body, 0, path) for _, path, text in texts]))
    return found


_TEXT_MEMBERS = frozenset({"content", "text", "arguments", "output", "input"})
"""Members that contain what somebody writes."""


def joined_members(body: str) -> list[StreamedText]:
    """Every text of a body that comes in two pieces or more."""
    found: dict[tuple[Any, ...], list[TextPiece]] = {}
    for event, start, value in _events(body):
        kind = (value.get("type"),) if isinstance(value, dict) else ()
        for key, path, text in _texts(value, kind, ()):
            found.setdefault(key, []).append(TextPiece(text, event, start, path))
    # An id that every event repeats comes in no pieces.
    return [StreamedText(pieces) for pieces in found.values() if any(a.text != b.text for a, b in pairwise(pieces))]


def _events(body: str) -> Iterator[tuple[str, int, Any]]:
    """The JSON of each event with its offset and value: the documents of a stream, or the elements of one list."""
    for document in documents(body):
        if isinstance(document.value, list):
            starts = [at for _, at in members(body, document.start)]
            for at, end, value in zip(starts, (*starts[1:], document.end), document.value, strict=True):
                yield body[at:end], at, value
        elif document.end - document.start < len(body):  # one object alone is no stream
            yield body[document.start : document.end], document.start, document.value


def _texts(
    value: Any, key: tuple[Any, ...], path: tuple[Step, ...]
) -> Iterator[tuple[tuple[Any, ...], tuple[Step, ...], str]]:
    """Every text in ``value``, with a key that distinguishes its member from others, and with the path to it.

    An element of a list with its own ``index`` (a choice, a call) is identified by that and not by its place.
    """
    if isinstance(value, str):
        yield key, path, value
    elif isinstance(value, dict):
        own = tuple(number for name, number in value.items() if name.endswith("index") and isinstance(number, int))
        for name, inner in value.items():
            if isinstance(inner, str | dict | list):
                yield from _texts(inner, (*key, *own, name), (*path, name))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            is_numbered = isinstance(inner, dict) and isinstance(inner.get("index"), int)
            yield from _texts(inner, key if is_numbered else (*key, place), (*path, place))


def _edit_in(piece: TextPiece, start: int, end: int, replacement: str) -> Edit:
    """The change of ``start`` to ``end`` of a piece, in the body."""
    at = offset(piece.event, piece.path)
    literal = _STRING.match(piece.event, at or 0)
    if at is None or literal is None:
        raise AssertionError(f"no text at {piece.path}")  # the path was read from this very event
    first = piece.start + literal.start(1)
    if view := unescaped(literal[1]):
        start, end = view.original(start), view.original(end)
    return Edit(first + start, first + end, replacement)
