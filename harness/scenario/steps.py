"""How much work a file may make: a budget of steps, which ends what would take minutes.

A step is about the time in which one keyword of a JSON Schema is compared with one value: some microseconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

MOST_STEPS: Final = 500_000
"""Steps of one budget: some seconds at the worst. The largest shipped scenario takes a hundredth of them."""


class TooManySteps(Exception):
    """The budget is used up."""


class StepBudget:
    """So many steps, for whatever is done while the budget is that of ``spending``."""

    def __init__(self, steps: int = MOST_STEPS) -> None:
        self._left = steps

    def spend(self, steps: int) -> None:
        """Take steps. Raises ``TooManySteps`` when there are no more, from then on always."""
        self._left -= steps
        if self._left < 0:
            raise TooManySteps


_CURRENT: ContextVar[StepBudget | None] = ContextVar("_CURRENT", default=None)


@contextmanager
def spending(budget: StepBudget) -> Iterator[None]:
    """Within, ``spend`` takes its steps from this budget."""
    before = _CURRENT.set(budget)
    try:
        yield
    finally:
        _CURRENT.reset(before)


def spend(steps: int) -> None:
    """Take steps from the budget of this moment; without one nothing is counted.

    Raises ``TooManySteps`` when it is used up.
    """
    budget = _CURRENT.get()
    if budget is not None:
        budget.spend(steps)
