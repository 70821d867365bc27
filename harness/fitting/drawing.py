"""Draws one value for a schema from its keywords. A validator checks the value afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final

from harness.fitting.in_bounds import numbers
from harness.fitting.keywords import (
    KINDS,
    MOST_VALUES,
    barred_members,
    bound,
    contained,
    demanded_values,
    identity,
    in_words,
    is_of_kind,
    is_plausible,
    kinds_of,
    named_values,
    needed_members,
    of_item,
    of_member,
    prefix_of,
    refers_to_nothing,
    scalar_keywords,
    size_of,
)
from harness.fitting.parts import MOST_STEPS, Goal, Impossible, Parts, Steps, ValueTooLarge, inside, ways
from harness.fitting.patterns import LONGEST, of_pattern
from harness.fitting.texts import known_texts

_DEEPEST: Final = 60
"""How deep a value goes. Without a limit, a schema that refers to itself in each of its values would never end."""

_SHALLOW: Final = 2
"""From this depth on, everything optional is left out."""

_MOST_OPTIONAL: Final = 100
"""Optional members that an object has at most."""

_MOST_WITH_OPTIONAL: Final = MOST_VALUES // 3
"""From so many values on, nothing optional is made: the rest is for required values."""

_OTHER_TEXTS: Final = ("another", "a", "A", "0", "1.5", "Text 2", "x-y_z", "", " ", "\u00e9")
"""Texts to try if no plainer one fits."""

Accepts = Callable[[Sequence[Mapping[str, Any]], Any], bool]
"""Whether a value fits all of these schemas, which have no references."""


class Drawing:
    """One try at a value.

    ``text`` is the value of a string for which the schema demands nothing more. ``members`` says which optional members
    an object has: ``"none"``, ``"all"`` or ``"some"``. ``turn`` shifts every choice by so many places; with ``random``,
    choices are random. ``examples``: examples in the schema are used.
    """

    def __init__(
        self,
        accepts: Accepts,
        steps: Steps,
        *,
        text: str,
        members: str,
        turn: int = 0,
        random: Random | None = None,
        examples: bool = True,
        siblings: bool = True,
    ) -> None:
        self._accepts = accepts
        self._steps = steps
        self._text = text
        self._members = members
        self._turn = turn
        self._random = random
        self._examples = examples
        self._siblings = siblings
        self._made = 0

    def of(self, goals: Sequence[Goal], depth: int = 0) -> Any:
        """A value for all ``goals``. Raises ``Impossible`` if none is found."""
        self._made += 1
        if self._made > MOST_VALUES:
            raise ValueTooLarge(f"a value of it has more than {MOST_VALUES:,} parts")
        if depth > _DEEPEST:
            raise ValueTooLarge(f"a value of it is nested more than {_DEEPEST} deep, or never ends")
        reason: Impossible | None = None
        for parts in ways(
            goals, lambda choices: self._in_order(choices, depth), is_plausible, self._steps, siblings=self._siblings
        ):
            try:
                return self._of(parts, depth)
            except Impossible as error:
                if self._is_over():
                    raise
                reason = reason or error
        raise reason or Impossible("its types, and the values that it names, exclude each other")

    def _is_over(self) -> bool:
        return self._made > MOST_VALUES or self._steps.taken > MOST_STEPS

    def _in_order(self, choices: Sequence[Any], depth: int) -> Sequence[Any]:
        if depth > _SHALLOW:
            return sorted(choices, key=lambda way: size_of(way))
        return self._by_turn(choices)

    def _by_turn(self, choices: Sequence[Any]) -> Sequence[Any]:
        """All choices, with the one to take in front."""
        if self._random is not None:
            return self._random.sample(choices, len(choices))
        at = self._turn % len(choices) if choices else 0
        return [*choices[at:], *choices[:at]]

    def _of(self, parts: Parts, depth: int) -> Any:
        schemas = parts.schemas
        kinds = kinds_of(schemas)
        named = named_values(schemas) if self._examples else demanded_values(schemas)
        for value in self._by_turn(named if named is not None else []):
            if is_of_kind(value, kinds) and self._fits(parts, value):
                return value
        if demanded_values(schemas) is not None:
            raise Impossible("no value in its 'enum' or 'const' fits the rest of it")
        reason: Impossible | None = None
        for kind in self._kinds_in_order(schemas, kinds, depth):
            try:
                return self._of_kind(kind, parts, depth)
            except Impossible as error:
                reason = reason or error
        raise reason or Impossible("its types exclude each other")

    def _kinds_in_order(self, schemas: Sequence[Mapping[str, Any]], kinds: Sequence[str], depth: int) -> Sequence[str]:
        if any("type" in schema for schema in schemas):
            named = [kind for kind in kinds if kind != "null"]
            turned = [*self._by_turn([*named, *(kind for kind in kinds if kind == "null")])]
            return sorted(turned, key=lambda kind: kind in ("object", "array")) if depth > _SHALLOW else turned
        spoken = [kind for kind, words in KINDS.items() if any(word in schema for schema in schemas for word in words)]
        first = spoken or (["object"] if depth == 0 else [])
        return [*first, *(kind for kind in kinds if kind not in first)]

    def _of_kind(self, kind: str, parts: Parts, depth: int) -> Any:
        match kind:
            case "object":
                return self._object(parts, depth)
            case "array":
                return self._array(parts, depth)
            case "string":
                return self._first(parts, self._texts(parts.schemas), "text")
            case "integer" | "number":
                found = numbers(parts.schemas, whole=kind == "integer", skip=self._turn)
                return self._first(parts, found, "number")
            case "boolean":
                return self._first(parts, self._by_turn([True, False]), "boolean")
            case _:
                return self._first(parts, [None], "null")

    def _first(self, parts: Parts, values: Iterator[Any] | Sequence[Any], what: str) -> Any:
        for value in values:
            self._steps.take()
            if self._fits(parts, value):
                return value
        raise Impossible(f"no {what} was found that fits {in_words(parts.schemas)}")

    def _fits(self, parts: Parts, value: Any) -> bool:
        if isinstance(value, dict | list):
            return True  # the validator of the whole says so
        barred = [{"not": goal.schema} for goal in parts.barred if refers_to_nothing(goal.schema)]
        own = [kept for schema in parts.schemas if (kept := scalar_keywords(schema))]
        return not (own or barred) or self._accepts([*own, *barred], value)

    # --- texts --------------------------------------------------------------------------------------------------------

    def _texts(self, schemas: Sequence[Mapping[str, Any]]) -> Iterator[str]:
        shortest = max((bound(schema, "minLength", 0) for schema in schemas), default=0)
        longest = min((bound(schema, "maxLength", LONGEST) for schema in schemas), default=LONGEST)
        if shortest > LONGEST:
            raise ValueTooLarge(f"a text of it has more than {LONGEST:,} characters")
        plain = self._plain_text(shortest, longest)
        for schema in schemas:
            for known in self._by_turn(known_texts(schema)):
                yield known if known != "https://example.com/" else known.ljust(shortest, "x")
        yield plain
        random = self._random or Random(self._turn)
        patterns = list(dict.fromkeys(each for schema in schemas if isinstance(each := schema.get("pattern"), str)))
        made = [of_pattern(pattern, random, shortest, plain=self._turn == 0) for pattern in patterns]
        for texts in zip(*made, strict=False):
            yield from texts
            if len(texts) > 1:
                yield "".join(texts)
                yield "".join(reversed(texts))
        yield from (f"{plain[: max(longest - 2, 0)]}{number}" for number in range(2, 8))
        yield from (other.ljust(shortest, "x")[:longest] for other in _OTHER_TEXTS)

    def _plain_text(self, shortest: int, longest: int) -> str:
        return self._text.ljust(shortest, "x")[:longest]

    # --- lists --------------------------------------------------------------------------------------------------------

    def _array(self, parts: Parts, depth: int) -> list[Any]:
        schemas = parts.schemas
        least = max((bound(schema, "minItems", 0) for schema in schemas), default=0)
        most = min((bound(schema, "maxItems", MOST_VALUES) for schema in schemas), default=MOST_VALUES)
        if least > MOST_VALUES:
            raise ValueTooLarge(f"a list of it has more than {MOST_VALUES:,} items")
        wanted = [each for goal in parts.goals for each in contained(goal)]
        usual = max(1, max((len(prefix_of(schema)) for schema in schemas), default=0)) if depth <= _SHALLOW else 0
        count = min(max(least, usual), most)
        unique = any(schema.get("uniqueItems") is True for schema in schemas)
        items: list[Any] = []
        while wanted or len(items) < max(least, count):
            if len(items) >= most:
                raise Impossible("it is full before it contains what it must")
            try:
                items.append(self._item(parts, items, wanted, depth, unique=unique))
            except Impossible:
                if len(items) >= least and not wanted:
                    break
                raise
        return items

    def _item(self, parts: Parts, before: list[Any], wanted: list[Goal], depth: int, *, unique: bool) -> Any:
        here = [each for goal in parts.goals for each in of_item(goal, len(before))]
        apart = before if unique else ()
        at_once = list({id(goal.schema): goal for goal in wanted}.values())
        for some in (at_once, at_once[:1]) if len(at_once) > 1 else (at_once,) * bool(at_once):
            try:
                item = self._another([*here, *some], apart, depth)
            except Impossible:
                continue
            for goal in some:
                wanted.remove(goal)
            return item
        if wanted and len(before) >= max((len(prefix_of(schema)) for schema in parts.schemas), default=0):
            raise Impossible("no item of it is one that it must contain")
        return self._another(here, apart, depth)

    def _another(self, goals: Sequence[Goal], before: Sequence[Any], depth: int) -> Any:
        """An item that differs from all items before it."""
        taken = {identity(each) for each in before}
        turn, text, random = self._turn, self._text, self._random
        try:
            for more in range(len(before) + 12):
                self._turn = turn + more
                self._random = random if more < 4 else Random(f"{turn} {more}")
                self._text = text if more == 0 else f"{text} {more + 1}"
                item = self.of(goals, depth + 1)
                if identity(item) not in taken:
                    return item
        finally:
            self._turn, self._text, self._random = turn, text, random
        raise Impossible("there are too few different items")

    # --- objects ------------------------------------------------------------------------------------------------------

    def _object(self, parts: Parts, depth: int) -> dict[str, Any]:
        needed, dependent = needed_members(parts)
        names, more = self._names(parts, needed, depth)
        made: dict[str, Any] = {}
        for name in names:
            try:
                made[name] = self.of(of_member(parts, name), depth + 1)
            except Impossible:
                if name in needed:
                    raise
                if self._is_over():
                    raise
        again = [goal for name, goals in dependent.items() if name in made for goal in goals]
        if fresh := [goal for goal in again if all(goal.schema is not each.schema for each in parts.goals)]:
            own = Goal({"type": "object", "required": list(made)}, parts.goals[0].at)
            found: dict[str, Any] = self.of([*parts.goals, own, *fresh], depth + 1)
            return found
        self._fill(made, parts, more, depth)
        return made

    def _names(self, parts: Parts, needed: Mapping[str, None], depth: int) -> tuple[list[str], list[str]]:
        """The members to make, in the order of the schema, and others that may be added to them."""
        known = dict.fromkeys(name for schema in parts.schemas for name in inside(schema, "properties"))
        barred = barred_members(parts)
        optional = [name for name in known if name not in needed and name not in barred]
        optional = [name for name in optional[:_MOST_OPTIONAL] if self._may_have(parts, name)]
        most = min((bound(schema, "maxProperties", LONGEST) for schema in parts.schemas), default=LONGEST)
        chosen = set(self._chosen(optional, depth)[: max(most - len(needed), 0)])
        names = [name for name in known if name in needed or name in chosen]
        return [*names, *(each for each in needed if each not in known)], [n for n in optional if n not in chosen]

    def _chosen(self, optional: list[str], depth: int) -> list[str]:
        if self._members == "none" or depth > _SHALLOW or self._made > _MOST_WITH_OPTIONAL:
            return []
        if self._members == "some" and self._random is not None:
            return [name for name in optional if self._random.random() < 0.5]
        return optional

    def _fill(self, made: dict[str, Any], parts: Parts, more: Sequence[str], depth: int) -> None:
        least = max((bound(schema, "minProperties", 0) for schema in parts.schemas), default=0)
        if parts.barred and not made and self._turn % 2:
            least = max(least, 1)  # what must not fit often means that there must be something
        if least > MOST_VALUES:
            raise ValueTooLarge(f"an object of it has more than {MOST_VALUES:,} members")
        if len(made) >= least:
            return
        for name in (*more, *self._new_names(parts, least)):
            if len(made) >= least:
                return
            if name not in made and self._may_have(parts, name):
                try:
                    made[name] = self.of(of_member(parts, name), depth + 1)
                except Impossible:
                    continue
        if len(made) < least:
            raise Impossible(f"no {least} members were found that it accepts")

    def _new_names(self, parts: Parts, least: int) -> Iterator[str]:
        schemas = parts.schemas
        random = Random(self._turn)
        yield from (f"example{number or ''}" for number in range(least))
        for schema in schemas:
            for pattern in inside(schema, "patternProperties"):
                yield from of_pattern(pattern, random)
                yield from (f"{text}{number}" for number in range(least) for text in of_pattern(pattern, random))
        for goal in parts.goals:
            if "propertyNames" in goal.schema:
                yield from self._drawn_names(Goal(goal.schema["propertyNames"], goal.at), least)

    def _drawn_names(self, goal: Goal, least: int) -> Iterator[str]:
        names: list[str] = []
        try:
            for _ in range(2 * least):
                names.append(self._another([goal, Goal({"type": "string"}, goal.at)], names, 1))
                yield names[-1]
        except Impossible:
            return

    def _may_have(self, parts: Parts, name: str) -> bool:
        allowed = [schema["propertyNames"] for schema in parts.schemas if "propertyNames" in schema]
        own = [{"allOf": [each]} for each in allowed if refers_to_nothing(each)]
        return not own or self._accepts(own, name)
