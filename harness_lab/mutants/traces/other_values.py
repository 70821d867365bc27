"""Values beside a value, whatever it is: what may be in its place, with a word for each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import Enum
from typing import Any, Final

from harness.ground.bounded_json import loads

_DEPTH: Final = 2
"""How deep JSON values are changed: members of members."""

_NEVER: Final = frozenset({"at", "chunks", "headers", "method", "path", "body", "exchange", "wire"})
"""Members of records that say when and how something came, not what it says."""


@dataclass(slots=True)
class Peers:
    """The values that members have anywhere in a trace, by their names: each may be in the place of another."""

    by_name: dict[str, list[Any]]

    @classmethod
    def of(cls, values: Sequence[Any]) -> Peers:
        """Those of these dataclass instances."""
        peers = cls({})
        peers.know(values)
        return peers

    def know(self, values: Sequence[Any]) -> None:
        """Know those of these, too."""
        for value in values:
            for field in fields(value):
                self.add(field.name, getattr(value, field.name))

    def add(self, name: str, value: Any) -> None:
        """Know one more."""
        known = self.by_name.setdefault(name, [])
        if value is not None and value not in known:
            known.append(value)

    def other(self, name: str, value: Any) -> Iterator[Any]:
        """The next value after this one that such a member has; the first after the last."""
        known = self.by_name.get(name, [])
        at = known.index(value) + 1 if value in known else 0
        rotated = [*known[at:], *known[:at]]
        yield from [
            each for each in rotated if each != value and isinstance(each, type(value) if value is not None else object)
        ][:1]


def other_members(record: Any, peers: Peers) -> Iterator[tuple[str, Any]]:
    """A dataclass instance with one member changed, whichever it is, with a word for each: ``code empty``."""
    may_be_none = _optional(type(record))
    for field in fields(record):
        name = field.name
        if name in _NEVER:
            continue
        value = getattr(record, name)
        deep = 1 if name == "parameters" else _DEPTH  # schemas are long, and the same in each request
        if value is not None and name in may_be_none:
            yield f"{name} null", replace(record, **{name: None})
        for peer in peers.other(name, value):
            yield f"{name} of another", replace(record, **{name: peer})
        for what, other in other_values(value, deep):
            yield f"{name} {what}", replace(record, **{name: other})


def _optional(kind: type) -> frozenset[str]:
    """The members of a dataclass that may be None."""
    hints = {field.name: str(field.type) for field in fields(kind)}
    return frozenset(name for name, hint in hints.items() if "None" in hint or "JsonValue" in hint)


def other_values(value: Any, depth: int = _DEPTH) -> Iterator[tuple[str, Any]]:
    """What may be in the place of a value."""
    match value:
        case Enum():
            yield from ((f"is {other.value}", other) for other in type(value) if other is not value)
        case bool():
            yield "reversed", not value
        case str():
            yield from _texts(value, depth)
        case int():
            yield from (("one more", value + 1), ("one less", value - 1), ("zero", 0)) if value else [("one more", 1)]
        case tuple() | list():
            yield from _lists(value)
        case Mapping() if depth:
            yield from _objects(value, depth)


def _texts(value: str, depth: int) -> Iterator[tuple[str, str]]:
    yield from (("longer", f"{value}x"), ("with other characters", f'{value}\u00e9\U0001f600"\\\n'))
    yield "with half a character", f"{value}\udc00x"
    if value:
        yield from (("empty", ""), ("shorter", value[:-1]), ("a space", " "))
    if depth and value[:1] in ("{", "["):
        try:
            inside = loads(value)
        except ValueError:
            return
        yield "spelled otherwise", json.dumps(inside, indent=1)
        yield from ((f"json {what}", json.dumps(other)) for what, other in other_values(inside, depth))


def _lists(value: Any) -> Iterator[tuple[str, Any]]:
    if value:
        yield from (("empty", value[:0]), ("last twice", value + value[-1:]))
    if len(value) > 1:
        yield from (("without the last", value[:-1]), ("without the first", value[1:]), ("backwards", value[::-1]))


def _objects(value: Mapping[str, Any], depth: int) -> Iterator[tuple[str, Any]]:
    yield "with more", {**value, "other": 1}
    if value:
        yield "empty", {}
    for name, member in value.items():
        yield "without a member", {key: each for key, each in value.items() if key != name}
        yield "with null", {**value, name: None}
        yield "with a number", {**value, name: 7}
        for what, other in other_values(member, depth - 1):
            yield f"with {what}", {**value, name: other}
