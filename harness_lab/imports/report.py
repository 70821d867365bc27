"""What an import found, as lines of plain text. The last line is the counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, get_args

from harness.wire import NATIVE_WIRES, NativeWireName
from harness_lab.imports.loops import Loop, Outside
from harness_lab.imports.outcome import DIFFERENCES, OBSTACLES, Outcome, Verdict
from harness_lab.imports.writing import UNWRITTEN, Written

__all__ = ["report"]

_VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
_MOST_SHOWN = 300
"""Characters of a value that a finding shows."""

_OUTSIDE = {
    "alone": "a question by itself, with no request that goes on",
    "no_request": "a response of which no request was recorded",
    "refused": "a request at the end of a loop that the endpoint refused",
    "unreadable": "a request whose body is no JSON object",
}


def report(outcomes: Sequence[Outcome], outside: Outside, written: Sequence[Written] | None) -> Iterator[str]:
    """A table per wire, every name with its reason and an example, every finding, and the counts.

    ``written`` is None where nothing was to be written.
    """
    yield from _table(outcomes)
    differences = ((name, each.loop, each.loop.name) for each in outcomes for name in each.differences)
    yield from _named("replayed with differences", DIFFERENCES, differences)
    obstacles = ((each.obstacle, each.loop, each.at) for each in outcomes if each.obstacle)
    yield from _named("not replayable", OBSTACLES, obstacles)
    yield from _outside(outside)
    unwritten = ((each.why, each.outcome.loop, _example(each)) for each in written or () if each.why)
    yield from _named("replayed, but not written", UNWRITTEN, unwritten)
    yield from _findings(outcomes)
    yield _counts(outcomes, written)


def _table(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """``turns`` counts the recorded responses of the loops."""
    width = max(map(len, NATIVE_WIRES))
    columns = ("loops", "turns", *_VERDICTS)
    yield "  ".join([f"{'wire':{width}}", *columns])
    for wire in NATIVE_WIRES:
        of_wire = [each for each in outcomes if each.loop.wire == wire]
        if of_wire:
            verdicts = Counter(each.verdict for each in of_wire)
            turns = sum(len(each.loop.steps) for each in of_wire)
            counts = (len(of_wire), turns, *(verdicts[verdict] for verdict in _VERDICTS))
            cells = (f"{count:{len(column)}}" for count, column in zip(counts, columns, strict=True))
            yield "  ".join([f"{wire:{width}}", *cells])
    yield ""


def _named(title: str, reasons: Mapping[Any, str], found: Iterable[tuple[str, Loop, str]]) -> Iterator[str]:
    """How many loops each name is of, by wire, what it means, and an example. ``found``: name, loop, example."""
    by_name: dict[str, list[tuple[NativeWireName, str]]] = {name: [] for name in reasons}
    for name, loop, example in found:
        by_name[name].append((loop.wire, example))
    if not any(by_name.values()):
        return
    yield title
    for name, those in by_name.items():
        if those:
            wires = Counter(wire for wire, _ in those)
            yield f"  {len(those):4}  {name}: {reasons[name]}"
            yield f"        {', '.join(f'{wire} {count}' for wire, count in wires.items())}"
            yield f"        for example {those[0][1]}"
    yield ""


def _example(written: Written) -> str:
    """The loop, and the first line of what stood in the way."""
    detail = written.detail.strip().partition("\n")[0][:_MOST_SHOWN]
    return f"{written.outcome.loop.name}: {detail}" if detail else written.outcome.loop.name


def _outside(outside: Outside) -> Iterator[str]:
    counted: list[tuple[str, Mapping[NativeWireName, int]]] = [
        (meaning, getattr(outside, name)) for name, meaning in _OUTSIDE.items()
    ]
    if not any(counts for _, counts in counted):
        return
    yield "in no loop"
    for meaning, counts in counted:
        if counts:
            wires = ", ".join(f"{wire} {count}" for wire, count in sorted(counts.items()))
            yield f"  {sum(counts.values()):4}  {meaning}"
            yield f"        {wires}"
    yield ""


def _findings(outcomes: Sequence[Outcome]) -> Iterator[str]:
    for outcome in outcomes:
        for each in outcome.findings:
            yield f"FAILED {outcome.loop.wire} {each.exchange}: {each.what}"
            yield f"  recorded {each.expected[:_MOST_SHOWN]!r}"
            yield f"  ours     {each.got[:_MOST_SHOWN]!r}"


def _counts(outcomes: Sequence[Outcome], written: Sequence[Written] | None) -> str:
    verdicts = Counter(each.verdict for each in outcomes)
    counts = (
        f"{len(outcomes)} loops: {verdicts['replayed']} replayed, {verdicts['differs']} replayed with named "
        f"differences, {verdicts['not replayable']} not replayable, {verdicts['failed']} failed"
    )
    return counts if written is None else f"{counts}; {sum(not each.why for each in written)} written"
