"""The output of ``harness run``: progress, the matrix scenario x wire, and the findings.

It is drawn with rich on a terminal, and in plain lines elsewhere. All texts of a run are shown as text: markup is not
interpreted, control characters are made visible, and a very long text is cut.
"""

from __future__ import annotations

import contextlib
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, TextIO

from rich.console import Console
from rich.text import Text

from harness.baseline.places import find
from harness.baseline.versions import OutOfForce
from harness.finding import Finding
from harness.report.causes import ERROR, Cause, causes, title
from harness.report.entries import also, case_of, label, labelled, names, scenario_place, severity
from harness.report.matrix import STYLE, matrix
from harness.report.progress import showing
from harness.report.totals import blocked, counted, grouped, network, unserved
from harness.report.visible import beneath, cut, in_line, visible
from harness.runner.results import BlockedHost, CaseResult, DriverFinding, RunResult, Stale
from harness.runner.shards import Shard
from harness.wire import WireName

__all__ = ["MOST_SHOWN", "Terminal", "visible"]

MOST_SHOWN: Final = 10
"""Causes that are shown with their findings by default; the others have one line each."""

_TOTALS_ONLY: Final = -2
"""The verbosity of ``-qq``."""

_UNCHECKED: Final = "not checked because of this"

_LONGEST = 4_000
"""Characters of a text; the whole text is in results.json."""


