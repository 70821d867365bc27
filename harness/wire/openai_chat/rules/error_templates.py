"""The texts that OpenAI's server has for any member of a request: one per kind of mistake.

``{at}`` is the place. The rules that use a text say who got it word for word, and for which member.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from harness.wire.rule import Certainty, ErrorTemplate

MISSING: Final = ErrorTemplate(
    "Missing required parameter: '{at}'.",
    param="{at}",
    code="missing_required_parameter",
)
TYPE: Final = ErrorTemplate(
    "Invalid type for '{at}': expected {wanted}, but got {came} instead.",
    param="{at}",
    code="invalid_type",
)
VALUE: Final = ErrorTemplate(
    "Invalid value: '{value}'. Supported values are: {values}.",
    param="{at}",
    code="invalid_value",
)
PATTERN: Final = ErrorTemplate(
    "Invalid '{at}': string does not match pattern. Expected a string that matches the pattern '{pattern}'.",
    param="{at}",
    code="invalid_value",
)
EMPTY_ARRAY: Final = ErrorTemplate(
    "Invalid '{at}': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    param="{at}",
    code="empty_array",
)
EMPTY_STRING: Final = ErrorTemplate(
    "Invalid '{at}': empty string. Expected a string with minimum length 1, but got an empty string instead.",
    param="{at}",
    code="empty_string",
)
LONG_ARRAY: Final = ErrorTemplate(
    "Invalid '{at}': array too long. Expected an array with maximum length {limit}, "
    "but got an array with length {length} instead.",
    param="{at}",
    code="array_above_max_length",
)
LONG_STRING: Final = ErrorTemplate(
    "Invalid '{at}': string too long. Expected a string with maximum length {limit}, "
    "but got a string with length {length} instead.",
    param="{at}",
    code="string_above_max_length",
)
DECIMAL_ABOVE: Final = ErrorTemplate(
    "Invalid '{at}': decimal above maximum value. Expected a value <= {limit}, but got {value} instead.",
    param="{at}",
    code="decimal_above_max_value",
)
DECIMAL_BELOW: Final = ErrorTemplate(
    "Invalid '{at}': decimal below minimum value. Expected a value >= {limit}, but got {value} instead.",
    param="{at}",
    code="decimal_below_min_value",
)
INTEGER_ABOVE: Final = ErrorTemplate(
    "Invalid '{at}': integer above maximum value. Expected a value <= {limit}, but got {value} instead.",
    param="{at}",
    code="integer_above_max_value",
)
INTEGER_BELOW: Final = ErrorTemplate(
    "Invalid '{at}': integer below minimum value. Expected a value >= {limit}, but got {value} instead.",
    param="{at}",
    code="integer_below_min_value",
)


def seen(
    template: ErrorTemplate, text: str = "", *, certainty: Certainty | None = None, name: str = ""
) -> ErrorTemplate:
    """``template`` as somebody got it for one member, or with its level there, under its own name."""
    return replace(template, seen=text, certainty=certainty, name=name)
