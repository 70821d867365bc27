"""One case, one member of a request, one duration: as it is told in full."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from harness.report.diff.model import CaseChange, CaseSpeed, ShapeChange
from harness.report.diff.told import Amount, Item
from harness.runner.results import Evidence

__all__ = ["shortened", "told_case", "told_shape", "told_speed"]

_MOST_FINDINGS = 3

Facts = Iterator[tuple[str, str]]


def told_case(case: CaseChange, folders: tuple[str, str], amount: Amount) -> Item:
    """A case with what is new of its findings, the first difference of its traces, and how to repeat it."""
    note = case.kind if case.base is None or case.new is None else f"{case.base} -> {case.new}"
    facts = tuple((label, shortened(text, amount)) for label, text in _facts(case, folders))
    return Item(case.id, note, facts, tuple(_diff(case, amount)))


def told_shape(change: ShapeChange) -> Item:
    """A part of requests that one of the runs does not have."""
    sign, cases = ("+", change.new) if not change.base else ("-", change.base)
    return Item(f"{sign} {change.what}", change.wire, (("in", f"{cases:,} of {change.cases:,} cases"),))


def told_speed(speed: CaseSpeed) -> Item:
    """A case that takes longer."""
    times = f", x{speed.new / speed.base:.1f}" if speed.base else ""
    return Item(speed.id, f"{speed.base:.2f} s -> {speed.new:.2f} s{times}")


def shortened(text: str, amount: Amount) -> str:
    """A text, no longer than is told."""
    most = amount.characters
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"


def _facts(case: CaseChange, folders: tuple[str, str]) -> Facts:
    base, new = (f"{folder}/{trace}" for folder, trace in zip(folders, case.traces, strict=True))
    for evidence in case.found[:_MOST_FINDINGS]:
        yield from _evidence(evidence, new)
    if (left := len(case.found) - _MOST_FINDINGS) > 0:
        yield "and", f"{left:,} more findings that are new"
    for each in case.altered[:_MOST_FINDINGS]:
        yield "still", each.new.rule
        yield from _told_twice(each.base, each.new)
    if case.new == "error" and case.error:
        yield "error", case.error.strip().rpartition("\n")[2]
    if case.trace is not None:
        places = zip((base, new), (case.trace.base_at, case.trace.new_at), strict=True)
        yield "changed", f"{case.trace.what}, at " + " and ".join(f"{file}:{at}" for file, at in places if at)
    if case.repeat:
        yield "repeat", case.repeat


def _evidence(evidence: Evidence, trace: str) -> Facts:
    place = f"  {trace}:{evidence.at}" if evidence.at else ""
    yield "found", f"{evidence.rule}  {evidence.level} {evidence.kind}{place}"
    yield "expected", evidence.expected
    yield "got", evidence.got
    if evidence.detail:
        yield "evidence", evidence.detail


def _told_twice(base: Evidence, new: Evidence) -> Facts:
    """What differs between two findings of a rule."""
    for label, old, now in (
        ("expected", base.expected, new.expected),
        ("got", base.got, new.got),
        ("evidence", base.detail, new.detail),
    ):
        if old != now:
            yield label, f"{old}\n-> {now}"


def _diff(case: CaseChange, amount: Amount) -> Iterator[str]:
    lines = case.trace.lines if case.trace is not None else ()
    yield from map(partial(shortened, amount=amount), lines[: amount.lines])
    if (left := len(lines) - amount.lines) > 0:
        yield f"  … {left:,} more lines"
