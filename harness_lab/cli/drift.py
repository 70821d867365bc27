"""``harness lab drift``: compare what the fake model renders with what real servers were recorded to send."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harness.cli import common_options as common
from harness.cli.command import Command
from harness.cli.parser import Parser
from harness.errors import BadInput
from harness.wire import OWN_NATIVE_WIRES

if TYPE_CHECKING:
    from harness.wire import NativeWireName
    from harness_lab.recorded.drift import Drift, Server, Shapes


def options(command: Parser) -> None:
    """Which recordings, and which wires."""
    command.set_defaults(work=work)
    command.add_argument(
        "recordings", nargs="+", type=Path, metavar="PATH", help="cassette, or folder of cassettes or of a corpus"
    )
    common.wires(command, OWN_NATIVE_WIRES)


COMMAND: Final = Command(
    "", "compare the responses of scripted models with recorded responses", options, "harness lab drift cassettes"
)


def work(options: argparse.Namespace) -> int:
    """``harness lab drift``. Returns the exit code."""
    return drift(options.recordings, options.wires)


def drift(paths: Sequence[Path], wires: Sequence[NativeWireName]) -> int:
    """Compare the wires (all, where none is named) with the recordings in ``paths`` and print what came of it.

    Returns 0 when nothing is rendered that is not real, and no reason for something that is not is left over. Raises
    ``BadInput`` for a path that cannot be read, and where too little is recorded to judge anything.
    """
    from harness.report.terminal import visible
    from harness_lab.recorded.drift import ENOUGH, of_recordings, read_responses, report
    from harness_lab.recorded.reading.servers import MAKERS

    wires = wires or tuple(MAKERS)
    if strange := [name for name in wires if name not in MAKERS]:
        raise BadInput(f"--wire {strange[0]}: expected a wire of {', '.join(MAKERS)}; choose one of these")
    recorded = of_recordings(read_responses(paths))
    if not any(_enough(shapes) for (name, server), shapes in recorded.items() if name in wires and server != "another"):
        raise BadInput(
            f"{', '.join(map(str, paths))}: too few recordings of {' or '.join(wires)} by the servers in whose name "
            f"the fake speaks; expected {ENOUGH} of a form; add recordings"
        )
    drifts = [each for name in wires for each in _drifts(name, recorded)]
    for line in report(drifts):
        print(visible(line))
    return 0 if all(each.sound for each in drifts) else 1


def _enough(shapes: Shapes) -> bool:
    from harness_lab.recorded.drift import ENOUGH

    return any(count >= ENOUGH for count in shapes.responses.values())


def _drifts(name: NativeWireName, recorded: Mapping[tuple[NativeWireName, Server], Shapes]) -> Iterator[Drift]:
    from harness_lab.recorded.drift import judge, of_sample, sample, served_shapes

    for served in served_shapes(name, of_sample(sample(name)), recorded):
        yield judge(served)
