"""``harness lab golden``: the reference loop and the rules beside recorded runs and measured cases of real loops."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from harness.cli.command import Command
from harness.cli.parser import Parser

if TYPE_CHECKING:
    from harness.imports.comparison import Reason, RecordedComparison


def options(command: Parser) -> None:
    """Which recordings."""
    command.set_defaults(work=work)
    command.add_argument("recordings", type=Path, metavar="DIR", help="folder of recordings, or one recording")


COMMAND: Final = Command(
    "",
    "compare the reference loop and the rules with recorded runs of a real loop",
    options,
    "harness lab golden recordings",
)


def work(options: argparse.Namespace) -> int:
    """``harness lab golden``. Returns the exit code."""
    from harness.targets.extra import require_reference

    require_reference("harness lab golden")
    return golden(options.recordings)


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
    comparisons: Sequence[RecordedComparison[Any]]
    note: str = ""


def golden(path: Path) -> int:
    """Compare our own with what was recorded and measured; 0 when nothing is unexplained and nothing stale.

    ``path`` is a folder of recordings or one of them, measured cases (``cases.json``, or its folder), or a folder of
    such folders. What is no recording, or cannot be expressed, is named and left out. Raises ``BadInput`` where nothing
    is left; then nothing is printed.
    """
    from harness.report.terminal import visible

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
    import asyncio

    from harness.imports.totals import verdicts
    from harness_lab.recorded.golden import (
        CASES,
        against_reference,
        against_rules,
        against_text_cases,
        expressible,
        read_text_cases,
    )
    from harness_lab.recorded.golden.deviations import DEVIATIONS
    from harness_lab.recorded.golden.found import FOUND
    from harness_lab.recorded.golden.text_deviations import TEXT_DEVIATIONS
    from harness_lab.recorded.reading.golden import read_runs

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
    from harness.report.terminal import visible
    from harness_lab.recorded.reasons import absent, by_reason, stale_places

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
    from harness.imports.totals import verdicts
    from harness_lab.recorded.reasons import stale_places

    counts = verdicts(section.comparisons)
    stale = sum(len(stale_places(each)) for each in section.comparisons)
    return (
        f"{section.what}: {counts['agrees']} {section.agreed}{section.note}, "
        f"{counts['explained']} {section.explained}, "
        f"{counts['differs']} unexplained{f', {stale} stale' * bool(stale)}"
    )
