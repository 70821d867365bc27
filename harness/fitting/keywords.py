"""The meaning of keywords for one value: its types, the values that they name, its members and items."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from harness.fitting.parts import Goal, Parts, inside, listed

MOST_VALUES: Final = 3_000
"""The most values that are made for a schema. Without it, lists in lists, and objects that contain themselves several
times, would have a hundred million."""

KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "object": (
        *("properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties"),
        *("maxProperties", "dependentRequired", "dependentSchemas", "dependencies", "unevaluatedProperties"),
    ),
    "array": (
        *("items", "prefixItems", "additionalItems", "contains", "minItems", "maxItems", "uniqueItems"),
        "unevaluatedItems",
    ),
    "string": ("pattern", "format", "minLength", "maxLength", "contentEncoding", "contentMediaType"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}
"""The keywords for each type of value."""

_ALL_KINDS: Final = ("string", "object", "array", "integer", "number", "boolean", "null")


def needed_members(parts: Parts) -> tuple[dict[str, None], dict[str, list[Goal]]]:
    """The names of the members that an object must have, and what else the object must fit if it has a certain
    member."""
    needed = dict.fromkeys(name for schema in parts.schemas for name in listed(schema, "required"))
    lists: dict[str, list[str]] = {}
    schemas: dict[str, list[Goal]] = {}
    for goal in parts.goals:
        for word in ("dependentRequired", "dependencies", "dependentSchemas"):
            for name, dependent in inside(goal.schema, word).items():
                if isinstance(dependent, list):
                    lists.setdefault(name, []).extend(dependent)
                else:
                    schemas.setdefault(name, []).append(Goal(dependent, goal.at))
    waiting = list(needed)
    while waiting:
        for name in lists.get(waiting.pop(), ()):
            if name not in needed:
                needed[name] = None
                waiting.append(name)
    for name in [name for name in lists if name not in needed]:
        schemas.setdefault(name, []).append(Goal({"required": lists[name]}, parts.goals[0].at))
    return needed, schemas


def barred_members(parts: Parts) -> set[str]:
    """Members that an object must not have: each is the only name in a ``not`` with ``required``."""
    found = [listed(goal.schema, "required") for goal in parts.barred if isinstance(goal.schema, dict)]
    return {names[0] for names in found if len(names) == 1}


def of_member(parts: Parts, name: str) -> list[Goal]:
    """What a member of this name must fit."""
    found: list[Goal] = []
    for goal in parts.goals:
        schema, own = goal.schema, inside(goal.schema, "properties")
        matching = [each for pattern, each in inside(schema, "patternProperties").items() if _matches(pattern, name)]
        found += (Goal(each, goal.at) for each in ([own[name], *matching] if name in own else matching))
        if name not in own and not matching and "additionalProperties" in schema:
            found.append(Goal(schema["additionalProperties"], goal.at))
    if any("unevaluatedProperties" in schema for schema in parts.schemas) and not found:
        found = [
            Goal(goal.schema["unevaluatedProperties"], goal.at)
            for goal in parts.goals
            if "unevaluatedProperties" in goal.schema
        ]
    return found


def _matches(pattern: str, name: str) -> bool:
    from harness.scenario.regexes import matches, readable

    return readable(pattern) and matches(pattern, name)


def prefix_of(schema: Mapping[str, Any]) -> list[Any]:
    """The schemas of the first items, however the draft writes them."""
    return listed(schema, "prefixItems") or listed(schema, "items")


def of_item(goal: Goal, index: int) -> Iterator[Goal]:
    """What the item at this index must fit."""
    schema, prefix = goal.schema, prefix_of(goal.schema)
    if index < len(prefix):
        yield Goal(prefix[index], goal.at)
        return
    rest = "additionalItems" if isinstance(schema.get("items"), list) else "items"
    if rest in schema:
        yield Goal(schema[rest], goal.at)
    elif "unevaluatedItems" in schema:
        yield Goal(schema["unevaluatedItems"], goal.at)


def contained(goal: Goal) -> Iterator[Goal]:
    """What some items of a list must fit, repeated as often as the schema demands."""
    if "contains" in goal.schema:
        for _ in range(min(bound(goal.schema, "minContains", 1), MOST_VALUES)):
            yield Goal(goal.schema["contains"], goal.at)


def kinds_of(schemas: Sequence[Mapping[str, Any]]) -> list[str]:
    """The types that all of the schemas allow, in the order of the first that names any."""
    kinds: list[str] = list(_ALL_KINDS)
    for schema in schemas:
        if "type" in schema:
            named = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
            kinds = _both(named, kinds)
    return kinds


def _both(named: Sequence[str], kinds: Sequence[str]) -> list[str]:
    both = [kind for kind in named if kind in kinds or (kind == "integer" and "number" in kinds)]
    return both + ["integer"] * (
        "number" in named and "integer" in kinds and "integer" not in both and "number" not in both
    )


def demanded_values(schemas: Sequence[Mapping[str, Any]]) -> list[Any] | None:
    """The values that ``const`` and ``enum`` allow; None if no schema has any."""
    left: list[Any] | None = None
    for schema in schemas:
        if "const" in schema:
            left = _common([schema["const"]], left)
        if isinstance(schema.get("enum"), list):
            left = _common(schema["enum"], left)
    return left


def _common(values: list[Any], before: list[Any] | None) -> list[Any]:
    if before is None:
        return values
    known = {identity(each) for each in values}
    return [each for each in before if identity(each) in known]


def named_values(schemas: Sequence[Mapping[str, Any]]) -> list[Any] | None:
    """The values that the schemas themselves name."""
    demanded = demanded_values(schemas)
    return (
        demanded if demanded is not None else next(filter(None, (listed(each, "examples") for each in schemas)), None)
    )


def is_plausible(schemas: Sequence[Mapping[str, Any]]) -> bool:
    """Whether ``schemas`` leave a type for a value, and a value if they name some."""
    kinds, named = kinds_of(schemas), demanded_values(schemas)
    return bool(kinds) and (named is None or any(is_of_kind(value, kinds) for value in named))


def is_of_kind(value: Any, kinds: Sequence[str]) -> bool:
    """Whether a value is of one of these types."""
    match value:
        case bool():
            return "boolean" in kinds
        case int() | float():
            return "number" in kinds or ("integer" in kinds and float(value).is_integer())
        case str():
            return "string" in kinds
        case None:
            return "null" in kinds
    return ("array" if isinstance(value, list) else "object") in kinds


_OF_SCALARS: Final = frozenset({*KINDS["string"], *KINDS["number"], "type", "enum", "const", "not"})


def scalar_keywords(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords that are about a text or a number, and that depend on nothing else in the schema."""
    kept = {word: value for word, value in schema.items() if word in _OF_SCALARS}
    if "not" in kept and not refers_to_nothing(kept["not"]):
        del kept["not"]
    return {} if kept.keys() <= {"type"} else kept


def refers_to_nothing(schema: Any) -> bool:
    """Whether a schema refers to nothing."""
    return '"$' not in json.dumps(schema)


def identity(value: Any) -> str:
    """The same text for values that are equal in JSON Schema, and for no others."""
    return json.dumps(_whole(value), sort_keys=True)


def _whole(value: Any) -> Any:
    """The same value with 1 for 1.0, which are equal in JSON Schema."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_whole(each) for each in value]
    return {name: _whole(each) for name, each in value.items()} if isinstance(value, dict) else value


def bound(schema: Mapping[str, Any], word: str, otherwise: int) -> int:
    """The number at a keyword; ``otherwise`` if there is none."""
    value = schema.get(word)
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else otherwise


def size_of(way: Sequence[Goal]) -> int:
    """How large a value may become on this way. Ways that end at once come first."""
    texts = [json.dumps(goal.schema) for goal in way]
    return sum(len(text) + 10_000 * ('"$ref"' in text) for text in texts)


def in_words(schemas: Sequence[Mapping[str, Any]]) -> str:
    """What the schemas demand of a text or a number, for a person to read."""
    named = {word: value for schema in schemas for word, value in scalar_keywords(schema).items()}
    return json.dumps(named, ensure_ascii=False)[:200]
