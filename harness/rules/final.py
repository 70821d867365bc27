"""How a run ends: with what the model made, and saying truly how it ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.finding import Finding, broken
from harness.rules.evidence import quote
from harness.rules.limit import TURN_LIMIT, at_limit, may_have_stopped_itself
from harness.rules.model import rule
from harness.rules.run_evidence import Execution, answers, execution, must_not_run
from harness.rules.trace_view import TraceView
from harness.rules.turns import Ask, ReportedCall
from harness.rules.unanswered import UNFINISHED, never_answered
from harness.trace import Failure, Final, ToolResult
from harness.wire import Call, FinishReason
from harness.wire.results import may_report_failure

_KINDS = "Tool Call Flow Diagrams, Detailed Tool Execution Flow and Tool Kind Hierarchy"
_FAULTS = "survey of agent loops: cut streams, in-stream errors and truncated calls are taken as success"

_STOPPED = {
    FinishReason.MAX_TOKENS: "the answer was cut off",
    FinishReason.REFUSAL: "the model refused",
    FinishReason.CONTENT_FILTER: "the answer was filtered",
}

_NO_FAULT_OF_THE_LOOP = frozenset({TURN_LIMIT, "http", "stream", "tool-retries"})
"""Kinds of errors that may end a run although the model's last turn was sound and calls tools."""


def _was_asked_again(view: TraceView, last: Ask, end: Failure) -> bool:
    """Whether a text of the model was not taken for an answer before, and this one is one too many."""
    earlier = (each for each in view.asks if each is not last and each.sound)
    return end.kind == "tool-retries" and any(each.stopped is None and not each.calls for each in earlier)


@rule(
    "final/reported",
    "MUST",
    "unsafe",
    "A run ends with final if its last model turn is complete and calls no tool. If that turn was cut off, refused or "
    "filtered, the run may end with an error instead.",
    why="An error would throw away a result that the model has given.",
    source="Agent Tool-Calling Flow, Core Tool-Calling Loop, step 3",
    needs=("events", "exchanges"),
    scope="run",
    aliases=("final/told",),
    proof="""
    run: {turns: [[Let me look., {call: depth, with: {basin: north}}], Yes.]}
    right:
      answer-cut-as-failure: [A stream that broke is a failure., {cut: 1},
          {end_as: {Failure: stream, message: cut}}]
    wrong:
      answer-as-failure: [A run that has its answer ends in a failure., {end_as: {Failure: http, message: '500'}}]
    """,
)
def _final_after_the_last_turn(view: TraceView) -> Iterator[Finding]:
    last = view.last
    if not last.sound or not view.emits(Final, Failure):
        return
    if last.stopped is not None or last.calls or _is_paused(last) or view.trace.case.dialect:
        return  # a stream that is none of the provider's own may be refused
    for at, end in view.ends:
        if isinstance(end, Failure) and end.kind != TURN_LIMIT and not _was_asked_again(view, last, end):
            yield broken(
                at, "final: the model's last turn ended without a call", f"error {end.kind!r}: {quote(end.message)}"
            )


@rule(
    "final/paused-turn",
    "MUST",
    "unsafe",
    "A run does not end with final on a paused turn: the turn is sent back, and the model goes on with it.",
    why="The model has said that it is not done: what it has so far is passed off as the whole.",
    source="recorded answers of Anthropic to a turn that stopped with 'pause_turn' and was sent back as it is",
    needs=("events", "exchanges"),
    scope="run",
    proof="""
    wires: [anthropic-messages]
    run: {turns: [[Let me look., {call: depth, with: {basin: north}}], {parts: [Let me see], stop: pause}]}
    right: {paused-and-reset: [The connection broke behind a paused turn., {cut: 1, end: reset, events: 0}]}
    wrong: {paused-as-final: A run ends on a paused turn.}
    """,
)
def _paused_turn(view: TraceView) -> Iterator[Finding]:
    last, final = view.last, view.final
    if final is None or not last.sound or not _is_paused(last) or at_limit(view):
        return
    at, event = final
    if event.outcome != TURN_LIMIT:
        yield broken(at, "a request that sends the paused turn back", f"final, {event.outcome!r}")


