"""The turn limit: never one request too many, never a silent stop, never a false alarm."""

from __future__ import annotations

from collections.abc import Iterator

from harness.finding import Finding, Level, broken
from harness.rules.contracts import CONTRACTS
from harness.rules.evidence import quote
from harness.rules.limit import (
    LONGEST,
    TURN_LIMIT,
    answered_now,
    demand,
    demands_answer,
    hit_limit,
    in_the_last_turn,
    same_calls,
)
from harness.rules.model import rule
from harness.rules.trace_view import TraceView
from harness.trace import RAISED, Failure, Final

_SOURCE = "Agent Tool-Calling Flow, Core Tool-Calling Loop, step 5: Guardrail"
_LOOP_TERMINATION = "Hugind Tool Calling Flow, Loop Termination"
_SILENT = "survey of agent loops: some stop at their limit with the unanswered call and say nothing"

_ENDS = {
    "raise": f"error {TURN_LIMIT!r}",
    "stop": f"final, {TURN_LIMIT!r}",
    "any": f"error {TURN_LIMIT!r}, or final {TURN_LIMIT!r}",
}


@rule(
    "guardrail/turn-limit",
    "MUST",
    "unsafe",
    "The loop requests no more turns than the limit allows, plus one that demands an answer if the contract has that. "
    "A request that repeats one without a reply does not count.",
    why="The limit is what bounds the bill of a model that never stops calling tools.",
    source=f"{_SOURCE}; {_LOOP_TERMINATION}",
    needs=("exchanges",),
    scope="run",
    facts=(),
    proof="""
    run: {turns: [[Let me look., {call: depth, with: {basin: north}}], [Let me look.,
        {call: tide, with: {basin: north}}], Yes.]}
    right: {limit-of-no-contract: No limit.}
    wrong: {above-limit: [One turn too many., {case: {turn_limit: 2}}]}
    """,
)
def _turn_limit(view: TraceView) -> Iterator[Finding]:
    limit = view.turn_limit
    if limit is None:
        return
    allowed = limit if demand(view) is None else limit + 1
    if len(view.asked) > allowed:
        expected = f"at most {limit} turns" if allowed == limit else f"no request after the answer to turn {allowed}"
        yield broken(view.asked[allowed].at, expected, f"a request for turn {allowed + 1}")


@rule(
    "guardrail/limit-reported",
    "MUST",
    "unsafe",
    "A run whose last allowed turn still called tools ends with the error 'turn-limit', or with final "
    "'turn-limit' where the contract is to stop there. An answer that had to be demanded SHOULD be called so too.",
    why="A limit that is reached in silence passes half a job off as a finished one.",
    source=f"{_SOURCE}; {_SILENT}",
    needs=("events", "exchanges"),
    scope="run",
    aliases=("guardrail/limit-told",),
    proof="""
    wires: [anthropic-messages]
    run: {turns: [[Let me look., {call: depth, with: {basin: north}}], {parts: [Let me see], stop: pause}]}
    wrong: {limit-with-paused: [The last turn is paused., {case: {turn_limit: 2}}]}
    """,
)
def _limit_reported(view: TraceView) -> Iterator[Finding]:
    if not hit_limit(view) or not view.emits(Failure, Final):
        return
    answer, end = answered_now(view), _end(view)
    if answer is not None:
        if answer.stopped is None and isinstance(end, Final) and end.outcome != TURN_LIMIT:
            yield from _unsaid(view, f"final, {TURN_LIMIT!r}: the answer was demanded", "SHOULD")
    elif len(view.attempts) == view.turn_limit and not _keeps_contract(view):
        yield from _unsaid(view, f"{_ENDS[view.contract.at_limit]}: turn {view.turn_limit} did not finish")


def _keeps_contract(view: TraceView) -> bool:
    """Whether the run ends at its limit as it should, or waits. A demand for an answer is another rule's business.

    A failure with only a text may be the limit; a loop that raises has not stopped silently.
    """
    if view.contract.at_limit == "answer-now":
        return True
    match _end(view):
        case Failure(kind):
            reported = kind in (TURN_LIMIT, RAISED) and view.contract.at_limit != "stop"
            return reported or kind == "tool-retries"
        case Final(_, outcome):
            return outcome == TURN_LIMIT and view.contract.at_limit != "raise"
        case _:
            return bool(view.deferrals)


def _unsaid(view: TraceView, expected: str, level: Level | None = None) -> Iterator[Finding]:
    at = view.end[0] if view.end is not None else len(view.trace.records) - 1
    yield broken(at, expected, _end_words(view), level=level)


def _end(view: TraceView) -> Failure | Final | None:
    return view.end[1] if view.end is not None else None


