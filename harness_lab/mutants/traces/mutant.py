"""Breakages of a whole run as it was recorded, and changes of one that break nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from inspect import signature
from typing import Concatenate, ParamSpec, TypeVar

from harness.trace import Trace
from harness.wire import NATIVE_WIRES, WireName
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft

Edit = Callable[[TraceDraft], None]
"""Changes a trace where it stands. Raises ``NothingToBreak`` where it holds nothing that this could change."""


_P = ParamSpec("_P")
_T = TypeVar("_T")


def for_later(change: Callable[Concatenate[_T, _P], None]) -> Callable[_P, Callable[[_T], None]]:
    """A function of the arguments behind the first, which makes the change that needs the first.

    It raises ``TypeError`` at once for arguments that ``change`` does not take.
    """
    whole = signature(change)
    behind_the_first = whole.replace(parameters=list(whole.parameters.values())[1:])

    @wraps(change)
    def made(*args: _P.args, **members: _P.kwargs) -> Callable[[_T], None]:
        try:
            behind_the_first.bind(*args, **members)
        except TypeError as problem:
            raise TypeError(f"{change.__name__}() {problem}") from None
        return lambda changed: change(changed, *args, **members)

    made.__signature__ = behind_the_first  # type: ignore[attr-defined]
    return made


def draft_edit(change: Callable[Concatenate[TraceDraft, _P], None]) -> Callable[_P, Edit]:
    """A word for an edit that needs more than the draft: ``drop(ToolStart)`` is the edit without it."""
    return for_later(change)


@dataclass(frozen=True, slots=True)
class TraceMutant:
    """One mistake of a loop, made in the trace of a run without one: the shipped ``scenario``, on each of ``wires``.

    ``rule`` must find it. ``also`` are other rules that cannot but see it too, on some wire at least; a word that ends
    in a slash stands for a family. Every other rule must be blind to it.
    """

    name: str
    summary: str
    rule: str
    edit: Edit
    scenario: str
    wires: tuple[WireName, ...] = NATIVE_WIRES
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EquivalentTrace:
    """A change after which a run is as right as before, though one could think otherwise.

    ``informs`` are the rules that may report it for information (a word that ends in a slash stands for a family); no
    rule may report it in any other way.
    """

    name: str
    summary: str
    edit: Edit
    scenario: str
    wires: tuple[WireName, ...] = NATIVE_WIRES
    informs: tuple[str, ...] = ()


def changed(trace: Trace, edit: Edit) -> Trace | None:
    """The trace after ``edit``; None where there is nothing for it to change."""
    draft = TraceDraft.of(trace)
    try:
        edit(draft)
    except NothingToBreak:
        return None
    return draft.trace


@draft_edit
def both(draft: TraceDraft, first: Edit, second: Edit) -> None:
    """Two edits in one, where both can be made."""
    first(draft)
    second(draft)
