"""``harness import-trace`` and ``harness golden``: recorded runs of a real loop, measured cases of another."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.ground.disk import problem
from harness.report.terminal import visible
from harness.trace import dump
from harness_lab.recorded.comparison import Comparison, Reason
from harness_lab.recorded.golden import (
    CASES,
    against_reference,
    against_rules,
    against_text_cases,
    expressible,
    read_text_cases,
    traces_of,
)
from harness_lab.recorded.golden.deviations import DEVIATIONS
from harness_lab.recorded.golden.found import FOUND
from harness_lab.recorded.golden.text_deviations import TEXT_DEVIATIONS
from harness_lab.recorded.reading.golden import read_runs
from harness_lab.recorded.totals import absent, by_reason, stale_places, verdicts


def import_traces(recordings: Path, out: Path) -> int:
    """Write the trace of every recording into the folder ``out``, and name those that have none.

    Raises ``BadInput`` where there is none at all; then nothing is written.
    """
    unread: list[str] = []
    traces = traces_of(expressible(read_runs(recordings, unread), unread))
    try:
        out.mkdir(parents=True, exist_ok=True)
        for trace in traces:
            dump(trace, out / f"{trace.case.id}.jsonl")
    except OSError as error:
        raise problem(error, f"--out {out}: cannot be written") from None
    for each in unread:
        print(visible(f"not imported: {each}"))
    print(f"{len(traces)} traces in {out}{f', {len(unread)} not imported' * bool(unread)}")
    return 0


@dataclass(frozen=True, slots=True)
class _Section:
    """Comparisons of one kind, and the words for them.

    ``agreed`` and ``explained`` say what comparisons with these verdicts do, ``expected`` and ``got`` whose the two
    sides of a difference are. ``note`` follows the number of those that agree.
    """

    title: str
    what: str
    agreed: str
    explained: str
    expected: str
    got: str
    reasons: Sequence[Reason[Any]]
    comparisons: Sequence[Comparison[Any]]
    note: str = ""


def golden(path: Path) -> int:
    """Compare our own with what was recorded and measured; 0 when nothing is unexplained and nothing stale.

    ``path`` is a folder of recordings or one of them, measured cases (``cases.json``, or its folder), or a folder of
    such folders. What is no recording, or cannot be expressed, is named and left out. Raises ``BadInput`` where nothing
    is left; then nothing is printed.
    """
    unread: list[str] = []
    sections = [section for folder in _folders(path) for section in _compared(folder, unread)]
    for each in unread:
        print(visible(f"not compared: {each}"))
    for section in sections:
        _print(section)
    for section in sections:
        print(_totals(section))
    return 0 if all(each.sound for section in sections for each in section.comparisons) else 1


def _folders(path: Path) -> list[Path]:
    """``path`` itself, or the folders in it if only they contain files."""
    if not path.is_dir() or any(path.glob("*.json")):
        return [path]
    return [each for each in sorted(path.iterdir()) if each.is_dir() and any(each.glob("*.json"))] or [path]


def _compared(path: Path, unread: list[str]) -> list[_Section]:
    if path.name == CASES or (path / CASES).is_file():
        cases = asyncio.run(against_text_cases(read_text_cases(path, unread), unread=unread))
        words = ("text tags", "hold", "deviate (listed)", "the program ", "ours        ")
        return [_Section("The text protocol on measured cases", *words, TEXT_DEVIATIONS, cases)]
    runs = expressible(read_runs(path, unread), unread)
    reference = asyncio.run(against_reference(runs))
    alike = verdicts(asyncio.run(against_reference(runs, (), habits=True)))["agrees"]
    words = ("reference loop", "agree", "deviate (listed)", "the engine ", "the reference ")
    found = ("rules", "without findings", "with findings (listed)", "expected ", "got ")
    return [
        _Section("The reference loop on the same scripts", *words, DEVIATIONS, reference, f" ({alike} with habits)"),
        _Section("The rules on the recorded runs", *found, FOUND, against_rules(runs)),
    ]


def _print(section: _Section) -> None:
    print(section.title)
    for count, why in by_reason(section.comparisons, section.reasons):
        print(f"  {count:3}  {why}")
    for each in section.comparisons:
        for difference in each.differences:
            print(visible(f"  UNEXPLAINED {each.happened.name}: {difference.place}"))
            print(visible(f"    {section.expected}{difference.expected}\n    {section.got}{difference.got}"))
    for each in section.comparisons:
        for place, whys in stale_places(each).items():
            why = " / ".join(whys)
            print(visible(f"  STALE {each.happened.name}: {place}: not so any more, though listed: {why}"))
    if not_here := absent(section.comparisons, section.reasons):
        print(f"  ({not_here} reasons apply to no recording that is here)")
    print()


def _totals(section: _Section) -> str:
    counts = verdicts(section.comparisons)
    stale = sum(len(stale_places(each)) for each in section.comparisons)
    return (
        f"{section.what}: {counts['agrees']} {section.agreed}{section.note}, "
        f"{counts['explained']} {section.explained}, "
        f"{counts['differs']} unexplained{f', {stale} stale' * bool(stale)}"
    )
