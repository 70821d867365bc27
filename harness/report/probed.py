"""The output of ``harness probe``: each step with its result, and the causes."""

from __future__ import annotations

from pathlib import Path
from typing import Final, TextIO

from rich.console import Console
from rich.text import Text

from harness.report.causes import causes
from harness.report.terminal import Terminal
from harness.report.visible import cut, in_line, visible
from harness.runner.results import CaseResult, RunResult

_WORDS: Final = {"pass": ("ok", "green"), "fail": ("broken", "red"), "skip": ("not shown", "yellow")}
_LONGEST: Final = 200


class ProbeReport:
    """The report on standard output, or in a file."""

    def __init__(self, file: TextIO | None = None) -> None:
        self._terminal = Terminal(file)
        self._console = Console(file=file, highlight=False, emoji=False, soft_wrap=True)
        self._wire = ""

    def step(self, result: CaseResult) -> None:
        """A step has ended."""
        if result.wire != self._wire:
            self._wire = result.wire
            self._console.print(visible(result.wire), markup=False)
        word, colour = _WORDS[result.verdict]
        rules = dict.fromkeys(finding.id for finding in result.findings)
        words = ", ".join(rules) or result.reason.removeprefix("not shown: ")
        why = f" ({in_line(cut(words, _LONGEST))})" if words else ""
        self._console.print(Text.assemble("  ", (f"{word:9}", colour), f"  {result.scenario:18} {result.summary}{why}"))

    def summary(self, result: RunResult, folder: Path | None, seconds: float) -> None:
        """The causes, where the results are, and the totals."""
        found = causes(result)
        self._terminal.causes(result, folder)
        requests = sum(case.requests for case in result.cases)
        totals = result.totals
        if folder is not None:
            self._console.print(f"\npage:    {folder / 'index.html'}", markup=False)
        self._console.print(
            f"\n{totals['pass']} ok, {totals['fail']} broken, {totals['skip']} not shown; {requests} requests, "
            f"{len(found)} causes, {seconds:.0f} s",
            markup=False,
        )
