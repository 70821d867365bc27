"""Equal calls of one turn: each is a call of its own, and its tool runs for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.finding import Finding, broken
from harness.rules.evidence import quote
from harness.rules.model import Rule
from harness.rules.run_evidence import answers
from harness.rules.steps import canonical_arguments
from harness.rules.trace_view import TraceView
from harness.rules.turns import Ask, ReportedCall
from harness.wire.carried import carries
from harness.wire.results import is_distinct


def _every_call(view: TraceView) -> Iterator[Finding]:
    for ask in view.asks:
        for calls in _equal(view, ask):
            runs, call = _runs(view, calls), calls[0].call
            if 0 < runs < len(calls) and _all_answered(view, ask, calls):
                expected = f"{len(calls)} runs of {call.name}, one for each call with {quote(call.arguments)}"
                yield broken(ask.at, expected, f"{runs}, and what it returned for each call")


def _equal(view: TraceView, ask: Ask) -> Iterator[Sequence[ReportedCall]]:
    """The calls of a turn that say the same under different ids, of tools of which it is known what they return."""
    groups: dict[tuple[str, str], list[ReportedCall]] = {}
    for call in view.calls_of(ask) if ask.runnable and not view.edited(ask) else ():
        if view.kind(call) == "function" and is_distinct(view.case.returns.get(call.call.name)):
            groups.setdefault((call.call.name, canonical_arguments(call.call.arguments)), []).append(call)
    for calls in groups.values():
        ids = {call.call.id for call in calls}
        if len(calls) > 1 and len(ids) == len(calls) and not ids & {None, "", *view.repeated_ids}:
            yield calls


def _runs(view: TraceView, calls: Sequence[ReportedCall]) -> int:
    """How often the tool has run, as far as the harness, which has run it, or the loop says so."""
    if view.case.inputs:
        return sum(call.call.id in view.case.inputs for call in calls)
    return sum(len(call.tool.starts) for call in calls if call.tool is not None)


def _all_answered(view: TraceView, ask: Ask, calls: Sequence[ReportedCall]) -> bool:
    """Whether each went back with what the tool returns. A loop may leave a call out, and say so."""
    found = answers(view, ask)
    values = [(found.get(call.index), view.case.returns[call.call.name]) for call in calls]
    return all(answer is not None and carries(answer.result, value) for answer, value in values)


RULES = (
    Rule(
        "execution/every-call",
        "SHOULD",
        "unsafe",
        "Calls of one turn that say the same are calls of their own: the tool runs for each. A loop that leaves one "
        "out says so in its result.",
        "The model believes that something was done twice which was done once.",
        "Agent Tool-Calling Flow, Tool Execution: every call of the turn is executed and answered",
        _every_call,
        ("events", "exchanges"),
    ),
)
