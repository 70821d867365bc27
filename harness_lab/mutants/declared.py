"""Mistakes of loops, each declared above the code that makes it, whose docstring is the summary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

_Breakage = TypeVar("_Breakage")


@dataclass(frozen=True, slots=True)
class DeclaredMistake:
    """What takes the place of a part of the loop. ``place`` is a member of ``Seams`` or of ``LoopMutant``, and ``more``
    are further members of a ``LoopMutant``."""

    place: str
    breakage: Any
    name: str
    rules: tuple[str, ...]
    scenarios: tuple[str, ...]
    more: dict[str, Any]

    @property
    def summary(self) -> str:
        """What the loop does wrong."""
        return str(self.breakage.__doc__).partition("\n")[0]


DECLARED: list[DeclaredMistake] = []
"""The mistakes of all modules that have been imported."""

_SCENARIOS: dict[Any, tuple[str, ...]] = {}


def breaks(place: str, name: str, *rules: str, unseen_on: str = "", **more: Any) -> Callable[[_Breakage], _Breakage]:
    """Declare that a loop with this in a place of it is wrong, and that one of ``rules`` finds it."""

    def declare(breakage: _Breakage) -> _Breakage:
        further = {"unseen_on": tuple(unseen_on.split()), **more}
        DECLARED.append(DeclaredMistake(place, breakage, name, rules, _SCENARIOS.pop(breakage), further))
        return breakage

    return declare


def seen_in(*scenarios: str) -> Callable[[_Breakage], _Breakage]:
    """Say in which scenarios the mistake below ``breaks`` is found."""

    def note(breakage: _Breakage) -> _Breakage:
        _SCENARIOS[breakage] = scenarios
        return breakage

    return note
