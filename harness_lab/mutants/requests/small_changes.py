"""Requests beside a valid one: the same body with one member changed, whichever it is.

A mutant shows that a rule finds a mistake. What else the rule says, and where it says nothing, is seen only in
requests that nobody wrote for it: a member less, an empty text, an item twice, another type, another model; a member
or an item that another valid request has in such a place; two of these changes at once; and the same change of all
texts of a kind.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final
from zlib import crc32

from harness.ground.cached import cached_property
from harness.wire.base import Json

_WORDS: Final = frozenset({"type", "role", "status", "phase", "name", "model", "tool_choice", "effort", "mode"})
"""Members that have one of a few words: each word of one request is tried in the others."""

_WITHOUT: Final = object()

_EVERY: Final = 2
"""Of how many changes one is made together with another one."""

Place = tuple[str | int, ...]
"""The steps to a value in a body."""


@dataclass(frozen=True)
class SmallChange:
    """One change at one place of a body. ``what`` says which: ``without``, ``empty``, ``twice`` ..."""

    place: Place
    what: str
    value: object

    @cached_property
    def name(self) -> str:
        """The same for all elements of a list: ``messages.*.content empty``."""
        return f"{pattern_of(self.place) or 'body'} {self.what}"

    @cached_property
    def rank(self) -> int:
        """A number by which some of many changes are chosen: a hash, so that a change more moves no other."""
        return crc32(f"{self.place} {self.what}".encode("utf-8", "backslashreplace"))

    def made(self, body: Json) -> Json:
        """The body with the change, which shares with it what is as it was. Raises ``LookupError`` or ``TypeError``
        where it has no such place."""
        made: Json = _replaced(body, self.place, self.value)
        return made


def _replaced(value: Any, place: Place, new: object) -> Any:
    """A copy of ``value`` with ``new`` at a place, or without it."""
    if not place:
        return new
    step, *others = place
    if not isinstance(value, dict | list):
        raise TypeError(f"{step} is no place in {value!r}")
    below = value[step]  # type: ignore[index]
    copied: Any = value.copy()
    if others or new is not _WITHOUT:
        copied[step] = _replaced(below, tuple(others), new)
    else:
        del copied[step]
    return copied


def words_of(bodies: Iterable[Json]) -> Mapping[str, frozenset[str]]:
    """The words that members with few of them have in these bodies, by the member's name."""
    words: dict[str, set[str]] = defaultdict(set)
    for body in bodies:
        for place, value in places_in(body):
            if isinstance(value, str) and place[-1] in _WORDS:
                words[str(place[-1])].add(value)
    return {name: frozenset(each) for name, each in words.items()}


def small_changes(body: Json, words: Mapping[str, frozenset[str]]) -> Iterator[SmallChange]:
    """Every small change of a body; ``words`` as ``words_of`` has them."""
    for place, value in places_in(body):
        yield SmallChange(place, "without", _WITHOUT)
        for what, other in _others(value):
            if other != value or type(other) is not type(value):
                yield SmallChange(place, what, other)
        if isinstance(value, str):
            for word in sorted(words.get(str(place[-1]), frozenset()) - {value}):
                yield SmallChange(place, f"is {word}", word)


@dataclass(frozen=True, slots=True)
class Lent:
    """What requests have in each kind of place: the members of objects by their names, and the elements of lists by
    what distinguishes them."""

    members: Mapping[str, Mapping[str, object]]
    elements: Mapping[str, Mapping[str, object]]


def lent_by(bodies: Iterable[Json]) -> Lent:
    """What others may borrow of these bodies: the first of each kind."""
    members: dict[str, dict[str, object]] = defaultdict(dict)
    elements: dict[str, dict[str, object]] = defaultdict(dict)
    for body in bodies:
        for place, value in (((), body), *places_in(body)):
            if isinstance(value, dict):
                for name, member in value.items():
                    members[pattern_of(place)].setdefault(name, member)
            elif isinstance(value, list):
                for element in value:
                    elements[pattern_of(place)].setdefault(_shape(element), element)
    return Lent(members, elements)


def borrowed(body: Json, lent: Lent) -> Iterator[SmallChange]:
    """The body with a member more that others have there, or with an element more, in front of the rest or behind it;
    of the places of one kind, the last one by the hash of each change."""
    chosen: dict[str, SmallChange] = {}
    for change in _borrowed(body, lent):
        known = chosen.get(change.name)
        if known is None or known.rank < change.rank:
            chosen[change.name] = change
    yield from chosen.values()


def _borrowed(body: Json, lent: Lent) -> Iterator[SmallChange]:
    for place, value in (((), body), *places_in(body)):
        if isinstance(value, dict):
            for name, member in lent.members.get(pattern_of(place), {}).items():
                if name not in value:
                    yield SmallChange(place, f"and {name}", {**value, name: member})
        elif isinstance(value, list):
            for shape, element in lent.elements.get(pattern_of(place), {}).items():
                yield SmallChange(place, f"before {shape}", [*value, element])
                yield SmallChange(place, f"behind {shape}", [element, *value])


