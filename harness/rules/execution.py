"""Which calls may have an effect: those that can be read, that are allowed, and whose result the model will see.

A call has run if its code was set or its ``toolResult`` is ok. A ``toolResult`` that is not ok may mean that the call
was not run. If a loop reports nothing about its tools, the results in its requests are evidence, too
(``run_evidence``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from harness.finding import Finding, broken
from harness.rules.arguments import fault, fits, is_object
from harness.rules.evidence import quote, run_sign
from harness.rules.limit import answered_now, hit_limit
from harness.rules.model import rule
from harness.rules.run_evidence import answers, execution, must_not_run
from harness.rules.steps import canonical_arguments
from harness.rules.trace_view import TraceView
from harness.rules.turns import Ask, LoopTurn, ReportedCall
from harness.trace import Failure, Final
from harness.wire import Call, ToolDeclaration
from harness.wire.carried import carries
from harness.wire.results import is_distinct

_TRUNCATED = "survey of agent loops: tools run on arguments that were cut and that an SDK has completed"
_NEVER_SENT = "survey of agent loops: in the last turn some run tools whose results can never be sent"
_KINDS = "Tool Call Flow Diagrams, Tool Kind Hierarchy: external and unapproved tools are deferred"

_DEFERRED = frozenset({"external", "unapproved"})


@rule(
    "execution/arguments",
    "MUST",
    "unsafe",
    "No call runs if its arguments, as they came, are not a JSON object. An empty text counts as an empty object. "
    "The result in the next request shows that a call ran: on Anthropic a result without is_error, elsewhere what the "
    "tool is known to return. Any other result that reports no failure makes it likely, and is a SHOULD.",
    why="What a repair makes of arguments that were cut or garbled is a guess: an edit without its new text deletes.",
    source=_TRUNCATED,
    needs=("exchanges",),
    proof="""
    wires: [openai-chat]
    run: {turns: [[{call: depth, arguments: '{} {}'}], Yes.]}
    right:
      run-on-object: [A JSON object. The tool ran., {run: {turns: [[{call: depth, with: {basin: north}}], Yes.]}}]
    wrong: {run-on-two: Two objects. The tool ran.}
    """,
)
def _arguments(view: TraceView) -> Iterator[Finding]:
    for turn in view.turns:
        for call in turn.calls:
            if not call.ask.runnable or is_object(call.call.arguments):
                continue
            if view.kind(call) == "external" or _takes_text(view, call) or _may_have_run_for_another(turn, call):
                continue
            if (shown := execution(view, call)) is not None:
                expected = f"{must_not_run(call)}: its arguments are no JSON object: "
                yield broken(shown.at, expected + quote(call.call.arguments), shown.sign, level=shown.level)


def _may_have_run_for_another(turn: LoopTurn, call: ReportedCall) -> bool:
    """Whether the tool that has run may be that of a call beside it, which may be run: neither has an id, and the loop
    reports no input."""
    if call.call.id or call.tool is None or any(start.input is not None for _, start in call.tool.starts):
        return False
    others = (each for each in turn.calls if each.ask is call.ask and each.call.name == call.call.name)
    return any(
        not other.call.id and is_object(other.call.arguments) and (other.tool is None or other.tool.ran_at is None)
        for other in others
    )


def _takes_text(view: TraceView, call: ReportedCall) -> bool:
    """Whether the tool is a custom one of OpenAI's, whose input is text and never JSON. On Anthropic every tool may
    have the type ``custom``."""
    if not view.wire.custom_tools or call.ask.full is None:
        return False
    offered = call.ask.full.body.get("tools")
    custom = [tool for tool in offered if isinstance(tool, dict)] if isinstance(offered, list) else []
    bodies = [tool.get("custom", tool) for tool in custom if tool.get("type") == "custom"]
    return any(isinstance(body, dict) and body.get("name") == call.call.name for body in bodies)


@rule(
    "execution/unnecessary",
    "MUST",
    "unsafe",
    "No call runs if its result cannot be sent: a turn that had to be the answer has no call that runs. If the "
    "contract is to stop at the turn limit, calls of the last turn SHOULD not run; nor SHOULD calls of a turn that the "
    "caller has left out of the history, unless the caller had the tools run itself.",
    why="The tool has its effect, and the model, which could undo or explain it, never learns of it.",
    source=f"Hugind Tool Calling Flow, Loop Termination; {_NEVER_SENT}",
    needs=("events", "exchanges"),
    scope="run",
    aliases=("execution/in-vain",),
    proof="""
    run: {turns: [[Let me look., {call: depth, with: {basin: north}}], Yes.], case: {edits: [1]}}
    right: {kept-and-run: The caller has kept the turn.}
    wrong:
      left-out-and-run: ['The caller has left the turn out, and its call was run.', {part: Call, become: []},
          {part: Result, become: []}]
    """,
)
def _in_vain(view: TraceView) -> Iterator[Finding]:
    answer = answered_now(view)
    if answer is not None:
        yield from _runs_of(view, answer, "the final answer was demanded, and no request follows")
    elif view.contract.at_limit == "stop" and hit_limit(view) and len(view.attempts) == view.turn_limit:
        last = view.attempts[-1][-1]
        if not view.edited(last):
            for finding in _runs_of(view, last, f"turn {view.turn_limit} was the last"):
                yield replace(finding, level="SHOULD")
    yield from _left_out(view)


def _left_out(view: TraceView) -> Iterator[Finding]:
    """Calls of a turn that the caller has taken out of the history, and whose tools it has not run itself."""
    for step in view.steps:
        if not view.edited(step.answered) or view.generated(step.answered):
            continue
        kept = {part.id for _, part in step.after if isinstance(part, Call)}
        if all(call.id and call.id not in kept for call in step.answered.calls):
            for finding in _runs_of(view, step.answered, "the caller has left its turn out"):
                yield replace(finding, level="SHOULD")


def _runs_of(view: TraceView, ask: Ask, why: str) -> Iterator[Finding]:
    for call in view.calls_of(ask) if ask.runnable else ():
        at = call.tool.ran_at if call.tool is not None else None
        if at is not None and view.kind(call) != "output":
            yield broken(at, f"`{call.call.name}` must not run: {why}", run_sign(view.trace.records[at]))


@rule(
    "execution/unapproved",
    "MUST",
    "unsafe",
    "A call of a tool that needs approval, or that runs elsewhere, has no result that is ok and sets no code "
    "before the run was deferred for it.",
    why="An approval that is requested afterwards, or never, is no approval.",
    source=_KINDS,
    needs=("events", "exchanges"),
    proof="""
    run: {turns: [[{call: depth, with: {basin: n}}, {call: enter, with: {basin: n}}], Yes.],
        case: {kinds: {enter: unapproved}}}
    right: {approved-run: [The run was deferred before., {emit: [ToolStart, 1, {Final: '', outcome: deferred}]}]}
    wrong: {unapproved-no-final: [A loop that reports no end., {drop: Final}]}
    """,
)
def _unapproved_run(view: TraceView) -> Iterator[Finding]:
    for turn in view.turns:
        for call in turn.calls:
            at = call.tool.ran_at if call.tool is not None else None
            if at is not None and view.kind(call) in _DEFERRED and not _has_deferral(view, call.ask.at, at):
                expected = f"final 'deferred' before {call.call.name}, which is {view.kind(call)}, has any effect"
                yield broken(at, expected, f"{run_sign(view.trace.records[at])} before it was deferred")


@rule(
    "execution/waiting",
    "MUST",
    "unsafe",
    "After a turn that calls tools which wait for an approval or for a result from elsewhere, the model is asked "
    "nothing before the run was deferred, or has failed.",
    why="The model would get a result that no tool gave, or a refusal that no person meant.",
    source=_KINDS,
    needs=("events", "exchanges"),
    proof="""
    wires: [openai-chat]
    run: {refuses: '{"city": "Ulm"}', schema: {type: object}}
    wrong:
      begun-no-properties: ['A schema without properties. Of a call that waits for approval only the start is
          reported, and the loop went on.', {drop: ToolResult}]
    """,
)
def _waiting(view: TraceView) -> Iterator[Finding]:
    if not view.emits(Final):
        return
    for answered, ask in view.continuations:
        if not answered.runnable or _is_over(view, answered.at, ask.at):
            continue
        waiting = [call for call in view.calls_of(answered) if view.kind(call) in _DEFERRED]
        offered = answered.full.tools if answered.full is not None else ()
        for call in waiting:
            if not _is_faulty(call, offered):
                expected = f"no request before {call.call.name}, which is {view.kind(call)}, is deferred"
                yield broken(ask.at, expected, f"a request, and {_so_far(call)}")
                break


def _is_over(view: TraceView, begun: int, end: int) -> bool:
    """Whether between these places the run said that it waits, or has failed, or the caller has cancelled it."""
    ends = [at for at, event in view.ends if isinstance(event, Failure)]
    ends += [at for at, record in view.acts if record.did == "cancel"]
    return _has_deferral(view, begun, end) or any(begun < at < end for at in ends)


def _is_faulty(call: ReportedCall, offered: Sequence[ToolDeclaration]) -> bool:
    """Whether the loop may have had no call to ask about: one that is wrong fails at once, for the model to mend.

    A failure that was reported is believed where the declaration, or its absence, leaves that open.
    """
    failed = call.tool is not None and any(not result.ok for _, result in call.tool.results)
    return fault(call.call, offered) is not None or (failed and not fits(call.call, offered))


def _has_deferral(view: TraceView, start: int, end: int) -> bool:
    """Whether between these places the run said that it waits."""
    return any(start < at < end for at, _ in view.deferrals)


def _so_far(call: ReportedCall) -> str:
    if call.tool is None or not call.tool.results:
        return "no result was reported"
    return "a result that no tool gave"


# --- equal calls, and calls at the same time -----------------------------------------------------------------


@rule(
    "execution/every-call",
    "SHOULD",
    "unsafe",
    "Calls of one turn that say the same are calls of their own: the tool runs for each. A loop that leaves one "
    "out says so in its result.",
    why="The model believes that something was done twice which was done once.",
    source="Agent Tool-Calling Flow, Tool Execution: every call of the turn is executed and answered",
    needs=("events", "exchanges"),
    proof="""
    run: {turns: [[{call: depth, id: call_1, with: {basin: n}}, {call: depth, id: call_2, with: {basin: n}}], Yes.],
        outputs: {depth: {metres: 4}}, case: {returns: {depth: {metres: 4}}}}
    right: {equal-calls-run: The tool runs for each of two equal calls.}
    wrong: {equal-call-left-out: [It runs for one alone., {drop: ToolStart, which: 1}, {drop: ToolResult, which: 1}]}
    """,
)
def _every_call(view: TraceView) -> Iterator[Finding]:
    for ask in view.asks:
        for calls in _equal(view, ask):
            runs, call = _runs(view, calls), calls[0].call
            if 0 < runs < len(calls) and _all_answered(view, ask, calls):
                expected = f"{len(calls)} runs of {call.name}, one for each call with {quote(call.arguments)}"
                yield broken(ask.at, expected, f"{runs}, and what it returned for each call")


def _equal(view: TraceView, ask: Ask) -> Iterator[Sequence[ReportedCall]]:
    """Equal calls of a turn with different ids, for tools whose return value is known."""
    groups: dict[tuple[str, str], list[ReportedCall]] = {}
    for call in view.calls_of(ask) if ask.runnable and not view.edited(ask) else ():
        if view.kind(call) == "function" and is_distinct(view.case.returns.get(call.call.name)):
            groups.setdefault((call.call.name, canonical_arguments(call.call.arguments)), []).append(call)
    for calls in groups.values():
        ids = {call.call.id for call in calls}
        if len(calls) > 1 and len(ids) == len(calls) and not ids & {None, "", *view.repeated_ids}:
            yield calls


def _runs(view: TraceView, calls: Sequence[ReportedCall]) -> int:
    """How often the tool has run, by the harness, if it has run the tool, or else by the loop's reports."""
    if view.case.inputs:
        return sum(call.call.id in view.case.inputs for call in calls)
    return sum(len(call.tool.starts) for call in calls if call.tool is not None)


def _all_answered(view: TraceView, ask: Ask, calls: Sequence[ReportedCall]) -> bool:
    """Whether each went back with what the tool returns. A loop may leave a call out, and say so."""
    found = answers(view, ask)
    values = [(found.get(call.index), view.case.returns[call.call.name]) for call in calls]
    return all(answer is not None and carries(answer.result, value) for answer, value in values)


@rule(
    "execution/concurrent",
    "MUST",
    "style",
    "The calls of a turn run at the same time, where the contract promises that: while one of them waits, "
    "the others run.",
    why="A slow tool delays all others, and tools that wait for each other never end.",
    source="Tool Call Flow Diagrams, Tool Execution Parallelism: a task for each call, concurrently and not "
    "sequentially",
    needs=("exchanges",),
    proof="""
    run: {turns: [[Let me look., {call: depth, with: {basin: north}}, {call: tide, with: {basin: north}}], Yes.],
        case: {profile: pydantic-ai, waited: [tide]}}
    right: {waits-in-order: [The contract promises no concurrency., {case: {profile: tool-runner}}]}
    wrong: {waits-in-vain: A tool waits for another that does not start.}
    """,
)
def _concurrent(view: TraceView) -> Iterator[Finding]:
    """A tool of a scenario may end only after another one that the same turn calls. In a loop that runs one call after
    the other that never comes: the tool waits for a bounded time, is released, and the trace names it."""
    if view.contract.execution != "parallel":
        return  # nor does any contract promise it of a conversation beside the main one
    for ask in view.asks:
        waited = [call.name for call in ask.calls if call.name in view.case.waited]
        if waited and ask.runnable:
            names = ", ".join(call.name for call in ask.calls)
            got = f"{waited[0]} has waited for another call that had not been started: they run one after the other"
            at = ask.at if ask.exchange.response_at is None else ask.exchange.response_at
            yield broken(at, f"the calls of the turn at the same time: {names}", got)
            return
