"""What an import found, as lines of plain text. The last line is the counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, get_args

from harness.imports.loops import Outside
from harness.imports.outcome import DIFFERENCES, OBSTACLES, Outcome, Verdict
from harness.imports.writing import UNWRITTEN, Written
from harness.wire import NATIVE_WIRES, NativeWireName

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
    yield from _named("replayed with differences", DIFFERENCES, ((each.differences, each) for each in outcomes))
    obstacles = (((each.obstacle,) if each.obstacle else (), each) for each in outcomes)
    yield from _named("not replayable", OBSTACLES, obstacles)
    yield from _outside(outside)
    if written is not None:
        unwritten = (((each.why,) if each.why else (), each.outcome) for each in written)
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


def _named(title: str, reasons: Mapping[Any, str], outcomes: Iterable[tuple[Iterable[str], Outcome]]) -> Iterator[str]:
    """How many loops each name is of, by wire, what it means, and one of them."""
    found: dict[str, list[Outcome]] = {name: [] for name in reasons}
    for names, outcome in outcomes:
        for name in names:
            found[name].append(outcome)
    if not any(found.values()):
        return
    yield title
    for name, those in found.items():
        if those:
            wires = Counter(each.loop.wire for each in those)
            yield f"  {len(those):4}  {name}: {reasons[name]}"
            yield f"        {', '.join(f'{wire} {count}' for wire, count in wires.items())}"
            yield f"        for example {those[0].at or those[0].loop.name}"
    yield ""


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
