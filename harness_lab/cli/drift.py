"""``harness drift``: compare what the fake model renders with what real servers were recorded to send."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from harness.errors import BadInput
from harness.report.terminal import visible
from harness.wire import NativeWireName
from harness_lab.recorded.drift import (
    ENOUGH,
    Drift,
    Server,
    Shapes,
    judge,
    of_recordings,
    of_sample,
    read_responses,
    report,
    sample,
    served_shapes,
)
from harness_lab.recorded.reading.servers import MAKERS


def drift(paths: Sequence[Path], wires: Sequence[NativeWireName]) -> int:
    """Compare the wires (all, where none is named) with the recordings in ``paths`` and print what came of it.

    Returns 0 when nothing is rendered that is not real, and no reason for something that is not is left over. Raises
    ``BadInput`` for a path that cannot be read, and where too little is recorded to judge anything.
    """
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
    return any(count >= ENOUGH for count in shapes.responses.values())


def _drifts(name: NativeWireName, recorded: Mapping[tuple[NativeWireName, Server], Shapes]) -> Iterator[Drift]:
    for served in served_shapes(name, of_sample(sample(name)), recorded):
        yield judge(served)
