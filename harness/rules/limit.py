"""How near a run is to its turn limit: functions that all rules about the limit use."""

from __future__ import annotations

from harness.rules.steps import canonical_arguments
from harness.rules.trace_view import TraceView
from harness.rules.turns import Ask
from harness.wire import FinishReason, Text

TURN_LIMIT = "turn-limit"
"""The kind of the error, and the outcome of the ``final``, that say that the limit was reached."""


LONGEST = 60
"""After so many turns that all make the same calls, a loop SHOULD have stopped. The default limits of the loops that
come with drivers, where they have one, lie between 10 and 50 turns."""

_REPETITIONS = 3
"""After so many turns that all make the same calls, a loop may stop by a limit that nobody knows of."""


def same_calls(view: TraceView) -> int:
    """In how many turns, from the first, the model made the same calls, which may be run, and nothing but them."""
    first: list[tuple[str, str]] | None = None
    for number, attempts in enumerate(view.attempts):
        ask = attempts[-1]
        made = [(call.name, canonical_arguments(call.arguments)) for call in ask.calls]
        if not ask.runnable or not made or made != (first or made):
            return number
        first = made
    return len(view.attempts)


def may_have_stopped_itself(view: TraceView) -> bool:
    """Whether the run may have ended at the loop's own limit: the case has none, and the model made no progress."""
    turns = len(view.attempts)
    return view.turn_limit is None and turns >= _REPETITIONS and same_calls(view) == turns


def at_limit(view: TraceView) -> bool:
    """The last allowed turn has been taken. The family ``guardrail`` judges how the run ends."""
    limit = view.turn_limit
    return limit is not None and len(view.attempts) >= limit


def hit_limit(view: TraceView) -> bool:
    """All turns were taken, and the last allowed one needs another."""
    limit = view.turn_limit
    if limit is None or len(view.attempts) < limit:
        return False
    return limit == 0 or _wants_more(view, view.attempts[limit - 1][-1])


def in_the_last_turn(view: TraceView, at: int) -> bool:
    """Whether the run had asked, at this place of the trace, for as many turns as it may."""
    begun = max(run.start for run in view.trace.runs if run.start <= at)
    turns = sum(any(begun <= ask.at < at for ask in attempts) for attempts in view.attempts)
    return view.turn_limit is not None and turns >= view.turn_limit


def demand(view: TraceView) -> Ask | None:
    """The request beyond the limit, if the contract has one that demands an answer."""
    limit = view.turn_limit
    if limit is None or len(view.attempts) <= limit or not hit_limit(view):
        return None
    first, *_ = view.attempts[limit]
    at_limit = view.contract.at_limit
    return first if at_limit == "answer-now" or (at_limit == "any" and demands_answer(first)) else None


def demands_answer(ask: Ask) -> bool:
    """Whether the request ends with a text of the user behind the results."""
    messages = ask.full.messages if ask.full is not None else ()
    last = messages[-1].parts[-1] if messages and messages[-1].parts else None
    return isinstance(last, Text) and messages[-1].role == "user" and not last.text.isspace()


def answered_now(view: TraceView) -> Ask | None:
    """The request that got the demanded answer, with which the run should end; None if there is none."""
    asked, last = demand(view), view.last
    if asked is None or not last.sound or not demands_answer(asked):
        return None
    return last if asked is view.attempts[-1][0] else None


def _wants_more(view: TraceView, ask: Ask) -> bool:
    """Whether the model's turn has to be followed by another: it calls a tool or is only paused."""
    if not ask.runnable or (view.output is not None and view.output.ask is ask):
        return False
    return bool(ask.calls) or ask.turn.stop is FinishReason.PAUSE
