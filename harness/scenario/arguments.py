"""Checks whether the arguments in a script fit the tool's JSON Schema.

A script that breaks a schema by mistake would test the wrong thing, so it must say ``invalid: true``, and a call
that says so must really be invalid.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any, Final

from jsonschema.exceptions import ValidationError

from harness.errors import BadInput
from harness.scenario.bounded_validator import Validator, bounded
from harness.scenario.parameters import UnusableSchema, check
from harness.scenario.steps import MOST_STEPS, StepBudget, TooManySteps, spending
from harness.scenario.tools import CANONICAL, registered
from harness.scenario.words import shown
from harness.wire.json_text import strict

__all__ = ["ArgumentProblem", "UnusableSchema", "Validator", "argument_problems", "validator"]

_MOST_PROBLEMS: Final = 20
"""The most problems that are reported for one call."""


@dataclass(frozen=True, slots=True)
class ArgumentProblem:
    """A place inside the arguments (keys and indices) and what is wrong there by the schema."""

    path: tuple[str | int, ...]
    message: str

    @property
    def words(self) -> str:
        """The place, unless it is the whole arguments, and what is wrong there."""
        place = ".".join(map(str, self.path))
        return f"{place}: {self.message}" if place else self.message


def validator(schema: Mapping[str, Any]) -> Validator:
    """A validator for a tool's parameters, built once; it fetches nothing, and takes a bounded time.

    Raises ``UnusableSchema``, a ``ValueError``, if they are no JSON Schema for objects, or one that refers to
    something outside of it.
    """
    check(schema)
    return bounded(schema)


@cache
def canonical(name: str) -> Validator:
    """The validator of a tool that is registered; all scenarios share it.

    Raises ``BadInput`` if the parameters of an added tool are no JSON Schema for objects.
    """
    parameters = registered(name).declaration.parameters
    if name in CANONICAL:
        return bounded(parameters)
    try:
        return validator(parameters)
    except UnusableSchema as error:
        place = "".join(f"/{step}" for step in error.path)
        raise BadInput(
            f"the tool {name!r}, parameters{place}: expected {error.expected}, got {error}; {error.remedy}"
        ) from None


def argument_problems(
    arguments: Mapping[str, Any] | str, schema: Validator, budget: StepBudget | None = None
) -> Iterator[ArgumentProblem]:
    """The first twenty problems of arguments, which are an object or raw JSON text.

    A ``budget`` that is used up, and arguments that are nested too deeply, are problems, too. Without a ``budget``
    the arguments get one of their own.
    """
    if isinstance(arguments, str):
        try:
            arguments = strict(arguments)
        except ValueError as error:
            yield ArgumentProblem((), f"no JSON: {error}")
            return
        except RecursionError:
            yield ArgumentProblem((), "values that are nested too deeply")
            return
    yield from _problems(arguments, schema, budget or StepBudget())


def _problems(arguments: Any, schema: Validator, budget: StepBudget) -> list[ArgumentProblem]:
    found: list[ArgumentProblem] = []
    try:
        with spending(budget):
            for error in islice(schema.iter_errors(arguments), _MOST_PROBLEMS):
                found.append(ArgumentProblem(tuple(error.absolute_path), _in_words(error)))
    except TooManySteps:
        found.append(ArgumentProblem((), f"what takes more than {MOST_STEPS:,} steps to compare with its schema"))
    except RecursionError:
        found.append(ArgumentProblem((), "values that are nested too deeply"))
    return found


def _in_words(error: ValidationError) -> str:
    """The problem without the value: jsonschema quotes the whole value, which may be a page."""
    match error.validator:
        case "type":
            return f"{shown(error.instance)} is no {error.validator_value}"
        case "required" | "additionalProperties":
            return error.message
        case _:
            return error.message if len(error.message) < 200 else f"breaks '{error.validator}'"
