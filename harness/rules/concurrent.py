"""Whether the calls of a turn run at the same time, where the contract promises it.

A tool of a scenario may end only after another one that the same turn calls. In a loop that runs one call after the
other that never comes: the tool waits for a bounded time, is released, and the trace names it.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.finding import Finding, broken
from harness.rules.model import Rule
from harness.rules.trace_view import TraceView


def _concurrent(view: TraceView) -> Iterator[Finding]:
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


RULES = (
    Rule(
        "execution/concurrent",
        "MUST",
        "style",
        "The calls of a turn run at the same time, where the contract promises that: while one of them waits, "
        "the others run.",
        "A slow tool delays all others, and tools that wait for each other never end.",
        "Tool Call Flow Diagrams, Tool Execution Parallelism: a task for each call, concurrently and not sequentially",
        _concurrent,
        ("exchanges",),
    ),
)
