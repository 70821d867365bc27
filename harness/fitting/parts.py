"""The schemas that apply to one value, after references and choices of a schema are followed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

_MOST_STEPS: Final = 1_000
"""The most schemas that are looked at for one value, in all ways that it can fit."""

MOST_STEPS: Final = 20_000
"""The same for the whole search for a value: less than a second."""


class Impossible(Exception):
    """No value was found for a schema. The text of the error is the reason, for a person."""


class ValueTooLarge(Impossible):
    """A value is larger than the limit, so another try has no better result."""


class Circular(Impossible):
    """A schema leads back to itself for the same value: most validators never end there."""


class Steps:
    """Counts the steps of a search; raises ``ValueTooLarge`` if they are too many."""

    def __init__(self) -> None:
        self.taken = 0

    def take(self) -> None:
        """Count one more step."""
        self.taken += 1
        if self.taken > MOST_STEPS:
            raise ValueTooLarge(f"its value was looked for in {MOST_STEPS:,} steps")


class Resolver(Protocol):
    """Finds what references lead to, from one place in a schema."""

    def lookup(self, reference: str) -> tuple[Any, Resolver]:
        """The target of ``reference``, and the resolver for references in it. Raises ``LookupError`` if there is
        none."""


@dataclass(frozen=True, slots=True)
class Goal:
    """A schema that a value must fit, and the resolver for its references.

    ``above`` are the identities of the schemas for the same value that have led to it.
    """

    schema: Any
    at: Resolver
    above: frozenset[int] = frozenset()

    def below(self, schema: Any, at: Resolver) -> Goal:
        """A schema for the same value: inside this one, or referred to by it."""
        return Goal(schema, at, self.above | {id(self.schema)})


@dataclass(slots=True)
class Parts:
    """Objects of keywords that all apply to one value. The value must not fit those in ``barred``."""

    goals: list[Goal] = field(default_factory=list)
    barred: list[Goal] = field(default_factory=list)

    @property
    def schemas(self) -> list[Mapping[str, Any]]:
        """The objects without their resolvers."""
        return [goal.schema for goal in self.goals]


Order = Callable[[Sequence[Any]], Sequence[Any]]
"""Sorts the ways into the order in which they are tried."""


Plausible = Callable[[Sequence[Mapping[str, Any]]], bool]
"""Whether a value could fit all of these schemas."""


def ways(goals: Sequence[Goal], order: Order, plausible: Plausible, total: Steps, *, siblings: bool) -> Iterator[Parts]:
    """The ways in which a value can fit all ``goals``, one choice after another, without those that are not
    ``plausible``.

    ``siblings``: keywords beside a ``$ref`` count, as they do since 2019-09. ``total`` counts the steps.
    """
    waiting: list[tuple[Parts, list[Goal], list[list[Goal]]]] = [(Parts(), list(goals), [])]
    steps, any_way, circular = 0, False, False
    while waiting:
        parts, todo, choices = waiting.pop()
        possible = True
        while todo and possible:
            if (steps := steps + 1) > _MOST_STEPS:
                raise Impossible("it has too many schemas about one value")
            total.take()
            goal = todo.pop()
            circular = circular or id(goal.schema) in goal.above
            possible = id(goal.schema) not in goal.above and _take(goal, parts, todo, choices, siblings)
        if not possible or not plausible(parts.schemas):
            continue
        if not choices:
            any_way = True
            yield parts
            continue
        first, *others = choices
        for way in reversed(order(first)):
            barred = [*parts.barred, *(each for each in way if isinstance(each, _Barred))]
            kept = [each for each in way if not isinstance(each, _Barred)]
            waiting.append((Parts(list(parts.goals), barred), kept, list(others)))
    if circular and not any_way:
        raise Circular("it leads back to itself for the same value")


class _Barred(Goal):
    """A schema that the value must not fit."""


def _take(goal: Goal, parts: Parts, todo: list[Goal], choices: list[list[Any]], siblings: bool) -> bool:
    """Add a schema's demands to ``parts``, ``todo`` and ``choices``. Returns whether anything can fit the schema."""
    schema, at = goal.schema, goal.at
    if not isinstance(schema, Mapping):
        return schema is not False
    if any(schema is each.schema for each in parts.goals):
        return True  # another way has led here before
    at = _of_resource(schema, at)
    for word in ("$ref", "$dynamicRef", "$recursiveRef"):
        if isinstance(reference := schema.get(word), str):
            contents, there = _found(at, reference)
            todo.append(goal.below(contents, there))
            if not siblings:
                return True
    parts.goals.append(Goal(schema, at))
    todo += (goal.below(each, at) for each in listed(schema, "allOf"))
    for word in ("anyOf", "oneOf"):
        if some := listed(schema, word):
            choices.append([[goal.below(each, at)] for each in some])
    if "not" in schema:
        parts.barred.append(Goal(schema["not"], at))
    if "if" in schema:
        then, otherwise = schema.get("then", True), schema.get("else", True)
        fits = [goal.below(schema["if"], at), goal.below(then, at)]
        choices.append([fits, [_Barred(schema["if"], at), goal.below(otherwise, at)]])
    return True


def _of_resource(schema: Mapping[str, Any], at: Resolver) -> Resolver:
    """The resolver for a schema that may have an address of its own."""
    for word in ("$id", "id"):
        if isinstance(own := schema.get(word), str) and not own.startswith("#"):
            with suppress(LookupError):
                return at.lookup(own)[1]
    return at


def _found(at: Resolver, reference: str) -> tuple[Any, Resolver]:
    try:
        return at.lookup(reference)
    except LookupError as error:
        raise Impossible(f"its $ref {reference[:200]!r} leads to nothing in it") from error


def listed(schema: Mapping[str, Any], word: str) -> list[Any]:
    """The list at a keyword; empty if there is none."""
    found = schema.get(word)
    return found if isinstance(found, list) else []


def inside(schema: Mapping[str, Any], word: str) -> Mapping[str, Any]:
    """The object at a keyword; empty if there is none."""
    found = schema.get(word)
    return found if isinstance(found, dict) else {}
