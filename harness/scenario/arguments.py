"""Whether the arguments that a script writes are what the tool's JSON Schema asks for.

A script that breaks a schema by mistake would test the wrong thing, so it must say ``invalid: true``, and a call
that says so must really be invalid.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError

from harness.errors import BadInput
from harness.scenario.tools import CANONICAL, registered
from harness.scenario.words import shown

__all__ = ["ArgumentProblem", "Validator", "argument_problems", "validator"]

Validator = Draft202012Validator


@dataclass(frozen=True, slots=True)
class ArgumentProblem:
    """A place inside the arguments (keys and indices) and what the schema has against it."""

    path: tuple[str | int, ...]
    message: str


def validator(schema: Mapping[str, Any]) -> Validator:
    """A validator for a tool's parameters, built once. Raises ``ValueError`` when it is no JSON Schema for objects."""
    if not _is_plainly_a_schema(schema):
        try:
            Validator.check_schema(schema)
        except SchemaError as error:
            raise ValueError(f"no JSON Schema: {error.message}") from None
    if schema.get("type") != "object":
        raise ValueError(f"a JSON Schema of type {shown(schema.get('type'))}")
    return Validator(schema)


def _is_plainly_a_schema(schema: Mapping[str, Any]) -> bool:
    """False where only ``check_schema`` can say, which takes a hundred times as long: all that may be wrong."""
    import jsonschema_rs  # takes 30 ms, which nobody should wait for who loads no scenario with tools of its own

    if "$schema" in schema or "pattern" in repr(schema):  # neither that nor regular expressions are judged here
        return False
    try:
        return jsonschema_rs.meta.is_valid({**schema, "$schema": Validator.META_SCHEMA["$id"]})
    except ValueError:  # something that no JSON has, like a date
        return False


@cache
def canonical(name: str) -> Validator:
    """The validator of a tool that is registered; all scenarios share it.

    Raises ``BadInput`` where the parameters of an added tool are no JSON Schema for objects.
    """
    parameters = registered(name).declaration.parameters
    if name in CANONICAL:
        return Validator(parameters)
    try:
        return validator(parameters)
    except ValueError as error:
        raise BadInput(f"the tool {name!r}: expected parameters of a JSON Schema for objects, got {error}") from None


def argument_problems(arguments: Mapping[str, Any] | str, schema: Validator) -> Iterator[ArgumentProblem]:
    """Everything that is wrong with arguments, written as an object or as raw JSON text."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError as error:
            yield ArgumentProblem((), f"no JSON: {error}")
            return
    for found in schema.iter_errors(arguments):
        yield ArgumentProblem(tuple(found.absolute_path), _in_words(found))


def _in_words(error: ValidationError) -> str:
    """jsonschema quotes the whole value, which may be a page; say what is wrong without it."""
    match error.validator:
        case "type":
            return f"{shown(error.instance)} is no {error.validator_value}"
        case "required" | "additionalProperties":
            return error.message
        case _:
            return error.message if len(error.message) < 200 else f"breaks '{error.validator}'"
