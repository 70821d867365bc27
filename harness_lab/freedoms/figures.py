"""What drawn loops have shown, by seed: the figures of the first run of each seed, which is the only fresh one.

What a seed finds is mended, and its loops are known from then on. So a seed is run once, and its row is never written
again; docs/precision.md shows the rows in the order in which they were measured.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from harness.wire import native_wires
from harness_lab.freedoms import right
from harness_lab.freedoms.draw import allowed, drawn, pairs
from harness_lab.freedoms.faults import drawn_faults, judged, lines, recall
from harness_lab.freedoms.measure import Measured, measured

FILE = Path(__file__).parent / "figures.jsonl"
Row = dict[str, Any]


def measure(kind: str, seed: int, count: int) -> Iterator[str]:
    """Run as many loops of the seed on all cores, and yield what is found, line by line. The figures are written down.

    Raises ``ValueError`` where the seed has been run before, and ``KeyError`` for a kind that there is not.
    """
    if any(row["seed"] == seed for row in _rows(kind)):
        raise ValueError(f"seed {seed} of {kind} loops has been seen: take one that is not in {FILE.name}")
    found, row = KINDS[kind](seed, count)
    yield from found
    with FILE.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"kind": kind, "seed": seed, "day": str(date.today()), **row}) + "\n")
    yield f"{kind} loops of seed {seed}: {', '.join(f'{name} {value}' for name, value in row.items())}"


def is_good(kind: str, seed: int) -> bool:
    """Whether no right loop of the seed was blamed, or every fault was found."""
    row = next(row for row in _rows(kind) if row["seed"] == seed)
    return bool(row.get("MUST", 0) == row.get("SHOULD", 0) == 0) and bool(row.get("found", "100.0%") == "100.0%")


def _right(seed: int, count: int) -> tuple[list[str], Row]:
    """Right loops, as many on each wire: whatever is found is false."""
    wires, each = native_wires(), -(-count // len(native_wires()))
    with ProcessPoolExecutor() as pool:
        found = list(pool.map(partial(_of_wire, seed=seed, count=each), wires))
    both = [allowed(wire) & {two for style in drawn(wire, seed, each) for two in pairs(style)} for wire in wires]
    row = {
        "loops": sum(one.loops for one in found),
        "cases": sum(one.cases for one in found),
        "pairs": _share(sum(map(len, both)), sum(len(allowed(wire)) for wire in wires)),
        "MUST": sum(one.levels["MUST"] for one in found),
        "SHOULD": sum(one.levels["SHOULD"] for one in found),
    }
    return [line for one in found for line in right.lines(one)], row


def _of_wire(wire: Any, seed: int, count: int) -> Measured:
    return measured(wire, seed, count)


def _broken(seed: int, count: int) -> tuple[list[str], Row]:
    """Loops with one fault each: whether it is found, named first, and the only cause."""
    with ProcessPoolExecutor() as pool:
        found = recall(pool.map(judged, drawn_faults(seed, count), chunksize=4))
    row = {
        "loops": found.loops,
        "found": _share(found.found, found.loops),
        "first": _share(found.first, found.loops),
        "one cause": _share(found.alone, found.loops),
        "not shown": found.unmet,
    }
    return list(lines(found)), row


KINDS: dict[str, Callable[[int, int], tuple[list[str], Row]]] = {"right": _right, "broken": _broken}
"""How loops of each kind are run: takes a seed and a number, returns what was found, and the row of figures."""


def _share(some: int, every: int) -> str:
    return f"{some / max(every, 1):.1%}"


def page() -> Iterator[str]:
    """The part of docs/precision.md about drawn loops."""
    for kind, title in (("right", "Drawn loops without a fault"), ("broken", "Drawn loops with one fault each")):
        yield f"### {title}\n"
        yield from _table(_rows(kind))
        yield ""


def _rows(kind: str) -> list[Row]:
    """The rows of a kind, without its name."""
    rows = map(json.loads, FILE.read_text(encoding="utf-8").splitlines())
    return [{name: value for name, value in row.items() if name != "kind"} for row in rows if row["kind"] == kind]


def _table(rows: Sequence[Row]) -> Iterator[str]:
    names = list(dict.fromkeys(name for row in rows for name in row))
    yield f"| {' | '.join(names)} |"
    yield "|" + "---|" * len(names)
    for row in rows:
        yield f"| {' | '.join(str(row.get(name, '')) for name in names)} |"
