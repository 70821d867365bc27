"""What the page shows: runs with their places, and, where they are there, a base to compare with and a history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.runner.results import CaseResult, RunResult

__all__ = ["Against", "RuleCount", "ShownRun", "shown_run", "trace_of"]

_EVENT = b'\n{"event":'
"""How the line of an event begins."""


@dataclass(frozen=True, slots=True)
class ShownRun:
    """A run. ``folder`` is where it lies, as a path from the page with ``/``; ``events`` is how many were told in each
    case whose trace is there, by its id."""

    result: RunResult
    folder: str = "."
    events: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RuleCount:
    """In how many cases of a run, in the words of whoever keeps a history, a rule was broken."""

    run: str
    rule: str
    count: int


@dataclass(frozen=True, slots=True)
class Against:
    """How the first run differs from the one called ``base``: by case id, the lines of a diff (``+``, ``-`` or a space
    in front)."""

    base: str
    changes: Mapping[str, Sequence[str]]


def shown_run(result: RunResult, path: Path, folder: str = ".") -> ShownRun:
    """The run whose folder is ``path``; its events are counted in its traces, as far as those are there."""
    traces = {case.id: trace_of(case, path) for case in result.cases}
    events = {id: trace.read_bytes().count(_EVENT) for id, trace in traces.items() if trace is not None}
    return ShownRun(result, folder, events)


def trace_of(case: CaseResult, path: Path) -> Path | None:
    """The case's trace in the run's folder, if it is there, and nowhere else."""
    if case.trace is None:
        return None
    trace = path / case.trace
    try:
        inside = trace.resolve().is_relative_to(path.resolve())
        return trace if inside and trace.suffix == ".jsonl" and trace.is_file() else None
    except ValueError:  # no file has such a name: half a character, a NUL
        return None
