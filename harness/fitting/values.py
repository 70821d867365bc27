"""The value that a schema is given: candidates are drawn, and only what the schema's own validator accepts is used.

Plain candidates come first, so that people can read what a model says. Where none fits, the schema is brought into its
canonical form, in which conditions, choices and exclusions are decided, and candidates are drawn from that. All of it
is bounded, and the same in every process.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from random import Random
from typing import Any, Final

from harness.bounded_json import SHALLOW, is_deeper
from harness.fitting.drawing import Drawing
from harness.fitting.parts import Circular, Goal, Impossible, TooLarge
from harness.fitting.reading import Reading, Unreadable, readings

__all__ = ["Fit", "fitting"]

_PLAIN_TRIES: Final = 6
_CANONICAL_TRIES: Final = 24

_MOST_READ: Final = 32
"""Schemas that are kept compiled, because two calls of a tool are often made one after another."""

_MOST_KEPT: Final = 1024
"""Values that are kept for when their schema comes again, which it does with each request."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A value that fits a schema, as JSON text; None where there is none that was found. ``why``: the reason then.

    ``passed_over``: places in a schema that is none in the strict sense; the value may break what is meant there.
    """

    text: str | None
    why: str = ""
    passed_over: tuple[str, ...] = ()


def fitting(schema: Any, *, text: str = "example", number: int = 0, arguments: bool = False) -> Fit:
    """A value that fits ``schema`` by its own dialect: the same one every time.

    A string is ``text`` where the schema says nothing more, and an object has all of its members. ``arguments``: it is
    an object, whatever else the schema allows, for the call of this ``number``; call 0 has the required members only,
    call 1 all of them, and later calls have some.
    """
    try:
        digest = blake2b(json.dumps(schema).encode()).digest()
    except (ValueError, RecursionError):
        return Fit(None, f"its schema is nested more than {SHALLOW} deep")
    key = (digest, text, number, arguments)
    if key not in _KEPT:
        if len(_KEPT) >= _MOST_KEPT:
            _KEPT.clear()
        _KEPT[key] = _fitting(schema, digest, text, number, arguments)
    return _KEPT[key]


_KEPT: Final[dict[tuple[bytes, str, int, bool], Fit]] = {}
_READ: Final[dict[bytes, list[Reading]]] = {}


def _fitting(schema: Any, digest: bytes, text: str, number: int, arguments: bool) -> Fit:
    try:
        read = _read(schema, digest)
    except Unreadable as error:
        return Fit(None, str(error))
    search = _Search(read, text, number, arguments)
    found = search.value()
    left_out = read[0].left_out
    return Fit(None, search.why, left_out) if found is None else Fit(json.dumps(found[0]), passed_over=left_out)


def _read(schema: Any, digest: bytes) -> list[Reading]:
    if digest not in _READ:
        if is_deeper(schema, SHALLOW):
            raise Unreadable(f"its schema is nested more than {SHALLOW} deep")
        found = readings(schema)
        if len(_READ) >= _MOST_READ:
            _READ.clear()
        _READ[digest] = found
    return _READ[digest]


class _Search:
    """The search for one value. ``why`` says afterwards why there is none."""

    def __init__(self, read: list[Reading], text: str, number: int, arguments: bool) -> None:
        self._read = read
        self._text = text
        self._number = number
        self._arguments = arguments
        self.why = ""
        self._is_over = False
        self._too_large = 0

    def value(self) -> tuple[Any] | None:
        """The first candidate that fits by each reading, or else the first that fits by the one that counts."""
        first, *others = self._read
        second: tuple[Any] | None = None
        for value in self._candidates():
            if not first.accepts(value):
                self._noted(f"of what was tried, the likeliest breaks it: {first.problem(value)}")
            elif all(other.accepts(value) for other in others):
                return (value,)
            else:
                second = second or (value,)
        return second

    def _noted(self, why: str) -> None:
        self.why = self.why or f"no value was found that fits its schema: {why}"

    def _candidates(self) -> Iterator[Any]:
        yield from self._drawn(self._read[0], _PLAIN_TRIES)
        for each in () if self._is_over else self._read:
            form = each.canonical()
            if form is None:
                continue
            if form.schema is not False:
                yield from self._drawn(form, _CANONICAL_TRIES)
            elif each is self._read[0]:
                self.why = "its schema accepts no value at all"
                return

    def _drawn(self, reading: Reading, tries: int) -> Iterator[Any]:
        references = reading.references()
        goals = [Goal({"type": "object"}, references)] * self._arguments + [Goal(reading.schema, references)]
        for tried in range(tries):
            if self._too_large > 1:  # the first may have had members that it need not have
                return
            try:
                yield self._drawing(reading, tried).of(goals)
            except Circular as error:
                self.why, self._is_over = f"its schema says nothing: {error}", True
                return
            except TooLarge as error:
                self._noted(str(error))
                self._too_large += 1
            except Impossible as error:
                self._noted(str(error))
            except RecursionError:
                self._noted("it is nested too deeply")
                return

    def _drawing(self, reading: Reading, tried: int) -> Drawing:
        number = self._number
        return Drawing(
            reading.accepts_alone,
            text=self._text,
            members=_members(number, tried) if self._arguments else _members(1, tried),
            turn=number + tried // 2,
            random=Random(f"{number} {tried}") if number > 1 or tried > 3 else None,
            examples=tried % 2 == 0,
            siblings=reading.siblings,
        )


def _members(number: int, tried: int) -> str:
    """Which optional members the objects have: what the call is to have first, then anything that may help."""
    wanted = number if tried < 2 else number + tried - 1
    return ("none", "all")[wanted] if wanted < 2 else "some"
