"""Answers in text that must be JSON of a certain shape: reads them, and asks the model to correct a wrong one.

Source: "Tool Call Flow Diagrams", sections "High-Level Agent Run Cycle" (extract text, validate, end) and "Message
Part Relationships" (a retry prompt that belongs to no tool). An output tool is the other way to such a result.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.errors import BadInput
from harness.trace import JsonValue
from harness.wire.json_text import strict


class TextOutput:
    """Checks that the text of a run's last turn is a JSON object that fits ``schema``.

    ``allowed``: after how many wrong texts of one run the model is asked again; None: any number. ``retries`` counts
    them. Raises ``BadInput`` if ``schema`` is no JSON Schema for objects.
    """

    def __init__(self, schema: Mapping[str, Any], allowed: int | None) -> None:
        from harness.scenario.arguments import validator  # a loop without such an output needs no jsonschema

        try:
            self._validator = validator(schema)
        except ValueError as error:
            raise BadInput(f"the output schema: expected a JSON Schema for objects, got {error}") from None
        self._allowed = allowed
        self.retries = 0
        self.value: JsonValue = None

    def problem(self, text: str) -> str:
        """What is wrong with a text; ``""`` if nothing is. ``value`` is then its object."""
        from harness.scenario.arguments import argument_problems

        try:
            value = strict(text)
        except (ValueError, RecursionError) as error:
            return f"it is no JSON: {error}"
        wrong = argument_problems(value, self._validator) if isinstance(value, dict) else None
        if wrong is None:
            return "it is JSON, and no object"
        self.value = value
        return "; ".join(each.words for each in wrong)

    def ask_again(self, problem: str) -> str | None:
        """The message that asks for a better text; None if the model has no retry left."""
        if self.retries == self._allowed:
            return None
        self.retries += 1
        count = "" if self._allowed is None else f" (retry {self.retries} of {self._allowed})"
        return f"The answer must be a JSON object that fits the output schema: {problem}. Answer again{count}."