def _end_words(view: TraceView) -> str:
    match _end(view):
        case Failure(kind):
            return f"error {kind!r}"
        case Final(_, outcome):
            return f"final, {outcome!r}"
        case _:
            return "no end"


@rule(
    "guardrail/answer-now",
    "MUST",
    "unsafe",
    "After the last allowed turn, if it still called tools, one request more ends with a text of the user, behind "
    "all results, that demands the answer.",
    why="A model that gets no instruction to answer calls more tools, which will not be run: the run ends without an "
    "answer.",
    source=_LOOP_TERMINATION + ", case 2",
    needs=("exchanges",),
    profiles=tuple([name for name, contract in CONTRACTS.items() if contract.at_limit == "answer-now"]),
    scope="run",
    proof="""
    wires: [openai-chat]
    run: {turns: [[Let me look., {call: depth, with: {basin: north}}], Yes.], case: {profile: hugind,
        turn_limit: 1}, end: {Final: '', outcome: turn-limit}}
    wrong: {demand-unreadable: [The request behind the last turn is no JSON., demand, {unreadable: 1}]}
    """,
)
def _answer_now(view: TraceView) -> Iterator[Finding]:
    if not hit_limit(view):
        return
    expected = f"a request that demands the answer in a user message: turn {view.turn_limit} was the last"
    asked = demand(view)
    if asked is not None and not demands_answer(asked):
        yield broken(asked.at, expected, "a request without a message after the results")
    elif asked is None and view.end is not None:
        yield broken(view.end[0], expected, f"{_end_words(view)} without such a request")


@rule(
    "guardrail/false-alarm",
    "MUST",
    "unsafe",
    "The error or the outcome 'turn-limit' is reported only when all turns were taken and the last one still "
    "called tools.",
    why="A model that finishes in its last turn has done what it was asked for.",
    source=_SOURCE,
    needs=("events", "exchanges"),
    scope="run",
    proof="""
    run: {turns: [[Let me look., {call: depth, with: {basin: north}}], Yes.]}
    right:
      alarm-without-limit: [Without a limit it may be the loop's own., &same {end_as: {Failure: turn-limit,
          message: 2 turns}}]
    wrong: {alarm-edited-before: [The caller has edited another turn., {case: {turn_limit: 2, edits: [1]}}, *same]}
    """,
)
def _false_alarm(view: TraceView) -> Iterator[Finding]:
    limit = view.turn_limit
    if limit is None or hit_limit(view) or _caller_wants_more(view, limit):
        return
    for at, end in view.ends:
        if (end.kind if isinstance(end, Failure) else end.outcome) == TURN_LIMIT:
            expected = f"no {TURN_LIMIT!r} before {limit} turns were taken and the last one called a tool"
            message = f": {quote(end.message)}" if isinstance(end, Failure) else ""
            yield broken(at, expected, f"{TURN_LIMIT!r} after turn {len(view.attempts)}{message}")


def _caller_wants_more(view: TraceView, limit: int) -> bool:
    """Whether a caller wants another turn where the model does not; the limit stops that, too."""
    if len(view.attempts) >= limit and limit in view.case.edits:
        return True
    return any(record.did == "say" and in_the_last_turn(view, at) for at, record in view.acts)


@rule(
    "guardrail/no-limit",
    "SHOULD",
    "unsafe",
    f"The loop needs a turn limit of its own (tested: {LONGEST} identical turns). If the case sets none, the loop does "
    f"not ask for turn {LONGEST + 1} after {LONGEST} turns that all made the same calls.",
    why="A model that repeats itself would be asked again and again, at a cost, until a person notices.",
    source="the default turn limits of the loops that come with drivers, where they have one, lie between 10 and 50",
    needs=("exchanges",),
    scope="run",
    facts=("ids",),
    proof="""
    wires: [openai-chat]
    run: {turns: [{parts: [Let me look., {call: depth, with: {basin: north}}], times: 61}], silent: true,
        stops_at: 61}
    right: {same-calls-below-a-limit: [The case has a limit of 100 turns., {case: {turn_limit: 100}}]}
    wrong: {same-calls-without-end: The model repeats itself in 61 turns.}
    """,
)
def _no_limit(view: TraceView) -> Iterator[Finding]:
    if view.turn_limit is None and len(view.asked) > LONGEST and same_calls(view) >= LONGEST:
        made = ", ".join([call.name for call in view.attempts[0][-1].calls[:4]])
        expected = f"a turn limit of the loop's own: the run ends after at most {LONGEST} identical turns"
        got = f"a request for turn {LONGEST + 1} after {LONGEST} turns that called {made}"
        yield broken(view.asked[LONGEST].at, expected, got)
