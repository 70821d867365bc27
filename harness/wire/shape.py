"""The check of a request's shape against the minimal JSON Schema of its wire.

The schemas are kept by hand and say only what a provider is known to check. A subschema names its rule in the member
``rule`` (which JSON Schema ignores); a subschema without one belongs to the rule around it.

Judged by jsonschema-rs: a request of 200 KB takes it 0.07 ms and the validator in Python 18 ms. Where the two differ
(regular expressions) it follows ECMA-262, as JSON Schema asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from harness.wire.base import Json
from harness.wire.characters import sendable_value


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that a schema forbids.

    ``rule`` is the nearest ``rule`` around it. ``keyword`` is the schema keyword that forbids it (``required``,
    ``type``, ``additionalProperties``, ``pattern``, ``minLength`` ...) and ``wanted`` its value in the schema. ``path``
    leads to the value in the request. ``member`` is the member that is missing (``required``) or that nobody knows
    (``additionalProperties``, one fault for each); ``""`` for other keywords.
    """

    rule: str
    keyword: str
    wanted: Any
    path: tuple[str | int, ...]
    value: Any
    member: str = ""

    @property
    def is_bound(self) -> bool:
        """Whether a number, a length or a choice is out of bounds. The demand that there is something is no bound."""
        return self.keyword in _BOUNDS and (self.keyword, self.wanted) not in _SOME


_BOUNDS: Final = frozenset({"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "enum"})
_SOME: Final = (("minLength", 1), ("minItems", 1))


class RequestShape:
    """A schema, compiled at its first use. ``RequestShape(SCHEMA).faults(body)``."""

    def __init__(self, schema: Json) -> None:
        self._schema: Final = schema

    @cached_property
    def _validator(self) -> Any:
        import jsonschema_rs  # takes 30 ms, which nobody should wait for who does not judge a request

        return jsonschema_rs.validator_for(self._schema)

    def faults(self, value: Any) -> list[Fault]:
        """Everything that the schema forbids in ``value``, from front to back; nearly always nothing.

        If something is forbidden, values nested more than 200 levels deep may count as empty, and half a surrogate pair
        as U+FFFD: the validator reports no faults for values of more than 255 levels or for text that is not UTF-8.
        """
        try:
            if self._validator.is_valid(value):
                return []
            errors = list(self._validator.iter_errors(value))
        except ValueError:
            value = sendable_value(_flat_copy(value, 200))
            errors = list(self._validator.iter_errors(value))
        found = [fault for error in errors for fault in self._of(error, value)]
        return sorted(found, key=lambda fault: _position(value, fault.path))

    def _of(self, error: Any, value: Any) -> Iterator[Fault]:
        keyword, path = str(error.kind.name), tuple(error.instance_path)
        rule, wanted = self._rule_and_limit(error.schema_path)
        for member in _members(error.kind):
            yield Fault(rule, keyword, wanted, path, _value_at(value, path), member)

    def _rule_and_limit(self, path: Sequence[str | int]) -> tuple[str, Any]:
        """The nearest rule on the way to a keyword, and the keyword's value."""
        rule, here = "", self._schema
        for step in path:
            if isinstance(here, dict):
                rule = here.get("rule", rule)
            here = _value_at(here, [step])
            if step == "$ref":
                here = _value_at(self._schema, str(here).removeprefix("#/").split("/"))
        return rule, here


def _members(kind: Any) -> list[str]:
    if kind.name == "required":
        return [kind.property]
    return list(kind.unexpected) if kind.name == "additionalProperties" else [""]


def _value_at(value: Any, path: Iterable[str | int]) -> Any:
    for step in path:
        value = value[step]
    return value


def _flat_copy(value: Any, levels: int) -> Any:
    """A copy of a JSON value, its lists and objects empty below so many levels."""
    if isinstance(value, dict):
        return {name: _flat_copy(inner, levels - 1) for name, inner in value.items()} if levels else {}
    if isinstance(value, list):
        return [_flat_copy(inner, levels - 1) for inner in value] if levels else []
    return value


def _position(value: Any, path: tuple[str | int, ...]) -> list[int]:
    """The position of the path's value in the document, as a sort key."""
    position = []
    for step in path:
        position.append(step if isinstance(step, int) else list(value).index(step))
        value = value[step]
    return position
