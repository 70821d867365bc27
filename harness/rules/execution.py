"""Which calls may have an effect: those that can be read, that are allowed, and whose result the model will see.

That a call has run is shown by its code being set or by a ``toolResult`` that is ok. One that is not ok may say
that the call was not run. Of a loop that reports nothing of its tools, the results in its requests are evidence, too
(``run_evidence``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from harness.finding import Finding, broken
from harness.rules.arguments import fault, fits, is_object
from harness.rules.evidence import quote, run_sign
from harness.rules.limit import answered_now, hit_limit
from harness.rules.model import Rule
from harness.rules.run_evidence import call_words, execution
from harness.rules.trace_view import TraceView
from harness.rules.turns import Ask, LoopTurn, ReportedCall
from harness.trace import Failure, Final
from harness.wire import Call, ToolDeclaration

_TRUNCATED = "survey of agent loops: tools run on arguments that were cut and that an SDK has completed"
_NEVER_SENT = "survey of agent loops: in the last turn some run tools whose results can never be sent"
_KINDS = "Tool Call Flow Diagrams, Tool Kind Hierarchy: external and unapproved tools are deferred"

_DEFERRED = frozenset({"external", "unapproved"})


def _arguments(view: TraceView) -> Iterator[Finding]:
    for turn in view.turns:
        for call in turn.calls:
            if not call.ask.runnable or is_object(call.call.arguments):
                continue
            if view.kind(call) == "external" or _takes_text(view, call) or _may_have_run_for_another(turn, call):
                continue
            if (shown := execution(view, call)) is not None:
                expected = f"{call_words(call)} not to run: its arguments are no JSON object: "
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
            yield broken(at, f"{call.call.name} not to run: {why}", run_sign(view.trace.records[at]))


def _unapproved(view: TraceView) -> Iterator[Finding]:
    for turn in view.turns:
        for call in turn.calls:
            at = call.tool.ran_at if call.tool is not None else None
            if at is not None and view.kind(call) in _DEFERRED and not _deferred(view, call.ask.at, at):
                expected = f"final 'deferred' before {call.call.name}, which is {view.kind(call)}, has any effect"
                yield broken(at, expected, f"{run_sign(view.trace.records[at])} before it was deferred")


def _waiting(view: TraceView) -> Iterator[Finding]:
    if not view.emits(Final):
        return
    for answered, ask in view.continuations:
        if not answered.runnable or _is_over(view, answered.at, ask.at):
            continue
        waiting = [call for call in view.calls_of(answered) if view.kind(call) in _DEFERRED]
        offered = answered.full.tools if answered.full is not None else ()
        for call in waiting:
            if not _refused(call, offered):
                expected = f"no request before {call.call.name}, which is {view.kind(call)}, is deferred"
                yield broken(ask.at, expected, f"a request, and {_so_far(call)}")
                break


def _is_over(view: TraceView, begun: int, end: int) -> bool:
    """Whether between these places the run said that it waits, or has failed, or the caller has cancelled it."""
    ends = [at for at, event in view.ends if isinstance(event, Failure)]
    ends += [at for at, record in view.acts if record.did == "cancel"]
    return _deferred(view, begun, end) or any(begun < at < end for at in ends)


def _refused(call: ReportedCall, offered: Sequence[ToolDeclaration]) -> bool:
    """Whether the loop may have had no call to ask about: one that is wrong fails at once, for the model to mend.

    A failure that was reported is believed where the declaration, or its absence, leaves that open.
    """
    failed = call.tool is not None and any(not result.ok for _, result in call.tool.results)
    return fault(call.call, offered) is not None or (failed and not fits(call.call, offered))


def _deferred(view: TraceView, start: int, end: int) -> bool:
    """Whether between these places the run said that it waits."""
    return any(start < at < end for at, _ in view.deferrals)


def _so_far(call: ReportedCall) -> str:
    if call.tool is None or not call.tool.results:
        return "no result was reported"
    return "a result that no tool gave"


RULES = (
    Rule(
        "execution/arguments",
        "MUST",
        "unsafe",
        "No call is executed whose arguments are not, as they came, a JSON object; an empty text is an empty one. Its "
        "result in the next request shows that it was: on Anthropic one without is_error, elsewhere what the tool is "
        "known to return. Any other result that reports no failure makes it likely, and is a SHOULD.",
        "What a repair makes of arguments that were cut or garbled is a guess: an edit without its new text deletes.",
        _TRUNCATED,
        _arguments,
        ("exchanges",),
    ),
    Rule(
        "execution/unnecessary",
        "MUST",
        "unsafe",
        "No call is executed whose result cannot be sent: none of a turn that had to be the answer. Where the "
        "contract is to stop at the turn limit, none of the last turn SHOULD be; nor any of a turn that the caller has "
        "left out of the history, unless it had the tools run itself.",
        "The tool has its effect, and the model, which could undo or explain it, never learns of it.",
        f"Hugind Tool Calling Flow, Loop Termination; {_NEVER_SENT}",
        _in_vain,
        ("events", "exchanges"),
        scope="run",
    ),
    Rule(
        "execution/unapproved",
        "MUST",
        "unsafe",
        "A call of a tool that needs approval, or that runs elsewhere, has no result that is ok and sets no code "
        "before the run was deferred for it.",
        "An approval that is requested afterwards, or never, is no approval.",
        _KINDS,
        _unapproved,
        ("events", "exchanges"),
    ),
    Rule(
        "execution/waiting",
        "MUST",
        "unsafe",
        "After a turn that calls tools which wait for an approval or for a result from elsewhere, the model is asked "
        "nothing before the run was deferred, or has failed.",
        "The model would get a result that no tool gave, or a refusal that no person meant.",
        _KINDS,
        _waiting,
        ("events", "exchanges"),
    ),
)
