"""JSON out of a file that somebody pasted something into: read strictly, with the place of what is wrong."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Final

from harness.errors import BadInput
from harness.ground.json_places import Step, line_starts, members, offset
from harness.wire.json_text import strict

MOST_BYTES: Final = 64 * 1024 * 1024
_SHOWN: Final = 30
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?(?:NaN|Infinity)\b|-?\d[\d.eE+-]*')


def decoded(name: str, content: bytes) -> str:
    """The text of a file. Raises ``BadInput`` when it is empty, too long, or no UTF-8."""
    if len(content) > MOST_BYTES:
        raise BadInput(f"{name}: is too long; requests of up to {MOST_BYTES >> 20} MB are read")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        hint = "; it seems to be UTF-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
        byte = content[error.start]
        raise BadInput(f"{name}:{line}: expected JSON in UTF-8, got the byte 0x{byte:02x}{hint}") from error
    if not text.strip():
        raise BadInput(f"{name}: is empty; expected the JSON body of a request")
    return text


class JsonFile:
    """A JSON text with the places of what it holds. Raises ``BadInput`` when it is none."""

    def __init__(self, name: str, text: str) -> None:
        self._name = name
        self._text = text
        self._known: dict[int, dict[Step, int]] = {}
        self.value = self._read()

    def line(self, path: Sequence[Step]) -> int | None:
        """The line, from 1, of the value to which ``path`` leads; None where it leads nowhere."""
        at = offset(self._text, ())
        for step in path:
            at = None if at is None else self._places(at).get(step)
        return None if at is None else self._line_at(at)

    @cached_property
    def repeated(self) -> tuple[tuple[str, int], ...]:
        """Members that stand twice in their object, each with the line of the second."""
        return tuple(self._repeated_members(0))

    @property
    def is_one_line(self) -> bool:
        """Whether the text has one line only, so that line numbers are of no use."""
        return "\n" not in self._text.strip()

    def _read(self) -> Any:
        try:
            return strict(self._text)
        except json.JSONDecodeError as error:
            found = repr(self._text[error.pos : error.pos + _SHOWN]) if error.pos < len(self._text) else "the end"
            place = f"{self._name}:{error.lineno}:{error.colno}"
            raise BadInput(f"{place}: expected the JSON body of a request: {error.msg}, at {found}") from error
        except RecursionError as error:
            raise BadInput(f"{self._name}: is nested too deeply for a request") from error
        except ValueError as error:
            raise BadInput(self._number_problem(error)) from error

    def _number_problem(self, error: ValueError) -> str:
        """JSON has no NaN and no Infinity, and a number that Python cannot hold is read by no provider either."""
        for token in _TOKEN.finditer(self._text):
            if token[0][0] != '"' and not _is_number(token[0]):
                line = self._line_at(token.start())
                column = token.start() - self._starts[line - 1] + 1
                return f"{self._name}:{line}:{column}: expected a number that JSON can say, got {token[0]:.{_SHOWN}}"
        return f"{self._name}: expected JSON: {error}"

    def _places(self, at: int) -> dict[Step, int]:
        """Where the members of the value at an offset stand; read once, however many findings ask for them."""
        if at not in self._known:
            self._known[at] = dict(members(self._text, at))
        return self._known[at]

    @cached_property
    def _starts(self) -> list[int]:
        return line_starts(self._text)

    def _line_at(self, at: int) -> int:
        return bisect_right(self._starts, at)

    def _repeated_members(self, at: int) -> Iterator[tuple[str, int]]:
        seen: set[Step] = set()
        for step, place in members(self._text, at):
            if step in seen:
                yield str(step), self._line_at(place)
            seen.add(step)
            if self._text[place] in "{[":
                yield from self._repeated_members(place)


def _is_number(token: str) -> bool:
    try:
        strict(token)
    except ValueError:
        return False
    return True


def path_of(at: str) -> tuple[Step, ...]:
    """The path that a finding's place says in its provider's spelling: ``messages.2.content``, ``input[2].id``."""
    return tuple(int(step) if step.isdigit() else step for step in re.findall(r"[^.\[\]]+", at))
