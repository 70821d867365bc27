"""Whose result is whose: a call gets what its own tool has returned, whatever became of the calls beside it."""

from __future__ import annotations

from collections.abc import Iterator

from harness.finding import Finding, broken
from harness.rules.evidence import quote
from harness.rules.model import Rule
from harness.rules.run_evidence import answers, of_another
from harness.rules.trace_view import TraceView


def _own_result(view: TraceView) -> Iterator[Finding]:
    for ask in view.asks:
        if not ask.runnable or view.edited(ask):
            continue
        for place, answer in answers(view, ask).items():
            call = ask.calls[place]
            if (other := of_another(view, ask, place, answer.result)) is not None:
                expected = (
                    f"the result of {call.name} {call.id or '(no id)'}, called in answer to request {ask.number + 1}"
                )
                got = f"the result of {other}: {quote(answer.result.output)}"
                yield broken(answer.step.ask.at, expected, got, f"call {place + 1} of {len(ask.calls)}")


RULES = (
    Rule(
        "history/own-result",
        "MUST",
        "unsafe",
        "The result that goes back under a call is not what another tool of the same turn returns.",
        "The model takes one tool's answer for another's, and the call that failed for one that did not.",
        "survey of agent loops: results are paired by position although failures are sent first",
        _own_result,
        ("exchanges",),
    ),
)
