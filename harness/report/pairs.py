"""The output of ``harness gateway``: progress, the matrix client x upstream, and the causes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final, TextIO

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from harness.report.causes import Cause, causes
from harness.report.labels import label_of
from harness.report.terminal import Terminal
from harness.report.totals import counted, grouped, unserved
from harness.report.visible import named, visible
from harness.runner.results import CaseResult, RunResult

_WHOLE: Final = "-whole"
_TO: Final = "to-"


def upstream_of_case(case: CaseResult) -> str:
    """The upstream of a gateway's case, from the way in its result."""
    return case.chunking.removeprefix(_TO).removesuffix(_WHOLE)


class PairReport:
    """The report on standard output, or in a file, during and after a run of a gateway."""

    def __init__(
        self, name: str, file: TextIO | None = None, *, verbosity: int = 0, max_findings: int | None = None
    ) -> None:
        self._name = name
        self._verbosity = verbosity
        self._terminal = Terminal(file, verbosity=verbosity, max_findings=max_findings)
        self._console = Console(file=file, highlight=False, emoji=False, soft_wrap=True)

    def progress(self, ids: Sequence[str]) -> AbstractContextManager[None]:
        """Show the progress of these cases while the block runs."""
        return self._terminal.progress(self._name, ids)

    def finished(self, result: CaseResult) -> None:
        """A case has ended."""
        self._terminal.finished(result)

    def summary(self, result: RunResult, folder: Path, seconds: float) -> None:
        """The matrix, notes, the causes and the last lines; with ``-q`` no matrix, with ``-qq`` the last lines."""
        found = causes(result)
        if self._verbosity >= 0:
            self._line(_heading(result, seconds))
            self._console.print(pair_matrix(result, found))
            for line in (*grouped(result), *unserved(result)):
                self._line(line)
        if self._verbosity > -2:
            self._terminal.causes(result, folder)
            self._line("")
        if not result.complete:
            self._line("interrupted: not all cases were played; the results so far are written")
        self._line(_number(len(found), "cause"))
        self._line(f"page:    {folder / 'index.html'}")
        self._line(f"results: {folder / 'results.json'}")
        self._line(counted(result))

    def _line(self, text: str) -> None:
        self._console.print(visible(text), markup=False)


def pair_matrix(result: RunResult, found: Sequence[Cause]) -> Table:
    """A row per upstream, a column per client: the number of causes in their cases, or ``ok``."""
    clients = list(dict.fromkeys(case.wire for case in result.cases))
    upstreams = list(dict.fromkeys(map(upstream_of_case, result.cases)))
    cells = _causes_by_pair(result, found)
    there = {(case.wire, upstream_of_case(case)) for case in result.cases}
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("upstream \\ client")
    for client in clients:
        table.add_column(escape(named(label_of(client))), justify="right")
    for upstream in upstreams:
        row = [_cell(cells[client, upstream]) if (client, upstream) in there else "" for client in clients]
        table.add_row(escape(named(upstream)), *row)
    return table


def _causes_by_pair(result: RunResult, found: Sequence[Cause]) -> Mapping[tuple[str, str], set[str]]:
    cells: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for cause in found:
        for member in cause.members:
            case = result.cases[member.case]
            cells[case.wire, upstream_of_case(case)].add(cause.id)
    return cells


def _cell(some: set[str]) -> str:
    return f"[red]{len(some)}[/]" if some else "[green]ok[/]"


def _heading(result: RunResult, seconds: float) -> str:
    version = result.versions.get(result.target, "")
    pairs = {(case.wire, upstream_of_case(case)) for case in result.cases}
    requests = sum(case.requests for case in result.cases)
    name = f"{result.target} {version}".strip()
    return (
        f"gateway {name}: {_number(len(pairs), 'pair')}, {_number(len(result.cases), 'case')}, "
        f"{_number(requests, 'request')} of it to our models, {seconds:.0f} s"
    )


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