def _is_paused(ask: Ask) -> bool:
    return ask.turn.stop is FinishReason.PAUSE


@rule(
    UNFINISHED,
    "MUST",
    "unsafe",
    "A run does not end with a turn that stopped for its calls: they get results. Exceptions are an output call that "
    "was accepted, calls that wait, and the turn limit; a limit of the loop's own counts if every turn made the same "
    "calls. For a program that reports no events, the level is SHOULD if it has answered no call before and no script "
    "expects it to. A call that the request has forced may be the program's result.",
    why="The model waits for the results: what it has said so far is passed off as its answer.",
    source="survey of agent loops: one ends at a limit of its own with the unanswered call, as if nothing were wrong; "
    "another drops the calls of a turn that has text, too",
    needs=("exchanges",),
    scope="run",
    proof="""
    run: {turns: [[Let me look., {call: depth, with: {basin: north}}], [One more., {call: tide, with: {basin: s}},
        {call: enter, with: {basin: s}}]], stops_at: 2}
    right: {call-as-final-edited: [The caller has ended it., {case: {edits: [2]}}]}
    wrong: {call-as-final: A run ends with a call that was made.}
    """,
)
def _unfinished_run(view: TraceView) -> Iterator[Finding]:
    if view.all_over:
        yield from never_answered(view)
        return
    last, final = view.last, view.final
    if final is None or at_limit(view) or view.edited(last):
        return
    if may_have_stopped_itself(view):
        return
    at, event = final
    # A loop may take the stop reason at its word where the turn has a call all the same, and a server is not known to
    # say it of every turn with calls.
    dialect = view.wire.dialects.get(view.case.dialect)
    is_meant = last.turn.stop is FinishReason.TOOL_CALLS or (dialect is not None and dialect.wrong_stop)
    called = last.runnable and bool(last.calls) and is_meant
    if called and event.outcome != TURN_LIMIT and view.output is None:
        names = ", ".join([call.name for call in last.calls[:4]])
        yield broken(at, f"a request with the results of {names}", f"final, {event.outcome!r}")


@rule(
    "final/deferred",
    "MUST",
    "unsafe",
    "The outcome is 'deferred' only while a call of the last turn waits for an approval or for a result from "
    "elsewhere.",
    why="The user would wait for an approval request that never comes.",
    source=_KINDS,
    needs=("events", "exchanges"),
    scope="run",
    proof="""
    run: {turns: [[Let me look., {call: depth, with: {basin: north}}], [{call: enter, with: {basin: n}},
        {call: tide, with: {basin: n}}]], case: {kinds: {enter: unapproved}}, end: {Final: '', outcome: deferred},
        stops_at: 2}
    right: {deferred: [A call waits for approval., {drop: ToolResult, which: 1}]}
    wrong: {deferred-function: [No call waits., {drop: ToolResult, which: 1}, {case: {kinds: {}}}]}
    """,
)
def _deferral(view: TraceView) -> Iterator[Finding]:
    for at, _ in view.deferrals:
        ask = next((ask for ask in reversed(view.asks) if ask.at < at), None)
        calls = view.calls_of(ask) if ask is not None and ask.runnable else ()
        if not any(view.kind(call) in ("external", "unapproved") and not _is_over(call, at) for call in calls):
            expected = "a call that waits for an approval, or for a result from outside the loop"
            yield broken(at, expected, f"final 'deferred' after {', '.join(_shown(view, calls)) or 'no call'}")


def _is_over(call: ReportedCall, at: int) -> bool:
    ended_at = call.tool.ended_at if call.tool is not None else None
    return ended_at is not None and ended_at < at


def _shown(view: TraceView, calls: Sequence[ReportedCall]) -> Iterator[str]:
    return (f"{call.call.name} ({view.kind(call)})" for call in calls[:4])


