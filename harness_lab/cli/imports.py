"""``harness cassettes import``: foreign recordings through the reference adapters, and into cassettes of ours."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from harness.errors import BadInput
from harness.report.terminal import visible
from harness_lab.recorded.comparison import Comparison
from harness_lab.recorded.loops import Loop, Replayer, Writer, Written, find_loops, report
from harness_lab.recorded.reading.foreign import read_foreign

__all__ = ["import_recordings"]

_Item = TypeVar("_Item")


def import_recordings(folder: Path, out: Path | None = None) -> int:
    """Replay the loops of a folder of recordings, print what came of each, and write those that replay to ``out``.

    Returns 0 when every loop replays, perhaps with named differences, or has a reason not to; 1 when our adapters go on
    otherwise and nothing explains it. Raises ``BadInput`` where there is nothing to read, and for an ``out`` that has
    something in it.
    """
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
    compared = asyncio.run(_replayed(loops))
    written = asyncio.run(_written(compared, out)) if out is not None else None
    for line in report(compared, outside, written):
        print(visible(line))
    return 1 if any(each.verdict == "differs" for each in compared) else 0


async def _replayed(loops: Sequence[Loop]) -> list[Comparison[Loop]]:
    replayer = Replayer()
    try:
        return [await replayer.replay(loop) for loop in _with_progress("replaying", loops)]
    finally:
        await replayer.close()


async def _written(compared: Sequence[Comparison[Loop]], out: Path) -> list[Written]:
    writer = Writer(out)
    replayed = [each.happened for each in compared if each.verdict in ("agrees", "explained")]
    return [await writer.write(loop) for loop in _with_progress("writing", replayed)]


def _with_progress(doing: str, each: Sequence[_Item]) -> Iterator[_Item]:
    """The items, with a line at every tenth of the way that shows that it moves."""
    step = max(1, len(each) // 10)
    for number, item in enumerate(each, 1):
        yield item
        if number % step == 0:
            print(f"  {doing} {number}/{len(each)}", file=sys.stderr, flush=True)
