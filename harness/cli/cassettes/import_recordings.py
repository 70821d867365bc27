"""``harness cassettes import``: foreign recordings through the reference adapters, and into cassettes of ours."""

from __future__ import annotations

import asyncio
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from harness.cassette.recordings.foreign import read_foreign
from harness.errors import BadInput
from harness.ground.disk import DRAFT, take_place
from harness.imports import RecordedLoop, Replayer, Writer, Written, find_loops, report
from harness.imports.comparison import RecordedComparison
from harness.report.visible import visible

_Item = TypeVar("_Item")


def import_recordings(folder: Path, out: Path | None = None) -> int:
    """Replay the loops of a folder of recordings, print what came of each, and write those that replay to ``out``.

    Returns 0 when every loop replays, perhaps with named differences, or has a reason not to; 1 when our adapters go on
    otherwise and nothing explains it. Raises ``BadInput`` where there is nothing to read, and for an ``out`` that has
    something in it.
    """
    out = None if out is None else out.resolve()
    if out is not None and out.exists() and any(out.iterdir()):
        raise BadInput(f"{out}: is not empty; name a new folder, so that nothing recorded is lost")
    recordings = read_foreign(folder)
    loops, outside = find_loops(recordings.exchanges)
    if not loops and not any((outside.alone, outside.no_request, outside.unreadable)):
        raise BadInput(f"{folder}: none of its {len(recordings.exchanges)} exchanges is a request to a model")
    files = len({exchange.file for exchange in recordings.exchanges})
    print(f"{len(recordings.exchanges)} exchanges in {files} files")
    for problem in recordings.unread:
        print(visible(f"  not read: {problem}"))
    compared = asyncio.run(_comparisons(loops))
    written = asyncio.run(_written(compared, out)) if out is not None else None
    for line in report(compared, outside, written):
        print(visible(line))
    return 1 if any(each.verdict == "differs" for each in compared) else 0


async def _comparisons(loops: Sequence[RecordedLoop]) -> list[RecordedComparison[RecordedLoop]]:
    replayer = Replayer()
    try:
        return [await replayer.replay(loop) for loop in _with_progress("replaying", loops)]
    finally:
        await replayer.close()


async def _written(compared: Sequence[RecordedComparison[RecordedLoop]], out: Path) -> list[Written]:
    """Write what replays to a folder beside ``out``, which takes its place when it is whole."""
    replayed = [each.happened for each in compared if each.verdict in ("agrees", "explained")]
    staged = out.with_name(f".{out.name}{DRAFT}")
    shutil.rmtree(staged, ignore_errors=True)  # of an import that was killed
    try:
        writer = Writer(staged)
        written = [await writer.write(loop) for loop in _with_progress("writing", replayed)]
        if staged.exists():
            take_place(staged, out)
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    return [each if each.scenario is None else _with_final_path(each, each.scenario, staged, out) for each in written]


def _with_final_path(written: Written, scenario: Path, staged: Path, out: Path) -> Written:
    return replace(written, scenario=out / scenario.relative_to(staged))


def _with_progress(doing: str, each: Sequence[_Item]) -> Iterator[_Item]:
    """The items, with a line at every tenth of the way that shows that it moves."""
    step = max(1, len(each) // 10)
    for number, item in enumerate(each, 1):
        yield item
        if number % step == 0:
            print(f"  {doing} {number}/{len(each)}", file=sys.stderr, flush=True)
