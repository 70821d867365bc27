"""The course of a run: its turns counted, one end, and nothing after it.

A run that waits for an approval or for a result from elsewhere says so with ``final`` and outcome ``deferred``. That
is an end only while nobody resumes it.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.finding import Finding, broken
from harness.rules.model import Rule
from harness.rules.trace_view import TraceView
from harness.trace import EventRecord, Failure, Final, TurnStart
from harness.trace.files import event_kind

_FINALIZATION = "Agent Tool-Calling Flow, Finalization"


def _nothing_after_end(view: TraceView) -> Iterator[Finding]:
    if view.end is None:
        return
    end_at, end = view.end
    asked = {ask.at for ask in view.asks}
    for at, record in enumerate(view.trace.records[end_at + 1 :], end_at + 1):
        if isinstance(record, EventRecord) and not isinstance(record.event, Final | Failure):
            got = event_kind(record.event)
        elif at in asked:
            got = "another request to the model"
        else:
            continue
        yield broken(at, f"nothing after {event_kind(end)}", got)
        return


def _one_end(view: TraceView) -> Iterator[Finding]:
    first = view.end
    if first is not None:
        later = [*view.ends[1:], *(waits for waits in view.deferrals if waits[0] > first[0])]
        for at, end in later:
            yield broken(at, f"one end: {event_kind(first[1])}", f"a second end: {event_kind(end)}")
    elif view.emits(Final, Failure) and not _waits(view):
        yield broken(len(view.trace.records) - 1, "final or error as the last event", "neither of them")


def _waits(view: TraceView) -> bool:
    """Whether the run was left waiting: the model was asked nothing after the event that reports it."""
    return bool(view.deferrals) and not (view.asks and view.asks[-1].at > view.deferrals[-1][0])


def _turn_count(view: TraceView) -> Iterator[Finding]:
    for number, (at, start) in enumerate(view.emitted(TurnStart), 1):
        if start.turn != number:
            yield broken(at, f"turnStart {number}", f"turnStart {start.turn}")
            return


RULES = (
    Rule(
        "order/nothing-after-end",
        "MUST",
        "unsafe",
        "After final or error the loop emits no event and sends no request; after final 'deferred' the run may go on.",
        "The receiver has closed the channel: later events are lost, and later requests cost money without a use.",
        _FINALIZATION,
        _nothing_after_end,
    ),
    Rule(
        "order/one-end",
        "MUST",
        "unsafe",
        "A run ends with exactly one final or error; while calls wait, with final 'deferred' as often as it stops.",
        "Without an end the user waits for ever; with two, one of them is wrong.",
        _FINALIZATION,
        _one_end,
    ),
    Rule(
        "order/turn-count",
        "MUST",
        "style",
        "turnStart counts 1, 2, 3 and so on.",
        "The turn number is what limits and reports refer to.",
        "Agent Tool-Calling Flow, Core Tool-Calling Loop",
        _turn_count,
    ),
)
