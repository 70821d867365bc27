"""``harness lab import-trace``: recorded runs of a real loop become traces."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from harness.cli.command import Command
from harness.cli.parser import Parser
from harness.ground.disk import problem


def options(command: Parser) -> None:
    """Which recordings, and where their traces go."""
    command.set_defaults(work=work)
    command.add_argument("recordings", type=Path, metavar="DIR", help="folder of recordings, or one recording")
    command.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder for the traces")


COMMAND: Final = Command(
    "", "convert recorded runs of a real loop to traces", options, "harness lab import-trace recordings --out traces"
)


def work(options: argparse.Namespace) -> int:
    """``harness lab import-trace``. Returns the exit code."""
    return import_traces(options.recordings, options.out)


def import_traces(recordings: Path, out: Path) -> int:
    """Write the trace of every recording into the folder ``out``, and name those that have none.

    Raises ``BadInput`` where there is none at all; then nothing is written.
    """
    from harness.report.terminal import visible
    from harness.trace import dump
    from harness_lab.recorded.golden import expressible, traces_of
    from harness_lab.recorded.reading.golden import read_runs

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