@rule(
    "final/output",
    "MUST",
    "unsafe",
    "An output call that was accepted ends the run: the model is asked nothing more.",
    why="Its arguments are the result; another turn may contradict it, and is an unnecessary cost.",
    source=_KINDS + ": output tools return the final result",
    needs=("events", "exchanges"),
    scope="run",
    proof="""
    run: {turns: [[{call: depth, with: {basin: n}}, {call: enter, with: {basin: n}}], [Let me look.,
        {call: tide, with: {basin: north}}], Yes.], case: {kinds: {enter: output}}}
    wrong: {asked-after-output: The model is asked after an output.}
    """,
)
def _output(view: TraceView) -> Iterator[Finding]:
    accepted = view.output
    if accepted is None:
        return
    later = next((ask for ask in view.asks if ask.at > accepted.ask.at), None)
    if later is not None:
        yield broken(later.at, f"the run to end: {accepted.call.name} gave its result", "another request")


@rule(
    "final/outcome",
    "MUST",
    "unsafe",
    "The outcome is 'truncated' after the token limit, 'refused' after a refusal or a filter, else 'completed'; "
    "for 'turn-limit' and 'deferred' other rules say when they are right.",
    why="Half a page that calls itself completed is published as one.",
    source=_FAULTS,
    needs=("events", "exchanges"),
    scope="run",
    proof="""
    run: {turns: [[Let me look., {call: depth, with: {basin: north}}], {parts: [It is], stop: max_tokens}]}
    right:
      outcome-completed: [A turn that came to its end., {run: {turns: [[Let me look.,
          {call: depth, with: {basin: north}}], Yes.]}}]
    wrong: {outcome-truncated-as-completed: It is called completed.}
    """,
)
def _outcome(view: TraceView) -> Iterator[Finding]:
    last, final = view.last, view.final
    if final is None or not last.sound or _is_paused(last) or view.edited(last):
        return
    if not view.case.promises("outcomes"):
        return
    at, event = final
    if event.outcome == TURN_LIMIT and last.stopped is None:
        return  # whether that is so is what the family guardrail says
    expected = _outcome_of(last)
    if event.outcome != expected:
        yield broken(at, f"outcome {expected!r} (the model stopped with {last.turn.stop})", repr(event.outcome))


def _outcome_of(ask: Ask) -> str:
    match ask.stopped:
        case FinishReason.MAX_TOKENS:
            return "truncated"
        case None:
            return "completed"
        case _:
            return "refused"


@rule(
    "final/stopped-call",
    "MUST",
    "unsafe",
    "No call runs if its turn hit the token limit, was refused or was filtered. The result in the next request shows "
    "that a call ran: on Anthropic a result without is_error, elsewhere what the tool is known to return. Any other "
    "result that reports no failure makes it likely, and is a SHOULD.",
    why="Its arguments may be cut: an edit that lost its new text deletes the old one and reports success.",
    source=_FAULTS,
    needs=("exchanges",),
    scope="run",
    proof="""
    run: {turns: [{parts: [Now., {call: depth, with: {basin: n}}], stop: max_tokens}, Yes.],
        outputs: {depth: nine metres deep}, silent: true}
    right: {stopped-and-sent-edited: [The caller has edited the turn., {case: {edits: [1]}}]}
    wrong: {stopped-and-sent: A loop that reports nothing sends its result.}
    """,
)
def _stopped_call(view: TraceView) -> Iterator[Finding]:
    for turn in view.turns:
        for call in turn.calls:
            if not call.ask.whole or call.ask.stopped is None:
                continue
            if (shown := execution(view, call)) is not None:
                expected = f"{must_not_run(call)}: {_STOPPED[call.ask.stopped]} ({call.ask.stopped})"
                arguments = f"the model wrote {quote(call.call.arguments)}"
                yield broken(shown.at, expected, shown.sign, arguments, level=shown.level)


