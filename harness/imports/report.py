"""The result of an import, as lines of plain text. The last line is the counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from harness.imports.comparison import RecordedComparison, Verdict
from harness.imports.loops import Outside, RecordedLoop
from harness.imports.obstacles import OBSTACLES
from harness.imports.reasons import DIFFERENCES
from harness.imports.totals import CountedEntry, entries, named, table, verdicts
from harness.imports.writing import UNWRITTEN, Written
from harness.wire import NATIVE_WIRES, NativeWireName

_WORDS: Mapping[Verdict, str] = {
    "agrees": "replayed",
    "explained": "differs",
    "not compared": "not replayable",
    "differs": "failed",
}
_MOST_SHOWN = 300
"""Characters of a value that a failure shows."""

_OUTSIDE = {
    "alone": "a question by itself, with no request that goes on",
    "no_request": "a response of which no request was recorded",
    "refused": "a request at the end of a loop that the endpoint refused",
    "unreadable": "a request whose body is no JSON object",
}


def report(
    compared: Sequence[RecordedComparison[RecordedLoop]], outside: Outside, written: Sequence[Written] | None
) -> Iterator[str]:
    """A table per wire, every name with its reason and an example, every failure, and the counts.

    ``written`` is None if nothing had to be written.
    """
    yield from table("wire", ("loops", "turns", *_WORDS.values()), _rows(compared), NATIVE_WIRES)
    explained = (CountedEntry(name, each.happened.name, each.happened.wire) for each in compared for name in each.names)
    yield from entries("replayed with differences", named(DIFFERENCES), explained)
    obstacles = (CountedEntry(each.obstacle.name, each.at, each.happened.wire) for each in compared if each.obstacle)
    yield from entries("not replayable", OBSTACLES, obstacles)
    yield from _outside(outside)
    unwritten = (CountedEntry(each.why, _example(each), each.loop.wire) for each in written or () if each.why)
    yield from entries("replayed, but not written", UNWRITTEN, unwritten)
    yield from _failures(compared)
    yield _counts(compared, written)


def _rows(compared: Sequence[RecordedComparison[RecordedLoop]]) -> dict[str, Sequence[int]]:
    """Counts by wire. ``turns`` counts the recorded responses of the loops."""
    rows: dict[str, Sequence[int]] = {}
    for wire in NATIVE_WIRES:
        if of_wire := [each for each in compared if each.happened.wire == wire]:
            counts = verdicts(of_wire)
            turns = sum(len(each.happened.steps) for each in of_wire)
            rows[wire] = (len(of_wire), turns, *(counts[verdict] for verdict in _WORDS))
    return rows


def _example(written: Written) -> str:
    """The loop, and the first line of the reason why it was not written."""
    detail = written.detail.strip().partition("\n")[0][:_MOST_SHOWN]
    return f"{written.loop.name}: {detail}" if detail else written.loop.name


def _outside(outside: Outside) -> Iterator[str]:
    counted: list[tuple[str, Mapping[NativeWireName, int]]] = [
        (label, getattr(outside, name)) for name, label in _OUTSIDE.items()
    ]
    if not any(counts for _, counts in counted):
        return
    yield "in no loop"
    for label, counts in counted:
        if counts:
            wires = ", ".join(f"{wire} {count}" for wire, count in sorted(counts.items()))
            yield f"  {sum(counts.values()):4}  {label}"
            yield f"        {wires}"
    yield ""


def _failures(compared: Sequence[RecordedComparison[RecordedLoop]]) -> Iterator[str]:
    for each in compared:
        for difference in each.differences:
            yield f"FAILED {each.happened.wire} {difference.at}: {difference.place}"
            yield f"  recorded {difference.expected[:_MOST_SHOWN]!r}"
            yield f"  ours     {difference.got[:_MOST_SHOWN]!r}"


def _counts(compared: Sequence[RecordedComparison[RecordedLoop]], written: Sequence[Written] | None) -> str:
    count = verdicts(compared)
    counts = (
        f"{len(compared)} loops: {count['agrees']} replayed, {count['explained']} replayed with named "
        f"differences, {count['not compared']} not replayable, {count['differs']} failed"
    )
    return counts if written is None else f"{counts}; {sum(not each.why for each in written)} written"
