"""What ``harness run`` shows: progress, the matrix scenario x wire, and the evidence.

Drawn with rich on a terminal, in plain lines elsewhere. Evidence is shown as text: markup is not interpreted and
control characters are made visible.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from harness.runner.results import CaseResult, Evidence, RunResult

__all__ = ["Terminal", "visible"]

_MOST_SHOWN = 20
"""Failing cases shown in full; the rest are in results.json."""

_SHORT = {
    "openai-responses": "responses",
    "openai-chat": "chat",
    "anthropic-messages": "anthropic",
    "gemini-generate": "gemini",
    "text-tags": "tags",
}
_STYLE = {"pass": "green", "fail": "red", "error": "magenta", "skip": "yellow"}


class Terminal:
    """The report on standard output. One instance tells one run."""

    def __init__(self) -> None:
        self._console = Console(file=sys.stdout, highlight=False, soft_wrap=True)
        self._advance: Callable[[CaseResult], None] = lambda _: None
        self._started = time.perf_counter()

    @contextlib.contextmanager
    def progress(self, target: str, total: int) -> Iterator[None]:
        """Show how far the run is while the block runs."""
        if self._console.is_terminal:
            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
            with Progress(*columns, console=self._console, transient=True) as bar:
                task = bar.add_task(f"driving {target}", total=total)
                self._advance = lambda _: bar.advance(task)
                yield
        else:
            self._line(f"driving {target}: {total} case{'' if total == 1 else 's'}")
            self._advance = _PlainProgress(total, self._line)
            yield

    def finished(self, result: CaseResult) -> None:
        """A case has ended."""
        self._advance(result)

    def summary(self, result: RunResult, folder: Path) -> None:
        """The matrix, the evidence and the last line."""
        self._console.print(_matrix(result))
        bad = [case for case in result.cases if case.verdict in ("fail", "error")]
        for case in bad[:_MOST_SHOWN]:
            self._case(case, folder)
        if len(bad) > _MOST_SHOWN:
            self._line(f"... and {len(bad) - _MOST_SHOWN} more in {folder / 'results.json'}")
        self._last_line(result, folder)

    def _case(self, case: CaseResult, folder: Path) -> None:
        style = _STYLE[case.verdict]
        self._console.print(f"\n[bold {style}]{case.verdict.upper()}[/] {escape(case.id)}")
        for evidence in case.evidence:
            self._evidence(evidence, f"{folder / (case.trace or '')}")
        if case.error is not None:
            self._line(_indent(visible(case.error)))
        self._line(f"  repeat    {case.repeat}")

    def _evidence(self, evidence: Evidence, trace: str) -> None:
        place = f"  {trace}:{evidence.at}" if evidence.at else ""
        self._console.print(f"  [bold]{escape(evidence.rule)}[/]  {evidence.level} {evidence.kind}{escape(place)}")
        said = {"expected": evidence.expected, "got": evidence.got, "evidence": evidence.detail}
        for name, text in said.items():
            if text or name != "evidence":
                self._line(f"    {name:8}  {_beneath(visible(text))}")

    def _last_line(self, result: RunResult, folder: Path) -> None:
        totals = result.totals
        seconds = time.perf_counter() - self._started
        if not result.complete:
            self._line("interrupted: what had finished is written")
        self._line(f"results: {folder / 'results.json'} ({seconds:.1f} s)")
        errors = f", {totals['error']} errors" if totals["error"] else ""
        self._line(f"{totals['pass']} passed, {totals['fail']} failed{errors}")

    def _line(self, text: str) -> None:
        self._console.print(text, markup=False)


class _PlainProgress:
    """A line at every tenth of the way, and one for every case that does not pass."""

    def __init__(self, total: int, line: Callable[[str], None]) -> None:
        self._total = total
        self._done = 0
        self._line = line

    def __call__(self, result: CaseResult) -> None:
        self._done += 1
        if result.verdict != "pass":
            self._line(f"  {result.verdict}  {result.id}")
        step = max(1, self._total // 10)
        if self._done % step == 0 or self._done == self._total:
            self._line(f"  {self._done}/{self._total}")


def _matrix(result: RunResult) -> Table:
    wires = list(dict.fromkeys(case.wire for case in result.cases))
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("scenario")
    for wire in wires:
        table.add_column(_SHORT.get(wire, wire), justify="right")
    cells: defaultdict[str, defaultdict[str, list[CaseResult]]] = defaultdict(lambda: defaultdict(list))
    for case in result.cases:
        cells[case.scenario][case.wire].append(case)
    for scenario, by_wire in cells.items():
        table.add_row(escape(scenario), *(_cell(by_wire[wire]) for wire in wires))
    return table


def _cell(cases: Sequence[CaseResult]) -> str:
    if not cases:
        return "-"
    totals = Counter(case.verdict for case in cases)
    worst = next(verdict for verdict in ("error", "fail", "skip", "pass") if totals[verdict])
    return f"[{_STYLE[worst]}]{totals['pass']}/{len(cases)}[/]"


def visible(text: str) -> str:
    """``text`` with control characters and lone surrogates shown as escapes, so that it cannot drive a terminal."""
    return "".join(char if char == "\n" or char.isprintable() else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


def _beneath(text: str) -> str:
    """Text of several lines, those behind the first beneath it."""
    return text.replace("\n", "\n" + " " * 14)


def _indent(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.rstrip().splitlines())
