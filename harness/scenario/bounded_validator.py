"""A validator of JSON Schema, for schemas and values that anybody may have written.

The draft is the one that the schema names, and 2020-12 if it names none.

It is jsonschema's, with these differences:

- It retrieves nothing: a ``$ref`` finds only what is in the schema itself.
- Patterns are matched in linear time (``harness.scenario.regexes``).
- Each keyword takes steps from the budget (``harness.scenario.steps``), by the size of what it looks at. A schema of a
  few lines can otherwise ask for 2^50 comparisons, by references that branch.
- ``uniqueItems`` does not compare each item with each other one, and ``multipleOf`` takes any number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from jsonschema import (
    Draft4Validator,
    Draft6Validator,
    Draft7Validator,
    Draft201909Validator,
    Draft202012Validator,
)
from jsonschema.exceptions import ValidationError
from jsonschema.validators import create
from referencing import Registry
from referencing.jsonschema import specification_with

from harness.scenario.drafts import DRAFT_04, DRAFT_06, DRAFT_07, DRAFT_2019, NEWEST, WITH_SIBLINGS, draft_of
from harness.scenario.regexes import matches
from harness.scenario.steps import spend

Validator = Draft202012Validator
"""The type of what ``bounded`` returns; jsonschema's classes are made at run time and have no other."""

_Keyword = Callable[[Any, Any, Any, Any], Iterator[ValidationError]]

_HANDING_ON = frozenset(
    {"$ref", "additionalItems", "additionalProperties", "allOf", "dependencies", "dependentSchemas", "if", "items"}
    | {"patternProperties", "prefixItems", "properties", "propertyNames", "required"}
)

_OF_A_STEP = 16
"""Values that are looked at in the time of a step."""

_LETTERS_OF_A_VALUE = 100
"""Characters of a text that count as a value of their own."""


def bounded(schema: Mapping[str, Any]) -> Validator:
    """A validator for ``schema``, which must have passed ``harness.scenario.parameters.check``."""
    # Without its own address and draft, by which jsonschema would take another validator for '#'.
    content = {name: value for name, value in schema.items() if name not in ("$id", "$schema")}
    made: Validator = _bounded_class(draft_of(schema) or NEWEST)(content, registry=Registry())
    return made


def _pattern(validator: Any, pattern: str, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if validator.is_type(value, "string") and not matches(pattern, value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: Any, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if not validator.is_type(value, "object"):
        return
    for pattern, schema in patterns.items():
        for name, member in value.items():
            if matches(pattern, name):
                yield from validator.descend(member, schema, path=name, schema_path=pattern)


def _additional_properties(validator: Any, wanted: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    if "patternProperties" not in schema or not validator.is_type(value, "object"):
        yield from _THEIRS["additionalProperties"](validator, wanted, value, schema) or ()
        return
    known, patterns = schema.get("properties", {}), schema["patternProperties"]
    others = [name for name in value if name not in known and not any(matches(each, name) for each in patterns)]
    if wanted is False and others:
        yield ValidationError(f"no pattern of this object fits {', '.join(map(repr, others))}")
    elif validator.is_type(wanted, "object"):
        for name in others:
            yield from validator.descend(value[name], wanted, path=name)


def _unique_items(validator: Any, wanted: Any, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if wanted and validator.is_type(value, "array") and len(set(map(_identity, value))) < len(value):
        yield ValidationError(f"{value!r} has non-unique elements")


def _identity(value: Any) -> object:
    """Equal for values that are equal in JSON: 1 and 1.0, but not 1 and true."""
    if isinstance(value, list):
        return tuple(map(_identity, value))
    if isinstance(value, dict):
        return frozenset((name, _identity(member)) for name, member in value.items())
    return (bool, value) if isinstance(value, bool) else value


def _unevaluated_items(theirs: _Keyword) -> _Keyword:
    """The keyword of a draft, which looks for each item in a list of all."""

    def unevaluated(validator: Any, wanted: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
        if validator.is_type(value, "array"):
            spend(len(value) ** 2 // (_OF_A_STEP * _OF_A_STEP))
        yield from theirs(validator, wanted, value, schema) or ()

    return unevaluated


def _multiple_of(validator: Any, factor: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    try:
        yield from _THEIRS["multipleOf"](validator, factor, value, schema) or ()
    except (OverflowError, ValueError):  # infinite, no number, or an integer beyond any float
        yield ValidationError(f"cannot be divided by {factor}")


_THEIRS: Final[Mapping[str, _Keyword]] = Draft202012Validator.VALIDATORS

_OURS: Final[Mapping[str, _Keyword]] = {
    "additionalProperties": _additional_properties,
    "multipleOf": _multiple_of,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "uniqueItems": _unique_items,
}


def _counting_keyword(name: str, keyword: _Keyword) -> _Keyword:
    # A keyword that only hands on the members of a value looks at their number; any other may compare or quote all.
    measure = _length if name in _HANDING_ON else _size
    asked = _size if name in ("const", "enum") else _length

    def counted(validator: Any, wanted: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
        spend(1 + (asked(wanted) + measure(value)) // _OF_A_STEP)
        return keyword(validator, wanted, value, schema)

    return counted


def _length(value: Any) -> int:
    return len(value) if isinstance(value, dict | list) else 1


def _size(value: Any) -> int:
    """How many values there are in this one. (Without recursion, because this is called for nearly every keyword.)"""
    if isinstance(value, str):
        return 1 + len(value) // _LETTERS_OF_A_VALUE
    if not isinstance(value, list | dict):
        return 1
    size = 0
    waiting: list[Any] = [value]
    while waiting:
        size += 1
        match waiting.pop():
            case str(text):
                size += len(text) // _LETTERS_OF_A_VALUE
            case list(items):
                waiting += items
            case dict(members):
                waiting += members
                waiting += members.values()
    return size


def _keywords_of(schema: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    """The keywords of a schema. jsonschema also asks for them where it compares none of them."""
    spend(1)
    return schema.items()


def _keywords_or_ref(schema: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    """The same for a draft in which a ``$ref`` is alone."""
    spend(1)
    return (("$ref", schema["$ref"]),) if "$ref" in schema else schema.items()


_THEIR_VALIDATORS: Final[Mapping[str, Any]] = {
    NEWEST: Draft202012Validator,
    DRAFT_2019: Draft201909Validator,
    DRAFT_07: Draft7Validator,
    DRAFT_06: Draft6Validator,
    DRAFT_04: Draft4Validator,
}


@cache
def _bounded_class(draft: str) -> Any:
    """The class of the validators for a draft."""
    theirs = _THEIR_VALIDATORS[draft]
    ours = {name: keyword for name, keyword in _OURS.items() if name in theirs.VALIDATORS}
    if "unevaluatedItems" in theirs.VALIDATORS:
        ours["unevaluatedItems"] = _unevaluated_items(theirs.VALIDATORS["unevaluatedItems"])
    return create(
        meta_schema=theirs.META_SCHEMA,
        validators={name: _counting_keyword(name, keyword) for name, keyword in {**theirs.VALIDATORS, **ours}.items()},
        type_checker=theirs.TYPE_CHECKER,
        id_of=specification_with(draft).id_of,  # type: ignore[arg-type]  # None for a schema without one, as everywhere
        applicable_validators=_keywords_of if draft in WITH_SIBLINGS else _keywords_or_ref,  # type: ignore[arg-type]  # typed as if the values were functions
    )
