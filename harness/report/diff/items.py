"""One case, one member of a request, or one duration, as it is reported in full."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from harness.finding import Finding
from harness.report.diff.model import CaseChange, CaseSpeed, RequestChange, ShapeChange, TraceChange
from harness.report.diff.summary import Amount, Item, Place
from harness.report.entries import severity
from harness.runner.results import Stale

Facts = Iterator[tuple[str, str]]


def case_item(case: CaseChange, folders: tuple[str, str], amount: Amount) -> Item:
    """A case with its new findings, the first difference of its traces, and how to repeat it."""
    note = case.kind if case.base is None or case.new is None else f"{case.base} -> {case.new}"
    facts = tuple((label, shortened(text, amount)) for label, text in _facts(case, folders, amount))
    place = Place(case.id, removed=case.new is None)
    return Item(shortened(case.id, amount), note, facts, tuple(_diff(case, amount)), place)


def shape_item(change: ShapeChange, amount: Amount) -> Item:
    """A part of requests that one of the runs does not have."""
    sign, cases = ("+", change.new) if not change.base else ("-", change.base)
    what = f"{sign} {shortened(change.what, amount)}"
    return Item(what, change.wire, (("in", f"{cases:,} of {change.cases:,} cases"),))


def request_item(change: RequestChange, folders: tuple[str, str], amount: Amount) -> Item:
    """A change of an agent's requests, with the first request that has it."""
    count = f"in {change.requests:,} of {change.of_requests:,} requests, {change.cases:,} of {change.of_cases:,} cases"
    note = f"{count} on {', '.join(change.wires)}"
    places = zip(("base", "new"), folders, (change.base_at, change.new_at), strict=True)
    facts = [(label, f"{folder}/traces/{change.first}.jsonl:{at}") for label, folder, at in places if at is not None]
    shown = [(label, shortened(text, amount)) for label, text in facts]
    return Item(shortened(change.what, amount), note, tuple(shown), tuple(_lines(change.lines, amount)))


def speed_item(speed: CaseSpeed, amount: Amount) -> Item:
    """A case that takes longer."""
    times = f", x{speed.new / speed.base:.1f}" if speed.base else ""
    return Item(shortened(speed.id, amount), f"{speed.base:.2f} s -> {speed.new:.2f} s{times}")


def stale_item(stale: Stale, amount: Amount) -> Item:
    """An entry of a baseline that is not needed any more."""
    return Item(shortened(stale.place, amount), shortened(f"{stale.what}: {stale.why}", amount))


def shortened(text: str, amount: Amount) -> str:
    """A text, cut to the characters of ``amount``."""
    most = amount.characters
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"


def _facts(case: CaseChange, folders: tuple[str, str], amount: Amount) -> Facts:
    places = [f"{folder}/{trace}" for folder, trace in zip(folders, case.traces, strict=True)]
    found = (*case.found, *case.visible)
    for finding in found[: amount.findings]:
        yield from _finding_facts(finding, places[1])
    if others := Counter(each.id for each in found[amount.findings :]):
        yield "also", ", ".join(f"{rule} ({count} times)" if count > 1 else rule for rule, count in others.items())
    for each in case.altered[: amount.findings]:
        yield "still", each.new.name
        yield from _both_texts(each.base, each.new)
    if case.new == "error" and case.error:
        yield "error", case.error.strip().rpartition("\n")[2]
    if case.trace is not None:
        yield "changed", case.trace.what
        yield from _places(case.trace, places)
    if case.repeat:
        yield "repeat", case.repeat


def _places(change: TraceChange, traces: Sequence[str]) -> Facts:
    lines = zip(("base", "new"), traces, (change.base_at, change.new_at), strict=True)
    yield from ((label, f"{trace}:{at}") for label, trace, at in lines if at is not None)


def _finding_facts(finding: Finding, trace: str) -> Facts:
    place = f"  {trace}:{finding.at}" if finding.at else ""
    yield "found", f"{finding.name}  {severity(finding)}{place}"
    yield "expected", finding.expected
    yield "got", finding.got
    if finding.explanation:
        yield "evidence", finding.explanation


def _both_texts(base: Finding, new: Finding) -> Facts:
    """The differences between two findings of a rule."""
    for label, old, now in (
        ("expected", base.expected, new.expected),
        ("got", base.got, new.got),
        ("evidence", base.explanation, new.explanation),
    ):
        if old != now:
            yield label, f"{old}\n-> {now}"


def _diff(case: CaseChange, amount: Amount) -> Iterator[str]:
    yield from _lines(case.trace.lines if case.trace is not None else (), amount)


def _lines(lines: Sequence[str], amount: Amount) -> Iterator[str]:
    yield from map(partial(shortened, amount=amount), lines[: amount.lines])
    if (left := len(lines) - amount.lines) > 0:
        yield f"  … {left:,} more lines"
