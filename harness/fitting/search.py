"""The search for a value: candidates are drawn, and only one that the schema's own validator accepts is used.

Plain candidates come first, so that people can read the model's answers. If none fits, the schema is brought into its
canonical form, in which conditions, choices and exclusions are decided, and candidates are drawn from that. The search
is bounded, and the same in every process.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from harness.fitting.by_draft import SchemaByDraft
from harness.fitting.drawing import Drawing
from harness.fitting.parts import Circular, Goal, Impossible, Steps, ValueTooLarge

_PLAIN_TRIES: Final = 6
_CANONICAL_TRIES: Final = 24


class Search:
    """The search for one value. ``why`` is the reason if there is none."""

    def __init__(self, read: list[SchemaByDraft], text: str, number: int, *, arguments: bool) -> None:
        self._read = read
        self._text = text
        self._number = number
        self._arguments = arguments
        self.why = ""
        self._is_over = False
        self._too_large = 0
        self._steps = Steps()

    def value(self) -> tuple[Any] | None:
        """The first candidate that fits every reading of the schema, or else the first that fits the decisive one."""
        first, *others = self._read
        second: tuple[Any] | None = None
        for value in self._candidates():
            if not first.accepts(value):
                self._note_reason(f"of what was tried, the likeliest breaks it: {first.problem(value)}")
            elif all(other.accepts(value) for other in others):
                return (value,)
            else:
                second = second or (value,)
        return second

    def _note_reason(self, why: str) -> None:
        self.why = self.why or f"no value was found that fits its schema: {why}"

    def _candidates(self) -> Iterator[Any]:
        yield from self._drawn(self._read[0], _PLAIN_TRIES)
        for each in () if self._is_over else self._read:
            form = each.canonical()
            if form is None:
                continue
            if form.schema is not False:
                yield from self._drawn(form, _CANONICAL_TRIES)
            elif each is self._read[0]:
                self.why = "its schema accepts no value at all"
                return

    def _drawn(self, schema: SchemaByDraft, tries: int) -> Iterator[Any]:
        references = schema.references()
        goals = [Goal({"type": "object"}, references)] * self._arguments + [Goal(schema.schema, references)]
        for tried in range(tries):
            if self._too_large > 1:  # the first may have had members that it need not have
                return
            try:
                yield self._drawing(schema, tried).of(goals)
            except Circular as error:
                self.why, self._is_over = f"its schema says nothing: {error}", True
                return
            except ValueTooLarge as error:
                self._note_reason(str(error))
                self._too_large += 1
            except Impossible as error:
                self._note_reason(str(error))
            except RecursionError:
                self._note_reason("it is nested too deeply")
                return

    def _drawing(self, schema: SchemaByDraft, tried: int) -> Drawing:
        number = self._number
        return Drawing(
            schema.accepts_alone,
            self._steps,
            text=self._text,
            members=_members(number, tried) if self._arguments else _members(1, tried),
            turn=number + tried // 2,
            random=Random(f"{number} {tried}") if number > 1 or tried > 3 else None,
            examples=tried % 2 == 0,
            siblings=schema.siblings,
        )


def _members(number: int, tried: int) -> str:
    """Which optional members the objects have: at first those for the call's number, later any that may help."""
    wanted = number if tried < 2 else number + tried - 1
    return ("none", "all")[wanted] if wanted < 2 else "some"
