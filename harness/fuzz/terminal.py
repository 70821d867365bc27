"""The output of ``harness fuzz``: progress, the result of each campaign, and every mistake with its reproducer."""

from __future__ import annotations

import contextlib
import json
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from harness.fuzz.campaigning import CampaignOutcome
from harness.fuzz.chunks import ChunkResult, Found
from harness.report.visible import beneath

EVERY = 5.0
"""Seconds between two lines of progress if no bar is shown."""

_MOST = 300
"""Characters of an example that are shown; the file has the whole example."""


class FuzzTerminal:
    """The report on standard output."""

    def __init__(self) -> None:
        self._console = Console(file=sys.stdout, highlight=False, emoji=False, soft_wrap=True)

    @contextlib.contextmanager
    def progress(self, outcome: CampaignOutcome, total: int) -> Iterator[Callable[[ChunkResult], None]]:
        """Show the progress of a campaign of ``total`` examples. The block reports every result."""
        if not self._console.is_terminal:
            self._line(f"{outcome.campaign}: {total:,} examples against {outcome.target or 'ours'}")
            yield _Lines(outcome, total, self._line).on_result
            return
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=self._console, transient=True) as bar:
            task = bar.add_task(outcome.campaign, total=total)
            yield lambda result: bar.update(task, advance=result.examples, description=outcome.campaign)

    def outcome(self, outcome: CampaignOutcome, features: Sequence[str]) -> None:
        """Print the result of a campaign; ``features`` are all that its examples can have."""
        missing = [feature for feature in features if feature not in outcome.features]
        self._line(f"{outcome.campaign}: {_counts_text(outcome)}; {_met(features, missing)}; {_verdict(outcome)}")
        for result in outcome.errors:
            self._line(f"  {result.chunk.id} could not be worked on: {beneath(result.error, 6)}")

    def found(self, found: Found, path: Path) -> None:
        """A mistake, and where its reproducer is."""
        example = json.dumps(found.example)
        shown = example if len(example) <= _MOST else f"{example[:_MOST]}..."
        lines = {
            "expected": beneath(found.expected, 14),
            "got": beneath(found.got, 14),
            "example": shown,
            "repeat": f"harness fuzz --replay {shlex.quote(str(path))}",
            "adopt": f"harness fuzz --adopt {shlex.quote(str(path))}",
        }
        self._line(f"  FALSIFIED {found.oracle}")
        for name, text in lines.items():
            self._line(f"    {name:8}  {text}")

    def last(self, path: Path, found: int, *, complete: bool) -> None:
        """Print where everything is written, and how many mistakes there are."""
        if not complete:
            self._line("interrupted: the findings so far are written")
        self._line(f"results: {path}")
        self._line("nothing found" if not found else f"{found} found")

    def repeated(self, path: Path, found: Found, now: str) -> None:
        """Print the new result of a reproducer."""
        self._line(f"{path}: {found.campaign}, {found.oracle}: {beneath(now, 6)}")

    def adopted(self, paths: Sequence[Path]) -> None:
        """The files of a new scenario."""
        for path in paths:
            self._line(f"written: {path}")
        self._line(f"run it with: harness run {shlex.quote(str(paths[0]))}")

    def _line(self, text: str) -> None:
        self._console.print(text, markup=False)


class _Lines:
    """Progress in lines, one every few seconds."""

    def __init__(self, outcome: CampaignOutcome, total: int, line: Callable[[str], None]) -> None:
        self._outcome = outcome
        self._total = total
        self._line = line
        self._done = 0
        self._started = self._last_shown = time.monotonic()

    def on_result(self, result: ChunkResult) -> None:
        self._done += result.examples
        now = time.monotonic()
        if now - self._last_shown >= EVERY:
            self._last_shown = now
            rate = self._done / (now - self._started)
            self._line(f"  {self._done:,}/{self._total:,}, {rate:,.0f} examples/s, {len(self._outcome.found)} found")


def _counts_text(outcome: CampaignOutcome) -> str:
    enumerated, drawn = outcome.examples("enumerated"), outcome.examples("drawn")
    rate = (enumerated + drawn) / outcome.seconds if outcome.seconds else 0
    return f"{enumerated:,} enumerated and {drawn:,} drawn, {outcome.runs:,} runs, {rate:,.0f} examples/s"


def _met(features: Sequence[str], missing: Sequence[str]) -> str:
    met = f"{len(features) - len(missing)} of {len(features)} features"
    return f"{met} (not met: {', '.join(missing)})" if missing else met


def _verdict(outcome: CampaignOutcome) -> str:
    if outcome.errors:
        return "not all could be worked on"
    found = f"found: {', '.join(found.oracle for found in outcome.found)}" if outcome.found else "nothing found"
    return found if outcome.complete else f"{found} until it was ended"
