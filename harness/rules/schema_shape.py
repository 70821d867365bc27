"""What a JSON Schema of a tool's arguments asks for, in one form for all its spellings.

Providers and SDKs write the same schema in many ways: other orders and cases of types, references resolved, ``null``
as a type, a member or an alternative, every property required for strict decoding. Of these nothing is a difference.
Only what the model must know to write a call is compared; bounds, formats, defaults and examples are left out, because
several providers refuse them and SDKs take them out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

_NULL = "null"
_ROOT = "#"
_DEPTH = 24
"""How deep schemas are read; below they are read as any value."""


@dataclass(frozen=True, slots=True)
class SchemaShape:
    """What a schema accepts: ``types`` empty for any, ``values`` None where it lists none.

    A value must fit one of the branches in ``alternatives``. ``required`` are the required properties.
    """

    types: frozenset[str] = frozenset()
    properties: Mapping[str, SchemaShape] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    items: SchemaShape | None = None
    values: frozenset[str] | None = None
    alternatives: tuple[SchemaShape, ...] = ()
    description: str = ""

    @property
    def says_nothing(self) -> bool:
        """Whether it accepts every value."""
        parts = (self.types, self.properties, self.required, self.alternatives, self.values)
        return not any(parts) and (self.items is None or self.items.says_nothing)


_ANYTHING = SchemaShape()


def shape_of(schema: Any) -> SchemaShape:
    """The meaning of a schema of arguments; of what is no schema, that of one which accepts every value.

    So is a schema inside itself: few SDKs can say one. That arguments are an object every wire says, with a schema or
    without one.
    """
    return replace(_Reader(schema).read(schema, (_ROOT,)), types=frozenset())


def lost(declared: SchemaShape, offered: SchemaShape, where: str = "") -> Iterator[tuple[str, str, str]]:
    """What ``offered`` no longer says: (where, what was declared, what is offered)."""
    if declared.says_nothing:
        return
    if offered.says_nothing:
        yield where, _words(declared), "a schema that accepts anything"
        return
    if declared.types and offered.types and declared.types != offered.types:
        yield where, _types(declared), _types(offered)
        return
    yield from _lost_values(declared, offered, where)
    yield from _lost_alternatives(declared, offered, where)
    yield from _lost_properties(declared, offered, where)
    if declared.items is not None:
        yield from lost(declared.items, offered.items or _ANYTHING, f"{where}[]")


def lost_descriptions(declared: SchemaShape, offered: SchemaShape, where: str = "") -> Iterator[tuple[str, str, str]]:
    """The descriptions that ``offered`` does not contain: (where, the declared one, the one offered)."""
    if not contains_words(offered.description, declared.description):
        yield where, declared.description, offered.description
    for name, inner in declared.properties.items():
        if name in offered.properties:
            yield from lost_descriptions(inner, offered.properties[name], _below(where, name))
    if declared.items is not None and offered.items is not None:
        yield from lost_descriptions(declared.items, offered.items, f"{where}[]")


def contains_words(text: str, part: str) -> bool:
    """Whether ``text`` contains ``part``, white space apart."""
    return part in text or " ".join(part.split()) in " ".join(text.split())


# --- reading ----------------------------------------------------------------------------------------------


class _Reader:
    """Reads the parts of ``root``; ``inside`` are the references that have led to a part."""

    def __init__(self, root: Any) -> None:
        self._root = root

    def read(self, schema: Any, inside: tuple[str, ...]) -> SchemaShape:
        if not isinstance(schema, Mapping) or len(inside) > _DEPTH:
            return _ANYTHING
        read = self._own(schema, inside)
        target = schema.get("$ref")
        if isinstance(target, str) and target not in inside:
            read = _both(read, self.read(_schema_at(target, self._root), (*inside, target)))
        for each in _list(schema.get("allOf")):
            read = _both(read, self.read(each, (*inside, "")))
        branches = [each for key in ("anyOf", "oneOf", "any_of") for each in _list(schema.get(key))]
        return _with_branches(read, [self.read(each, (*inside, "")) for each in branches if not _is_null(each)])

    def _own(self, schema: Mapping[str, Any], inside: tuple[str, ...]) -> SchemaShape:
        below = (*inside, "")
        properties, required = schema.get("properties"), schema.get("required")
        inner = properties if isinstance(properties, Mapping) else {}
        needed = required if isinstance(required, list | tuple) else ()
        return SchemaShape(
            types=frozenset(str(each).lower() for each in _list(schema.get("type"))) - {_NULL, "type_unspecified"},
            properties={str(name): self.read(each, below) for name, each in inner.items()},
            required=frozenset(each for each in needed if isinstance(each, str)),
            items=self.read(schema["items"], below) if schema.get("items") is not None else None,
            values=_values(schema),
            description=str(schema.get("description") or ""),
        )


def _values(schema: Mapping[str, Any]) -> frozenset[str] | None:
    values = [schema["const"]] if "const" in schema else _list(schema.get("enum"))
    listed = frozenset(json.dumps(each, sort_keys=True, default=repr) for each in values if each is not None)
    return listed or None


def _both(one: SchemaShape, other: SchemaShape) -> SchemaShape:
    """What both say together; where they differ, what ``one`` says."""
    return SchemaShape(
        one.types or other.types,
        {**other.properties, **one.properties},
        one.required | other.required,
        one.items if one.items is not None else other.items,
        one.values if one.values is not None else other.values,
        one.alternatives or other.alternatives,
        one.description or other.description,
    )


def _with_branches(read: SchemaShape, branches: Sequence[SchemaShape]) -> SchemaShape:
    if not branches:
        return read
    if len(branches) == 1:
        return _both(read, *branches)
    if all(branch == SchemaShape(branch.types, description=branch.description) for branch in branches):
        types = frozenset(each for branch in branches for each in branch.types)
        return _both(SchemaShape(types), read)
    return _both(read, SchemaShape(alternatives=tuple(branches)))


def _schema_at(target: str, root: Any) -> Any:
    """What a reference inside the schema names; None for any other."""
    if not target.startswith("#"):
        return None
    found = root
    for step in target.removeprefix("#").split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        found = found.get(name) if name and isinstance(found, Mapping) else found if not name else None
    return found


def _list(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def _is_null(schema: Any) -> bool:
    return isinstance(schema, Mapping) and str(schema.get("type")).lower() == _NULL


# --- comparing --------------------------------------------------------------------------------------------


def _lost_values(declared: SchemaShape, offered: SchemaShape, where: str) -> Iterator[tuple[str, str, str]]:
    if declared.values is not None and declared.values != offered.values:
        got = "any value" if offered.values is None else f"one of {', '.join(sorted(offered.values))}"
        yield where, f"one of {', '.join(sorted(declared.values))}", got


def _lost_alternatives(declared: SchemaShape, offered: SchemaShape, where: str) -> Iterator[tuple[str, str, str]]:
    others = offered.alternatives or (offered,)
    for branch in declared.alternatives:
        if all(next(lost(branch, other), None) is not None for other in others):
            yield where, f"an alternative with {_words(branch)}", "none that accepts it"
            return


def _lost_properties(declared: SchemaShape, offered: SchemaShape, where: str) -> Iterator[tuple[str, str, str]]:
    for name, inner in declared.properties.items():
        place = _below(where, name)
        if name not in offered.properties:
            yield place, _words(inner), "no such property"
        else:
            yield from lost(inner, offered.properties[name], place)
    for name in sorted((declared.required - offered.required) & offered.properties.keys()):
        yield _below(where, name), "a required property", "an optional one"


def _below(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _types(shape: SchemaShape) -> str:
    return f"type {' or '.join(sorted(shape.types))}"


def _words(shape: SchemaShape) -> str:
    if shape.properties:
        return f"an object with {', '.join(sorted(shape.properties))}"
    if shape.values:
        return f"one of {', '.join(sorted(shape.values))}"
    return _types(shape) if shape.types else "a schema"
