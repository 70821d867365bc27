"""Right loops in drawn styles: each MUST and each SHOULD on one of them is a defect of ours.

``python -m harness_lab.freedoms.right SEED COUNT [WIRE ...]`` draws as many loops for each wire.
"""

# ruff: noqa: T201 - a command, which prints its figures

from __future__ import annotations

import sys

from harness.wire import WireName, wire_names
from harness_lab.freedoms.measure import Measured, measured
from harness_lab.freedoms.table import freedoms_of

__all__ = ["line"]


def line(found: Measured) -> str:
    """The figures of one wire."""
    rows = [str(each) for freedoms in freedoms_of(found.wire).values() for each in freedoms]
    touched = sum(row in found.touched for row in rows)
    blamed = f"{found.levels['MUST']} MUST, {found.levels['SHOULD']} SHOULD"
    return f"{found.wire}: {found.loops} loops, {found.cases} cases, {blamed}, {touched} of {len(rows)} rows touched"


def _printed(wire: WireName, seed: int, count: int) -> bool:
    """Print what was found on the wire. Returns whether a loop was blamed for anything."""
    found = measured(wire, seed, count)
    print(line(found), flush=True)
    for blamed, times in found.blamed.most_common():
        print(f"  {times} x {blamed}", flush=True)
    return bool(found.blamed)


def main() -> None:
    """Ends with 1 where a loop was blamed for anything."""
    seed, count, *wires = sys.argv[1:]
    blamed = [_printed(wire, int(seed), int(count)) for wire in wire_names() if not wires or wire in wires]
    sys.exit(any(blamed))


if __name__ == "__main__":
    main()
