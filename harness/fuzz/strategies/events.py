"""What a loop may report to its user, event by event: in order, and with one thing wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from hypothesis import strategies as st

from harness.trace import Assistant, Event, Failure, Thinking, ToolResult, ToolStart, TurnStart
from harness.trace import Final as End


@st.composite
def event_streams(draw: st.DrawFn, *, most_turns: int = 3) -> list[Event]:
    """The events of a run in an order in which a loop may emit them: turns, pieces of text, calls side by side, an end.

    The calls of a turn begin in order, and end in any order once all that the model says has been emitted.

    >>> from hypothesis import given
    >>> @given(event_streams())
    ... def test_my_page_shows_any_run(events): ...
    """
    events: list[Event] = []
    for number in range(1, draw(st.integers(1, most_turns)) + 1):
        events += [TurnStart(number), *draw(_texts(number)), *draw(_call_events(number))]
    events.append(draw(st.sampled_from(_ENDS)))
    return events


_ENDS: Final[tuple[Event, ...]] = (End("", "completed", "Done."), End(""), Failure("stream", "It broke."))


def _texts(turn: int) -> st.SearchStrategy[list[Event]]:
    pieces = st.sampled_from(["a", "\n", "é😀"])
    thinking = pieces.map(lambda text: Thinking(text, f"thinking-{turn}"))
    text = pieces.map(lambda text: Assistant(text, f"text-{turn}"))
    return st.tuples(st.lists(thinking, max_size=2), st.lists(text, max_size=2)).map(
        lambda drawn: [*drawn[0], *drawn[1]]
    )


@st.composite
def _call_events(draw: st.DrawFn, turn: int) -> list[Event]:
    ids = [f"call-{turn}-{number}" for number in range(draw(st.integers(0, 3)))]
    starts: list[Event] = [ToolStart(id, "look", {}) for id in ids]
    ends: list[Event] = [ToolResult(id, "look", None, draw(st.booleans())) for id in draw(st.permutations(ids))]
    if draw(st.booleans()):  # one after another
        by_id = {end.id: end for end in ends if isinstance(end, ToolResult)}
        return [event for start, id in zip(starts, ids, strict=True) for event in (start, by_id[id])]
    return [*starts, *ends]


# --- with one thing wrong -----------------------------------------------------------------------------------

Break = Callable[[Sequence[Event], int], list[Event]]
"""Breaks events at the place of one of them."""


def _with_repeat(events: Sequence[Event], at: int) -> list[Event]:
    return [*events[: at + 1], *events[at:]]


def _left_out(events: Sequence[Event], at: int) -> list[Event]:
    return [*events[:at], *events[at + 1 :]]


def _another_id(events: Sequence[Event], at: int) -> list[Event]:
    result = events[at]
    assert isinstance(result, ToolResult)  # noqa: S101 - the fault is of these
    return [*events[:at], replace(result, id="nobody's"), *events[at + 1 :]]


def _at_the_end(events: Sequence[Event], at: int) -> list[Event]:
    return [*events, events[at]]


def _counted_wrong(events: Sequence[Event], at: int) -> list[Event]:
    start = events[at]
    assert isinstance(start, TurnStart)  # noqa: S101 - the fault is of these
    return [*events[:at], TurnStart(start.turn + 1), *events[at + 1 :]]


FAULTS: Final[dict[str, tuple[type[Event] | tuple[type[Event], ...], Break]]] = {
    "start emitted twice": (ToolStart, _with_repeat),
    "start left out": (ToolStart, _left_out),
    "result emitted twice": (ToolResult, _with_repeat),
    "result left out": (ToolResult, _left_out),
    "result of nobody's call": (ToolResult, _another_id),
    "turn counted wrong": (TurnStart, _counted_wrong),
    "text after the end": (Assistant, _at_the_end),
    "two ends": ((End, Failure), _with_repeat),
    "no end": ((End, Failure), _left_out),
}
"""The faults of a run's events: the kind of event that has it, and the function that makes it."""


@st.composite
def broken_event_streams(draw: st.DrawFn) -> tuple[str, list[Event]]:
    """Events with one thing wrong, and which of ``FAULTS`` it is.

    >>> from hypothesis import given
    >>> @given(broken_event_streams())
    ... def test_my_checker_objects(broken): ...
    """
    events = draw(event_streams())
    possible = {
        name: places
        for name, (kinds, _) in FAULTS.items()
        if (places := [at for at, event in enumerate(events) if isinstance(event, kinds)])
    }
    name = draw(st.sampled_from(list(possible)))
    return name, FAULTS[name][1](events, draw(st.sampled_from(possible[name])))
