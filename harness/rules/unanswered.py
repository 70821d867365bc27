"""Calls that nobody has answered, where a program has come to its end and reports no events: requests show it alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.finding import Finding, broken
from harness.ground.cached import kept
from harness.rules.limit import at_limit, may_have_stopped_itself
from harness.rules.steps import canonical_arguments
from harness.rules.trace_view import TraceView
from harness.rules.turns import Ask
from harness.wire import Call, FinishReason

UNFINISHED: Final = "final/unfinished"
"""The rule that reports them."""

_FOR_A_RESULT: Final = "If the program wants the calls for its result, it can force them with a tool choice."


def never_answered(view: TraceView) -> Iterator[Finding]:
    """A finding for each turn with calls that no request has gone on from.

    Left out is a turn whose calls the request has forced: they are its result. That a program has lost the calls, and
    did not just want to see them, is certain only where it has answered others in the same conversation, or where a
    script has an answer to their results.
    """
    if may_have_stopped_itself(view) or at_limit(view):
        return
    went_on = {answered.number for answered, _ in view.continuations}
    certain = view.case.source == "script" or any(answered.calls for answered, _ in view.continuations)
    for ask in view.asks:
        calls = _expected_calls(view, ask)
        if not calls or ask.number in went_on or _is_sent_back(view, ask) or _is_asked_again(view, ask):
            continue
        names = ", ".join([call.name for call in calls[:4]])
        at = ask.exchange.response_at
        expected, got = f"a request with the results of {names}", "no more requests of this conversation"
        yield broken(at or ask.at, expected, got, "" if certain else _FOR_A_RESULT, level=None if certain else "SHOULD")


def _expected_calls(view: TraceView, ask: Ask) -> list[Call]:
    """The calls that the loop is expected to run and to answer."""
    if ask.full is None or not ask.runnable or ask.turn.stop is not FinishReason.TOOL_CALLS:
        return []
    response = ask.exchange.response
    if response is None or response.end != "eof" or view.wire.tool_choice(ask.full.body).required:
        return []
    offered = {tool.name for tool in ask.full.tools}
    return [call for call in ask.calls if call.name in offered and view.case.kinds.get(call.name) is None]


def _is_sent_back(view: TraceView, ask: Ask) -> bool:
    """Whether a request has anything of the calls: one of a branch, or of an agent that has taken over."""
    return not _sent(view.all_over[0]).isdisjoint(map(_mark, ask.calls))


def _is_asked_again(view: TraceView, ask: Ask) -> bool:
    """Whether another request has asked the same and its answer was used: one was sent twice, the first answer won, or
    the program was not content with one."""
    others = (other for each in view.all_over for other in each.asks if other is not ask and other.asks_the_same(ask))
    return any(not other.calls or _is_sent_back(view, other) for other in others if other.reply is not None)


@kept
def _sent(first: TraceView) -> frozenset[object]:
    """What all requests of the case say of calls: their ids, and calls without ids."""
    found: set[object] = set()
    for view in first.all_over:
        for ask in view.asks:
            for message in ask.full.messages if ask.full is not None else ():
                found.update(map(_mark, message.calls))
                found.update(result.id for result in message.results if result.id)
    return frozenset(found)


def _mark(call: Call) -> object:
    return call.id or (call.name, canonical_arguments(call.arguments))