class Terminal:
    """The report on standard output, or in a file. One instance reports one run, during the run or later.

    ``verbosity`` -1 shows causes and totals, -2 totals only, above 0 also every failing case. ``max_findings`` is how
    many causes are shown with their findings (None: 10).
    """

    def __init__(self, file: TextIO | None = None, *, verbosity: int = 0, max_findings: int | None = None) -> None:
        self._verbosity = verbosity
        self._max_findings = MOST_SHOWN if max_findings is None else max_findings
        self._stopped = "interrupted"
        self._console = Console(file=file or sys.stdout, highlight=False, emoji=False, soft_wrap=True)
        self._advance: Callable[[CaseResult], None] = lambda _: None
        self._started: float | None = None
        self._planned = 0

    @contextlib.contextmanager
    def progress(
        self, target: str, ids: Sequence[str], per_case: float | None = None, *, earlier: int = 0
    ) -> Iterator[None]:
        """Show the progress of these cases while the block runs; ``per_case`` is as in ``report.progress``.

        ``earlier`` is how many other cases of the run had ended before it was interrupted.
        """
        self._started = time.perf_counter()
        self._planned = earlier + len(ids)
        shown = showing(target, ids, self._console, self._line, per_case=per_case, verbosity=self._verbosity)
        with shown as self._advance:
            yield

    @property
    def seconds(self) -> float:
        """Since the first case was begun."""
        return 0.0 if self._started is None else time.perf_counter() - self._started

    def note(self, text: str) -> None:
        """Print a line about how the run is made; not with ``-q``."""
        if self._verbosity >= 0:
            self._line(text)

    def stopped(self, why: str) -> None:
        """Print that the run ended before all cases were run, as the user has asked for."""
        self._stopped = f"stopped {why}"

    def finished(self, result: CaseResult) -> None:
        """A case has ended."""
        self._advance(result)

    def out_of_force(self, entries: Sequence[OutOfForce]) -> None:
        """Print the entries of the baseline that do not count here."""
        for each in entries:
            found = f"{each.package} {each.found}" if each.found else f"no {each.package}"
            wanted = each.entry.versions[each.package]
            self._line(f"{each.entry.place}: this entry does not count: installed is {found}, it is for {wanted}")

    def calibrated(self, left_out: Mapping[WireName, str], findings: Sequence[DriverFinding]) -> None:
        """Print before the run: the wires on which no case is run, and what is wrong with the driver of the target."""
        wires: dict[str, list[str]] = {}
        for wire, why in left_out.items():
            wires.setdefault(why, []).append(wire)
        for why, some in wires.items():
            self._line(f"left out: {', '.join(some)}: {_beneath(why)}")
        for finding in findings:
            self._driver(finding)

    def _driver(self, finding: DriverFinding) -> None:
        self._print_name(f"{finding.suspect} ({_short(finding.place)}): ", finding.rule, "bold", f"  {finding.states}")
        texts = {"on": _short(", ".join(finding.wires))}
        texts |= {"expected": _beneath(finding.expected), "got": _beneath(finding.got)}
        texts |= {"change": _short(finding.remedy), _UNCHECKED: _short(", ".join(finding.excluded))}
        texts |= {"known": _beneath(finding.known)}
        for name, text in texts.items():
            if text:
                self._line(f"    {name:8}  {text}")

    def sharded(self, shard: Shard, held: int, planned: int) -> None:
        """Print which part of the plan is run here."""
        self.note(f"shard {shard}: {held or 'none'} of {planned} case{'' if planned == 1 else 's'}")

    def in_suites(self, suites: Sequence[str], selected: int, there_are: int) -> None:
        """Print which suites are run if nobody has chosen any, and how to run the others."""
        word = "suite" if len(suites) == 1 else "suites"
        self.note(f"{word} {', '.join(suites)}: {selected} of {there_are} cases; --suite all runs all of them")

    def summary(self, result: RunResult, folder: Path) -> None:
        """The matrix, skipped cases and expected findings, the causes, and the last line; with ``-q`` only the causes
        and the last lines, with ``-qq`` only these.

        Problems of the driver come first, unless this report has printed them before the run.
        """
        if self._verbosity >= 0:
            for finding in result.driver if self._started is None else ():
                self._driver(finding)
            if any(case.verdict != "skip" for case in result.cases):
                self._console.print(matrix(result, whole=self._verbosity > 0))
            self._lines([*grouped(result), *unserved(result), *network(result)])
        if self._verbosity > _TOTALS_ONLY:
            self._findings(result, folder)
        self._last_lines(result, folder)

    def _findings(self, result: RunResult, folder: Path) -> None:
        """Print everything that fails the run."""
        self.causes(result, folder)
        for case in result.cases if self._verbosity > 0 else ():
            if case.verdict in ("fail", "error"):
                self._case(case, folder)
        for each in result.stale:
            self._stale(each, result)
        for host in blocked(result):
            self._print_blocked_host(host)
        self._line("")

    def causes(self, result: RunResult, folder: Path | None) -> None:
        """An entry for each cause; after the first ones, one line each. ``folder`` is as in ``labelled``."""
        found = causes(result)
        for number, cause in enumerate(found[: self._max_findings], 1):
            self._cause(number, cause, result, folder)
        rest = found[self._max_findings :]
        if rest:
            self._line("")
        for number, cause in enumerate(rest, self._max_findings + 1):
            more = f"; also {also(cause.consequences)}" if cause.consequences else ""
            self._print_name(f"{number}. ", names(cause), "bold", f"  {label(cause)}{more}")

    def _cause(self, number: int, cause: Cause, result: RunResult, folder: Path | None) -> None:
        self._console.print()
        colour = "magenta" if cause.rule == ERROR else "red" if cause.level == "MUST" else "yellow"
        self._print_name(f"{number}. ", names(cause), f"bold {colour}", f"  {title(cause, result)}")
        self._line(f"   {label(cause)}")
        if cause.rule == ERROR:
            self._line(_end(case_of(cause, result).error or ""))
        for name, text in labelled(cause, result, folder):
            if text or name in ("expected", "got"):
                self._line(f"   {name:8}  {beneath(cut(text, _LONGEST), 13)}")

    def _case(self, case: CaseResult, folder: Path) -> None:
        self._heading(case.verdict.upper(), STYLE[case.verdict], f" {case.id}")
        for finding in case.unexpected:
            self._finding(finding, case, f"{folder / (case.trace or '')}")
        for finding in case.expected:
            self._line(f"  {_short(finding.name)}  is expected: {_beneath(finding.known)}")
        if case.error is not None:
            self._line(_end(case.error))
        self._line(f"  repeat    {_short(case.repeat)}")

    def _finding(self, finding: Finding, case: CaseResult, trace: str) -> None:
        place = f"  {trace}:{finding.at}" if finding.at else ""
        self._print_name("  ", finding.name, "bold", f"  {severity(finding)}{place}")
        texts = {"expected": finding.expected, "got": finding.got, "evidence": finding.explanation}
        for name, text in texts.items():
            if text or name != "evidence":
                self._line(f"    {name:8}  {_beneath(text)}")
        if finding.line and case.file:
            self._line(f"    scenario  {_short(scenario_place(case.file, finding.line))}")

    def _stale(self, stale: Stale, result: RunResult) -> None:
        command = ["harness", "baseline", "prune", result.target]
        if result.baseline not in (None, str(find(result.target))):
            command += ["--baseline", str(result.baseline)]
        self._heading("STALE", "red", f" {stale.place}  {stale.what}")
        self._line(f"  {_short(stale.why)}: remove it, or let {_short(shlex.join(command))} do so")

    def _print_blocked_host(self, blocked: BlockedHost) -> None:
        cases = "1 case" if blocked.cases == 1 else f"{blocked.cases} cases"
        self._heading("BLOCKED", "red", f" {blocked.host}  target/network  MUST, unsafe, {cases}")
        self._line("    expected  requests only to the endpoint that the target was given")
        self._line(f"    got       {_short(', '.join(blocked.asked))}, first in {_short(blocked.first)}")
        self._line("    to allow  name the host under 'allow_refused' in the target file: it stays blocked")

    def _last_lines(self, result: RunResult, folder: Path) -> None:
        took = "" if self._started is None else f" ({self.seconds:.1f} s)"
        if not result.complete:
            self._line(f"{self._stopped}: {self._not_run(result)}the results so far are written")
            if self._planned:
                self._line(f"resume:  the same command with --resume {_short(shlex.quote(str(folder)))}")
        elif result.cases and all(case.verdict == "skip" for case in result.cases):
            self._line("nothing was judged: every selected case was skipped, for the reasons above")
        self._line(f"page:    {folder / 'index.html'}")
        self._line(f"results: {folder / 'results.json'}{took}")
        self._line(counted(result))

    def _not_run(self, result: RunResult) -> str:
        """How many cases did not run, if this report has seen the run."""
        left = self._planned - len(result.cases)
        return f"{left} of {self._planned} cases did not run; " if self._planned else ""

    def _lines(self, texts: Iterable[str]) -> None:
        for text in texts:
            self._line(text)

    def _heading(self, word: str, colour: str, text: str) -> None:
        self._console.print()
        self._print_name("", word, f"bold {colour}", text)

    def _print_name(self, before: str, name: str, style: str, behind: str) -> None:
        """Print a line with a styled name in it."""
        self._console.print(Text.assemble(before, (_short(name), style), _short(behind)))

    def _line(self, text: str) -> None:
        """Print one or more lines. Their texts have been made harmless for a terminal."""
        self._console.print(visible(text), markup=False)


def _short(name: str) -> str:
    return in_line(cut(name, _LONGEST))


def _beneath(text: str) -> str:
    return beneath(cut(text, _LONGEST), 14)


def _end(error: str) -> str:
    """A traceback, or only its end, which names the error."""
    text = error.rstrip()[-_LONGEST:]
    return f"  | {beneath(text if len(error) <= _LONGEST else f'… {text}', 4)}"
