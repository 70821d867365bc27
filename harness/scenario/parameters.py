"""Checks whether the parameters of a tool are a usable JSON Schema.

It checks more than JSON Schema demands: each ``$ref`` leads to a place in the schema itself; no ``$ref`` leads
back to itself without a step into a value; and each pattern is one that ``harness.scenario.regexes`` can match.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.scenario.drafts import NEWEST, draft_of
from harness.scenario.regexes import LONGEST_PATTERN, readable
from harness.scenario.words import shown

SchemaPath = tuple[str | int, ...]
"""The way from the top of a schema to a place in it."""

_OF_ONE = (
    *("additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not"),
    *("propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"),
)
_OF_SEVERAL = ("allOf", "anyOf", "items", "oneOf", "prefixItems")
_BY_NAME = ("$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties")

_OF_THE_SAME_VALUE = frozenset(
    {"allOf", "anyOf", "dependencies", "dependentSchemas", "else", "if", "not", "oneOf", "then"}
)
"""The keywords whose schemas are about the value that the schema itself is about, and not about a part of it."""


class UnusableSchema(ValueError):
    """The parameters of a tool cannot be used. The text of the exception is the faulty value.

    ``path`` leads to the place in them, ``expected`` says what belongs there and ``remedy`` what to do.
    """

    def __init__(self, path: SchemaPath, expected: str, got: str, remedy: str = "correct the schema") -> None:
        super().__init__(got)
        self.path = path
        self.expected = expected
        self.remedy = remedy


def check(schema: Mapping[str, Any]) -> None:
    """Raise ``UnusableSchema`` with the first reason why ``schema`` cannot be the parameters of a tool."""
    _check_draft(schema)
    if schema.get("type") != "object":
        got = f"a JSON Schema of type {shown(schema.get('type'))}"
        raise UnusableSchema((), "a JSON Schema of type 'object'", got)
    _Walk(schema).check()


def _check_draft(schema: Mapping[str, Any]) -> None:
    import jsonschema_rs  # takes 30 ms, which nobody should wait for who loads no scenario with tools of its own

    expected = "a JSON Schema of type 'object'"
    if not isinstance(schema.get("$schema", ""), str):
        raise UnusableSchema(("$schema",), "the address of a draft", shown(schema["$schema"]))
    try:
        jsonschema_rs.meta.validate({**schema, "$schema": draft_of(schema) or NEWEST})
    except jsonschema_rs.ValidationError as error:
        raise UnusableSchema(tuple(error.instance_path), expected, f"no JSON Schema: {shown(error.message)}") from None
    except ValueError as error:  # something that no JSON has, or that is nested too deeply
        raise UnusableSchema((), expected, f"no JSON: {error}") from None


class _Walk:
    """Every schema in a schema, and every one that a ``$ref`` leads to."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._root = schema
        self._paths: dict[int, SchemaPath] = {}
        self._after: dict[int, list[int]] = {}  # by schema: those about the same value

    def check(self) -> None:
        waiting: list[tuple[SchemaPath, Any]] = [((), self._root)]
        while waiting:
            path, schema = waiting.pop()
            if not isinstance(schema, Mapping) or id(schema) in self._paths:
                continue
            self._paths[id(schema)] = path
            self._check_one(path, schema)
            below = list(_below(path, schema))
            same = [each for keyword, _, each in below if keyword in _OF_THE_SAME_VALUE]
            if "$ref" in schema:
                target = self._target((*path, "$ref"), schema["$ref"])
                below.append(("$ref", self._paths.get(id(target), (*path, "$ref")), target))
                same.append(target)
            self._after[id(schema)] = [id(each) for each in same if isinstance(each, Mapping)]
            waiting += [(inside, each) for _, inside, each in reversed(below)]
        self._check_circles()

    def _check_one(self, path: SchemaPath, schema: Mapping[str, Any]) -> None:
        for keyword in ("$dynamicRef", "$recursiveRef"):
            if keyword in schema:
                raise UnusableSchema((*path, keyword), "a $ref that begins with #/", f"a {keyword}", "use $ref")
        for keyword in ("$id", "$schema"):
            if path and keyword in schema:
                raise UnusableSchema((*path, keyword), "one schema", f"the '{keyword}' of another in it", "remove it")
        if "unevaluatedProperties" in schema and "patternProperties" in schema:
            remedy = "write 'additionalProperties'"
            where = (*path, "unevaluatedProperties")
            raise UnusableSchema(where, "no 'unevaluatedProperties' beside 'patternProperties'", "both", remedy)
        for where, pattern in _patterns(path, schema):
            if not readable(pattern):
                expected = f"a regular expression of ECMA-262 of at most {LONGEST_PATTERN:,} characters"
                raise UnusableSchema(where, expected, shown(pattern), "correct it")

    def _target(self, path: SchemaPath, reference: str) -> Any:
        """What a ``$ref`` leads to. Only the schema itself is searched; nothing is ever retrieved."""
        expected = "a $ref that begins with #/"
        if reference != "#" and not reference.startswith("#/"):
            remedy = "copy what it refers to into '$defs' of the schema; nothing is fetched"
            raise UnusableSchema(path, expected, shown(reference), remedy)
        found = self._found(reference)
        if not isinstance(found, Mapping | bool):
            remedy = "correct it, or add what is missing"
            raise UnusableSchema(path, "a $ref that leads to a schema in this one", shown(reference), remedy)
        return found

    def _found(self, reference: str) -> Any:
        # As the validator will find it, and only known to be needed here.
        from referencing import Registry
        from referencing.exceptions import Unresolvable
        from referencing.jsonschema import DRAFT202012

        root = {name: value for name, value in self._root.items() if name != "$id"}
        if reference == "#":
            return self._root
        try:
            resolver = Registry().with_resource("", DRAFT202012.create_resource(root)).resolver()
            return resolver.lookup(reference).contents
        except (Unresolvable, ValueError):
            return None

    def _check_circles(self) -> None:
        """By depth first: a schema that leads to one that is not finished leads back to itself."""
        finished: set[int] = set()
        for start in self._after:
            way: dict[int, Iterator[int]] = {start: iter(self._after[start])} if start not in finished else {}
            while way:
                here, rest = next(reversed(way.items()))
                following = next(rest, None)
                if following is None:
                    finished.add(here)
                    del way[here]
                elif following in way:
                    remedy = "let it refer to a schema of a member or an item"
                    got = "one that leads back to itself for the same value"
                    raise UnusableSchema(self._paths[here], "a schema that comes to an end", got, remedy)
                elif following not in finished:
                    way[following] = iter(self._after[following])


def _below(path: SchemaPath, schema: Mapping[str, Any]) -> Iterator[tuple[str, SchemaPath, Any]]:
    """The schemas right inside of one: the keyword, the way to it, and the schema."""
    for keyword, value in schema.items():
        if keyword in _OF_ONE and not isinstance(value, list):
            yield keyword, (*path, keyword), value
        elif keyword in _OF_SEVERAL:
            yield from ((keyword, (*path, keyword, index), each) for index, each in enumerate(value))
        elif keyword in _BY_NAME:
            yield from ((keyword, (*path, keyword, name), each) for name, each in value.items())


def _patterns(path: SchemaPath, schema: Mapping[str, Any]) -> Iterator[tuple[SchemaPath, str]]:
    if "pattern" in schema:
        yield (*path, "pattern"), schema["pattern"]
    for pattern in schema.get("patternProperties", ()):
        yield (*path, "patternProperties", pattern), pattern
