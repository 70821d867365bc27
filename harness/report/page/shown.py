"""The content of the page: runs with their places and, if they are there, a base to compare with and a history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

from harness.runner.results import CaseResult, RunResult


@dataclass(frozen=True, slots=True)
class ShownRun:
    """A run. ``folder`` is its place, as a path from the page with ``/``; ``traced`` are the ids of the cases whose
    trace is there."""

    result: RunResult
    folder: str = "."
    traced: AbstractSet[str] = frozenset()


@dataclass(frozen=True, slots=True)
class RuleCount:
    """How many cases broke a rule in a run. The run has the name that the history uses."""

    run: str
    rule: str
    count: int


@dataclass(frozen=True, slots=True)
class Past:
    """The findings of past runs, the oldest run first; ``page`` is the page of them all, in the same folder, if any."""

    counts: Sequence[RuleCount]
    page: str = ""


@dataclass(frozen=True, slots=True)
class Against:
    """How the first run differs from the one called ``base``: by case id, the lines of a diff (``+``, ``-`` or a space
    in front)."""

    base: str
    changes: Mapping[str, Sequence[str]]


def shown_run(result: RunResult, path: Path, folder: str = ".") -> ShownRun:
    """The run whose folder is ``path``, with the traces that are there."""
    root = path.resolve()
    traced = frozenset(case.id for case in result.cases if _trace_of(case, path, root) is not None)
    return ShownRun(result, folder, traced)


def trace_of(case: CaseResult, path: Path) -> Path | None:
    """The case's trace in the run's folder, if it is there, and nowhere else."""
    return _trace_of(case, path, path.resolve())


def _trace_of(case: CaseResult, path: Path, root: Path) -> Path | None:
    if case.trace is None:
        return None
    trace = path / case.trace
    try:
        inside = trace.resolve().is_relative_to(root)
        return trace if inside and trace.suffix == ".jsonl" and trace.is_file() else None
    except ValueError:  # no file has such a name: half a character, a NUL
        return None
