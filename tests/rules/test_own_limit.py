"""A loop with a limit of its own, which no case has set: it may stop as it likes, but it has to stop."""

from __future__ import annotations

import pytest

from harness.rules import Finding, judge
from harness.rules.limit import LONGEST
from harness.trace import Event, EventRecord, Failure, Final, Trace
from harness.wire import WIRES, FinishReason, Turn, WireName
from tests.rules.build import EDIT, LIST, build
from tests.rules.silent import OUTPUT, played

AGAIN = Turn((LIST,), FinishReason.TOOL_CALLS)
OTHER = Turn((EDIT,), FinishReason.TOOL_CALLS)
ENDS = ("final/unfinished", "final/open-call", "final/reported")


def stopped(name: WireName, script: tuple[Turn, ...], end: Event, *, limit: int | None = None) -> list[Finding]:
    """What is found of a loop that ends behind the last turn of the script, and has not run its calls."""
    trace = build(name, script, profile="universal", turn_limit=limit)
    last = max(exchange.response_at or 0 for exchange in trace.exchanges)
    return judge(Trace(trace.case, (*trace.records[: last + 1], EventRecord(end))), ENDS)


@pytest.mark.parametrize("name", WIRES)
@pytest.mark.parametrize("end", [Final(""), Final("", "turn-limit"), Failure("raised", "too many turns")])
def test_a_loop_may_stop_when_the_model_repeats_itself(name: WireName, end: Event) -> None:
    assert stopped(name, (AGAIN,) * 3, end) == []


@pytest.mark.parametrize("name", WIRES)
@pytest.mark.parametrize("script", [(AGAIN,), (AGAIN, AGAIN), (AGAIN, AGAIN, OTHER), (OTHER, AGAIN, AGAIN)])
def test_a_loop_may_not_stop_where_the_model_gets_on(name: WireName, script: tuple[Turn, ...]) -> None:
    assert [finding.rule for finding in stopped(name, script, Final(""))] == ["final/unfinished"]


def test_where_the_case_sets_a_limit_that_one_counts() -> None:
    found = stopped("openai-chat", (AGAIN,) * 3, Final(""), limit=5)
    assert [finding.rule for finding in found] == ["final/unfinished"]


@pytest.mark.parametrize(("turns", "found"), [(LONGEST - 1, 0), (LONGEST, 1)])
def test_a_loop_has_to_stop_after_so_many_equal_turns(turns: int, found: int) -> None:
    """``played`` asks once more after the last turn."""
    trace = played("openai-chat", *[AGAIN] * turns, output=OUTPUT)
    assert len(judge(trace, ["guardrail/no-limit"])) == found


def test_a_long_run_that_gets_on_is_none_without_a_limit() -> None:
    trace = played("openai-chat", *[AGAIN, OTHER] * (LONGEST // 2 + 1), output=OUTPUT)
    assert judge(trace, ["guardrail/no-limit"]) == []
