"""Whose fault the end of a run is: errors while calls wait for their results, and paused turns at the limit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.rules import judge
from harness.trace import Failure, Final, Record, ToolResult, TurnStart
from harness.wire import NATIVE_WIRES, FinishReason, Text, Turn, WireName
from harness_lab.mutants.traces.draft import insert, places
from tests.rules.build import LIST, breaking, broken, build

TWO_CALLS = (Turn((LIST, LIST), FinishReason.TOOL_CALLS), Turn((Text("Done."),)))
PAUSED = (Turn((Text("Searching."),), FinishReason.PAUSE), Turn((Text("Found it."),)))


def rules_for(kind: str, *, results: int, turn_limit: int | None = None) -> set[str]:
    """What is found when a turn with two calls ends in an error after so many of their results were told."""

    def edit(records: list[Record]) -> None:
        at = [*places(records, ToolResult), places(records, TurnStart)[1]][results]
        insert(records, at, Failure(kind, "it broke"))
        del records[at + 1 :]

    trace = broken(build("anthropic-messages", TWO_CALLS), edit)
    return {finding.rule for finding in judge(replace(trace, case=replace(trace.case, turn_limit=turn_limit)))}


@pytest.mark.parametrize(("results", "found"), [(0, {"final/open-call"}), (1, {"final/open-call"}), (2, set())])
def test_a_crash_is_found_while_a_call_waits(results: int, found: set[str]) -> None:
    assert rules_for("crash", results=results) == found


@pytest.mark.parametrize(
    ("ids", "found"),
    [
        (("call_a", "call_b"), {"final/open-call"}),
        (("call_a", "call_a"), set()),
        (("call_a", ""), set()),
    ],
)
def test_calls_that_no_result_can_name_may_end_a_run(ids: tuple[str, str], found: set[str]) -> None:
    """A loop may make an id up, or fail: it cannot answer."""

    def crash(records: list[Record]) -> None:
        at = places(records, ToolResult)[0]
        insert(records, at, Failure("raised", "two calls with one id"))
        del records[at + 1 :]

    calls = Turn(tuple(replace(LIST, id=id) for id in ids), FinishReason.TOOL_CALLS)
    trace = broken(build("anthropic-messages", (calls, Turn((Text("Done."),)))), crash)
    assert {finding.rule for finding in judge(trace)} == found


@pytest.mark.parametrize("kind", ["http", "stream", "tool-retries"])
def test_other_errors_may_end_a_run_while_calls_wait(kind: str) -> None:
    assert rules_for(kind, results=0) == set()


def test_at_the_limit_one_rule_speaks() -> None:
    assert rules_for("crash", results=0, turn_limit=1) == {"guardrail/limit-reported"}
    assert rules_for("turn-limit", results=0, turn_limit=1) == set()


def test_a_run_whose_policy_stops_at_a_limit_of_its_own_does_not_take_a_pause_for_the_end() -> None:
    def stop(records: list[Record]) -> None:
        del records[places(records, TurnStart)[1] :]
        insert(records, len(records), Final("", outcome="turn-limit"))

    assert judge(broken(build("anthropic-messages", PAUSED, profile="tool-runner"), stop)) == []


def test_the_evidence_names_the_calls_that_wait_and_not_all_of_many() -> None:
    def crash(records: list[Record]) -> None:
        at = places(records, ToolResult)[0]
        insert(records, at, Failure("crash", "it broke"))
        del records[at + 1 :]

    trace = build("anthropic-messages", (Turn((LIST,) * 5, FinishReason.TOOL_CALLS), Turn((Text("Done."),))))
    (finding,) = judge(broken(trace, crash))
    assert finding.detail.count("(list_files, started)") == 1
    assert finding.detail.count("(list_files, not started)") == 2
    assert finding.detail.endswith(", ...")


@pytest.mark.parametrize(("ids", "got"), [(("dup", "dup"), "none of its own (2 reported"), (("", ""), "none, though")])
def test_a_missing_result_is_told_as_it_is(ids: tuple[str, str], got: str) -> None:
    """Under an id that two calls have, two results were told; the second call has none of its own all the same."""

    def lose_one(records: list[Record]) -> None:
        if "dup" not in ids:
            del records[places(records, ToolResult)[1]]

    calls = tuple([replace(LIST, id=id) for id in ids])
    trace = build("gemini-generate", (Turn(calls, FinishReason.TOOL_CALLS), Turn((Text("Done."),))))
    (finding,) = judge(broken(trace, lose_one), ["order/tool-result-reported"])
    assert finding.got.startswith(got)


# --- a connection that breaks -------------------------------------------------------------------------------


@pytest.mark.parametrize("turn", [0, 1])
@pytest.mark.parametrize("wire", NATIVE_WIRES)
def test_a_connection_that_breaks_behind_the_terminal_event_takes_nothing_away(wire: WireName, turn: int) -> None:
    """Most clients read no further than that event, and never learn of it."""
    assert judge(broken(build(wire, TWO_CALLS), breaking(turn))) == []


@pytest.mark.parametrize("turn", [0, 1])
@pytest.mark.parametrize("wire", NATIVE_WIRES)
def test_one_that_breaks_before_it_fails_the_turn(wire: WireName, turn: int) -> None:
    found = {finding.rule for finding in judge(broken(build(wire, TWO_CALLS), breaking(turn, before_its_end=True)))}
    assert "final/failed-turn" in found


@pytest.mark.parametrize("wire", NATIVE_WIRES)
def test_one_who_reads_on_may_fail_of_a_break_behind_it(wire: WireName) -> None:
    def edit(records: list[Record]) -> None:
        breaking(1)(records)
        at = places(records, Final)[0]
        del records[at]
        insert(records, at, Failure("stream", "the connection broke"))

    assert judge(broken(build(wire, TWO_CALLS), edit)) == []
