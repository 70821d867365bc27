"""Right loops in drawn styles: each MUST and each SHOULD on one of them is a defect of ours.

``python -m harness_lab.freedoms.right SEED COUNT [WIRE ...]`` draws as many loops for each wire.
"""

# ruff: noqa: T201 - a command, which prints its figures

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from harness.wire import native_wires
from harness_lab.freedoms.measure import Measured, measured
from harness_lab.freedoms.table import freedoms_of


def lines(found: Measured) -> Iterator[str]:
    """The figures of one wire, and what was found on it."""
    rows = [str(each) for freedoms in freedoms_of(found.wire).values() for each in freedoms]
    touched = sum(row in found.touched for row in rows)
    blamed = f"{found.levels['MUST']} MUST, {found.levels['SHOULD']} SHOULD"
    yield f"{found.wire}: {found.loops} loops, {found.cases} cases, {blamed}, {touched} of {len(rows)} rows touched"
    for each, times in found.blamed.most_common():
        yield f"  {times} x {each}"


def main(arguments: Sequence[str]) -> bool:
    """Print what was found on each wire. Returns whether a loop was blamed for anything."""
    seed, count, *wires = arguments
    blamed = False
    for wire in native_wires():
        if not wires or wire in wires:
            found = measured(wire, int(seed), int(count))
            print("\n".join(lines(found)), flush=True)
            blamed = blamed or bool(found.blamed)
    return blamed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
