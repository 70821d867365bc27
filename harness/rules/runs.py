"""The main conversation of a case in parts: run by run, and stretch by stretch where its history is made anew.

What rules say of a history applies as long as it only grows on one model of one wire. After a switch thinking is left
out and ids are others, and a history that was compacted is another one. What rules say of an end applies to each run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from harness.trace import MAIN, CallerRecord, Case, RequestRecord, ResponseRecord, Trace

_Scopes = frozenset[Literal["conversation", "run", "case"]]


@dataclass(frozen=True, slots=True)
class TracePart:
    """A part of a trace: ``places`` are the places of its records in the whole trace."""

    trace: Trace
    places: tuple[int, ...]


def parts(trace: Trace) -> Iterator[tuple[TracePart, _Scopes]]:
    """The parts of the main conversation, each with what rules may be asked of it."""
    main, runs = trace.main, trace.main.runs
    places = tuple(range(len(main.records))) if main is trace else trace.places_of(MAIN)
    begins = [_beginning(main, run) for run in runs]
    cases = list(_cases(main.case, begins))
    yield TracePart(main, places), frozenset({"case"})
    for first, last in _stretches(begins):
        yield _part(main, places, range(runs[first].start, runs[last].stop), cases[first]), frozenset({"conversation"})
    for run, case, each in zip(runs, cases, begins, strict=True):
        own = case if each is None else replace(case, prompt=(("user", each.text),))
        yield _part(main, places, run, own), frozenset({"run"})


def _beginning(main: Trace, run: range) -> CallerRecord | None:
    """What the caller has begun the run with; None for the first."""
    first = main.records[run.start] if run else None
    return first if isinstance(first, CallerRecord) and first.did == "run" else None


def _cases(case: Case, begins: Sequence[CallerRecord | None]) -> Iterator[Case]:
    """The case as each run has it: on which wire."""
    for each in begins:
        if each is not None and each.wire:
            case = replace(case, wire=each.wire)
        if each is not None and each.compacted:  # what the user has asked at first may be part of a summary
            case = replace(case, prompt=tuple(pair for pair in case.prompt if pair[0] == "system"))
        yield case


def _stretches(begins: Sequence[CallerRecord | None]) -> Iterator[tuple[int, int]]:
    """The first and the last run of each stretch."""
    anew = [number for number, each in enumerate(begins) if each and (each.wire or each.model or each.compacted)]
    yield from zip((0, *anew), (*(each - 1 for each in anew), len(begins) - 1), strict=True)


def _part(main: Trace, places: Sequence[int], run: range, case: Case) -> TracePart:
    """The records of some runs; a response belongs to its request, also if it has ended later."""
    asked = {record.exchange for record in main.records[run.start : run.stop] if isinstance(record, RequestRecord)}
    kept = [
        at
        for at, record in enumerate(main.records)
        if (record.exchange in asked if isinstance(record, ResponseRecord) else at in run)
    ]
    return TracePart(Trace(case, tuple(main.records[at] for at in kept)), tuple(places[at] for at in kept))