@rule(
    "final/open-call",
    "MUST",
    "unsafe",
    "Every call of a complete turn gets a toolResult, even a call that the loop cannot handle. Only these may end the "
    "run with an error before that: the turn limit, used-up retries, a provider that fails, and calls whose ids come "
    "twice, or are missing where results name them.",
    why="One call with odd arguments would throw away the whole run, and what the user saw begin would never end.",
    source="recorded runs of a real loop: arguments of a wrong type end the run with a crash",
    needs=("events", "exchanges"),
    scope="run",
    proof="""
    run: {turns: [[Let me look., {call: depth, with: {basin: north}}], [One more., {call: tide, with: {basin: s}},
        {call: enter, with: {basin: s}}]], end: {Failure: crash, message: KeyError}, stops_at: 2}
    right: {failed-after-results: Every call has its result.}
    wrong: {failed-with-an-open-call: [One call has none., {drop: ToolResult, which: 2}]}
    """,
)
def _open_call(view: TraceView) -> Iterator[Finding]:
    last = view.last
    if not last.runnable or view.end is None or at_limit(view):
        return
    if any(_unnameable(view, call) for call in last.calls) or may_have_stopped_itself(view) or view.trace.case.dialect:
        return
    at, end = view.end
    if not isinstance(end, Failure) or end.kind in _NO_FAULT_OF_THE_LOOP or not view.emits(ToolResult):
        return
    calls = [call for turn in view.turns for call in turn.calls if call.ask is last]
    # A call that has run without a toolResult is the business of order/tool-result-reported.
    left = [call for call in calls if call.tool is None or call.tool.ended_at is None]
    if left:
        named = ", ".join([f"{quote(call.call.id or '')} ({call.call.name}, {_state(call)})" for call in left[:3]])
        detail = f"without one: {named}{', ...' if left[3:] else ''}"
        yield broken(
            at, "a toolResult for each call of the last turn", f"error {end.kind!r}: {quote(end.message)}", detail
        )


def _unnameable(view: TraceView, call: Call) -> bool:
    """Whether no result can say that it is of this call: a loop may make an id up, or fail."""
    return call.id in view.repeated_ids or (not call.id and view.wire.call_ids == "required")


def _state(call: ReportedCall) -> str:
    return "started" if call.tool is not None and call.tool.starts else "not started"


@rule(
    "final/failed-turn",
    "MUST",
    "unsafe",
    "A turn with an in-stream error or without its terminal event is not taken as a success. None of its calls runs, "
    "none gets a result that reports no failure, and the run does not end with final.",
    why="The model had not finished: what it meant to say next may have changed everything.",
    source=_FAULTS,
    needs=("exchanges",),
    scope="run",
    proof="""
    run: {turns: [[Now., {call: depth, with: {basin: n}}]], end: {Failure: stream, message: cut}, stops_at: 1}
    right: {broken-as-failure: [The run is called failed., {cut: 0}, {drop: ToolResult}, {drop: ToolStart}]}
    wrong: {broken-and-run: [A call of a stream that broke was run., {cut: 0}]}
    """,
)
def _failed_turn(view: TraceView) -> Iterator[Finding]:
    for turn in view.turns:
        for call in turn.calls:
            if not call.ask.whole and (shown := _sign_of_use(view, call)) is not None:
                yield broken(shown.at, f"{must_not_run(call)}: {_broken(call.ask)}", shown.sign)
    last = view.last
    if not last.whole and view.final is not None:
        yield broken(view.final[0], f"an error: {_broken(last)}", f"final, {view.final[1].outcome!r}")


def _sign_of_use(view: TraceView, call: ReportedCall) -> Execution | None:
    """What shows that a call of a broken turn was executed, or answered as one of a whole turn."""
    shown = execution(view, call)
    answer = answers(view, call.ask).get(call.index) if shown is None else None
    if answer is None or may_report_failure(answer.result):
        return shown
    sign = f"a result of the call, as if the turn was complete: {quote(answer.result.output)}"
    return Execution(answer.step.ask.at, sign)


def _broken(ask: Ask) -> str:
    response = ask.exchange.response
    if ask.reply is None:
        answered = response is not None and response.status
        return f"the model answered HTTP {answered}" if answered else "the model did not answer"
    if ask.turn.error is not None:
        return f"the stream contained the error {ask.turn.error.kind!r}"
    return "the stream ended without its terminal event"
