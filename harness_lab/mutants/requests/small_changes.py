"""Requests beside a valid one: the same body with one member changed, whichever it is.

A mutant shows that a rule finds a mistake. What else the rule says, and where it says nothing, is seen only in
requests that nobody wrote for it: a member less, an empty text, an item twice, another type, another model.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

from harness.wire.base import Json

__all__ = ["SmallChange", "small_changes", "words_of"]

_WORDS: Final = frozenset({"type", "role", "status", "phase", "name", "model", "tool_choice", "effort", "mode"})
"""Members that have one of a few words: each word of one request is tried in the others."""

_WITHOUT: Final = object()

Place = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class SmallChange:
    """One change at one place of a body. ``what`` says which: ``without``, ``empty``, ``twice`` ..."""

    place: Place
    what: str
    value: object

    @property
    def name(self) -> str:
        """The same for all elements of a list: ``messages.*.content empty``."""
        place = ".".join("*" if isinstance(step, int) else step for step in self.place)
        return f"{place} {self.what}"

    def made(self, body: Json) -> Json:
        """A copy of the body with the change."""
        changed = deepcopy(body)
        at: Any = changed
        for step in self.place[:-1]:
            at = at[step]
        if self.value is _WITHOUT:
            del at[self.place[-1]]
        else:
            at[self.place[-1]] = deepcopy(self.value)
        return changed


def words_of(bodies: Iterable[Json]) -> Mapping[str, frozenset[str]]:
    """The words that members with few of them have in these bodies, by the member's name."""
    words: dict[str, set[str]] = defaultdict(set)
    for body in bodies:
        for place, value in _places(body):
            if isinstance(value, str) and place[-1] in _WORDS:
                words[str(place[-1])].add(value)
    return {name: frozenset(each) for name, each in words.items()}


def small_changes(body: Json, words: Mapping[str, frozenset[str]]) -> Iterator[SmallChange]:
    """Every small change of a body; ``words`` as ``words_of`` has them."""
    for place, value in _places(body):
        yield SmallChange(place, "without", _WITHOUT)
        for what, other in _others(value):
            if other != value or type(other) is not type(value):
                yield SmallChange(place, what, other)
        if isinstance(value, str):
            for word in sorted(words.get(str(place[-1]), frozenset()) - {value}):
                yield SmallChange(place, f"is {word}", word)


def _others(value: object) -> Iterator[tuple[str, object]]:
    """What may be in a place instead, with a word for it."""
    yield "null", None
    match value:
        case str():
            yield from (("empty", ""), ("longer", f"{value}x"), ("a list", [value]))
        case bool():
            yield from (("reversed", not value), ("a text", str(value).lower()))
        case int() | float():
            yield from (("zero", 0), ("one more", value + 1), ("negative", -1), ("a text", str(value)))
        case list():
            yield from (("empty", []), ("twice", [*value, *value[-1:]]), ("backwards", value[::-1]), ("a text", "x"))
        case dict():
            yield from (("empty", {}), ("with more", {**value, "x_other": 1}), ("a text", "x"))


def _places(value: object, place: Place = ()) -> Iterator[tuple[Place, object]]:
    """Every member and element below ``value``, in its order."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, below in inside:
        yield (*place, step), below
        yield from _places(below, (*place, step))