def everywhere(body: Json) -> Iterator[SmallChange]:
    """The same done to all texts of one kind of place: left out, empty, longer, numbered, the first one's, or each the
    next one's; and a text that stands in several places, such as the id of a call, another one in all of them."""
    places: dict[str, list[Place]] = defaultdict(list)
    texts: dict[str, list[Place]] = defaultdict(list)
    for place, value in places_in(body):
        if isinstance(value, str) and isinstance(place[-1], str):
            places[pattern_of(place)].append(place)
            texts[value].append(place)
    for pattern, found in places.items():
        values = [_value_at(body, place) for place in found]
        if len(found) > 1:
            yield from _all_otherwise(body, pattern, found, values)
    for value, found in texts.items():
        if value and len({place[-1] for place in found}) > 1:
            yield SmallChange((), f"{pattern_of(found[0])} renamed", _with_all(body, found, [f"{value}x"] * len(found)))


def _all_otherwise(body: Json, pattern: str, places: Sequence[Place], values: Sequence[str]) -> Iterator[SmallChange]:
    for what, others in (
        ("left out", [_WITHOUT] * len(values)),
        ("empty", [""] * len(values)),
        ("longer", [f"{value}x" for value in values]),
        ("numbered", [f"{value}{number}" for number, value in enumerate(values)]),
        ("the first", [values[0]] * len(values)),
        ("the next", [*values[1:], values[0]]),
    ):
        if list(others) != list(values):
            yield SmallChange((), f"{pattern} {what}", _with_all(body, places, others))


def _with_all(body: Json, places: Sequence[Place], values: Sequence[object]) -> Json:
    for place, value in zip(places, values, strict=True):
        body = _replaced(body, place, value)
    return body


def _value_at(body: Any, place: Place) -> Any:
    for step in place:
        body = body[step]
    return body


_LENGTHS: Final = (40, 41, 64, 65, 128, 129, 256, 257, 512, 513, 1024, 1025)
_COPIES: Final = (4, 5, 16, 17, 20, 21, 100, 101, 128, 129)
_NUMBERS: Final = (2, 3, 4, 10, 20, 21, 100, 128, 129, 512, 1023, 1024, 1025, 4096, 8192, 65536, 1000000, 0.5, 1.5, 2.5)


def at_limits(body: Json, seen: set[str]) -> Iterator[SmallChange]:
    """Texts, lists and numbers as long and as large as providers' limits are, and one more; of each kind of place one
    in all requests: ``seen`` are the places that others have."""
    for place, value in places_in(body):
        if (pattern := f"{pattern_of(place)} {type(value).__name__}") in seen:
            continue
        seen.add(pattern)
        match value:
            case bool() | None:
                pass
            case str():
                long = (value or "x") * max(_LENGTHS)
                yield from (SmallChange(place, "to a limit", long[:length]) for length in _LENGTHS)
            case list() if value:
                yield from (SmallChange(place, "to a limit", (value * times)[:times]) for times in _COPIES)
            case int() | float():
                yield from (SmallChange(place, "to a limit", number) for number in _NUMBERS)


def _shape(element: object) -> str:
    """What an element is: the words that say it, else the names of its members, else its type."""
    if not isinstance(element, dict):
        return type(element).__name__
    words = [str(element[name]) for name in ("type", "role") if isinstance(element.get(name), str)]
    return " ".join(words or sorted(element))


def two_by_two(changes: Iterable[SmallChange]) -> Iterator[tuple[SmallChange, SmallChange]]:
    """Changes together with the next one in the order of their hashes: one of ``_EVERY``."""
    by_hash: Sequence[SmallChange] = sorted(changes, key=lambda change: (change.rank, change.name))
    yield from ((one, other) for one, other in pairwise(by_hash) if not one.rank % _EVERY)


def pattern_of(place: Place) -> str:
    """The place with a ``*`` for each number: ``messages.*.content``."""
    return ".".join("*" if isinstance(step, int) else step for step in place)


def _others(value: object) -> Iterator[tuple[str, object]]:
    """What may be in a place instead, with a word for it."""
    yield "null", None
    match value:
        case str():
            yield from (("empty", ""), ("longer", f"{value}x"), ("a list", [value]), ("a number", 7))
        case bool():
            yield from (("reversed", not value), ("a text", str(value).lower()))
        case int() | float():
            yield from (("zero", 0), ("one more", value + 1), ("one less", value - 1), ("negative", -1))
            yield "a text", str(value)
        case list():
            yield from (("empty", []), ("twice", [*value, *value[-1:]]), ("backwards", value[::-1]), ("a text", "x"))
            yield from (("exchanged", _exchanged(value, at)) for at in range(len(value) - 1) if len(value) > 2)
            yield from (("with one twice", [*value[: at + 1], *value[at:]]) for at in range(len(value) - 1))
        case dict():
            yield from (("empty", {}), ("with more", {**value, "x_other": 1}), ("a text", "x"))


def _exchanged(values: list[Any], at: int) -> list[Any]:
    return [*values[:at], values[at + 1], values[at], *values[at + 2 :]]


def places_in(value: object, place: Place = ()) -> Iterator[tuple[Place, object]]:
    """Every member and element below ``value``, in its order."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, below in inside:
        yield (*place, step), below
        yield from places_in(below, (*place, step))
