"""A long answer that the SDK continues by itself: where a loop announces no turns, its pieces are one turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from harness.rules import judge
from harness.trace import Assistant, EventRecord, Record, Trace, TurnStart
from harness_lab.selftest.stage import Part, play

PART: Part = ("long-answer-goes-on-not-streamed", "gemini-interactions")
pytestmark = pytest.mark.anyio


async def edited(edit: Callable[[list[Record]], list[Record]]) -> set[str]:
    """What the rules find in a run of the scenario, once its records are changed."""
    trace = (await play([PART]))[PART].trace
    assert judge(trace) == []
    return {finding.rule for finding in judge(Trace(trace.case, tuple(edit(list(trace.records)))))}


def texts(records: list[Record]) -> list[EventRecord]:
    return [each for each in records if isinstance(each, EventRecord) and isinstance(each.event, Assistant)]


def whole(records: list[Record]) -> list[Record]:
    """The first piece is shown with the last one, in one text."""
    first, last = texts(records)
    assert isinstance(first.event, Assistant)
    shown = replace(first, exchange=last.exchange, offset=0)
    kept = [each for each in records if each is not first]
    at = next(number for number, each in enumerate(kept) if each is last)
    assert isinstance(last.event, Assistant)
    return [*kept[:at], shown, replace(last, event=replace(last.event, id=first.event.id)), *kept[at + 1 :]]


def unannounced(records: list[Record]) -> list[Record]:
    return [each for each in records if not (isinstance(each, EventRecord) and isinstance(each.event, TurnStart))]


async def test_it_may_be_shown_when_all_of_it_has_come() -> None:
    assert await edited(lambda records: unannounced(whole(records))) == set()


async def test_a_piece_of_it_may_not_be_left_out() -> None:
    def broken(records: list[Record]) -> list[Record]:
        return [each for each in unannounced(records) if each is not texts(records)[0]]

    assert await edited(broken) == {"stream/text"}


async def test_where_each_piece_is_announced_as_a_turn_it_is_shown_in_that_turn() -> None:
    assert {"stream/text"} <= await edited(whole)
