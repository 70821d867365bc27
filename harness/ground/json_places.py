"""Where a value stands in JSON text: offsets found by reading the text again, never guessed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

Step = str | int
"""One step into a value: the name of a member, or the index of an element."""

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]')


def members(text: str, at: int) -> Iterator[tuple[Step, int]]:
    """The members or elements of the value at an offset, each with the offset of its own value.

    ``text`` must be valid JSON. A member that stands there twice comes twice; a value of another kind has none.
    """
    at = _past_space(text, at)
    opening = text[at : at + 1]
    if opening not in ("{", "["):
        return
    at, index = _past_space(text, at + 1), 0
    while text[at] not in "}]":
        step: Step = index
        if opening == "{":
            step, at = _DECODER.raw_decode(text, at)
            at = _past_space(text, _past_space(text, at) + 1)  # the colon
        yield step, at
        _, at = _DECODER.raw_decode(text, at)
        at = _past_space(text, at)
        if text[at] == ",":
            at = _past_space(text, at + 1)
        index += 1


def offset(text: str, path: Sequence[Step]) -> int | None:
    """Where the value stands to which ``path`` leads from the top; None where it leads nowhere."""
    at = _past_space(text, 0)
    for wanted in path:
        found = [place for step, place in members(text, at) if step == wanted]
        if not found:
            return None
        at = found[-1]  # of a member that stands there twice, every reader takes the last
    return at


def repeated(text: str) -> int | None:
    """Where the first name stands that its object has already; None where there is none.

    ``text`` must be valid JSON.
    """
    open_values: list[set[str] | None] = []  # the names of each open object so far; None for a list
    name_is_next = False
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark[0] == '"' and name_is_next and open_values[-1] is not None:
            name = json.loads(mark)
            if name in open_values[-1]:
                return token.start()
            open_values[-1].add(name)
        elif mark in ("{", "["):
            open_values.append(set() if mark == "{" else None)
        elif mark in ("}", "]"):
            open_values.pop()
        name_is_next = mark == "{" or (mark == "," and bool(open_values) and open_values[-1] is not None)
    return None


def line_starts(text: str) -> list[int]:
    """The offset at which each line begins."""
    return [0, *(end.end() for end in re.finditer("\n", text))]


def _past_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
