"""Loops that keep a contract of another kind are left alone: at the limit, while calls wait, in a caller's hands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from harness.loop import POLICIES
from harness.rules import TraceView, judge
from harness.rules.contracts import CONTRACTS, contract_of
from harness.trace import EventRecord, Failure, Final, Record, ToolResult, ToolStart, Trace
from harness.wire import WIRES, Call, FinishReason, Text, Turn, WireName
from harness_lab.mutants.traces.draft import change, insert, places, rewrite, send_again
from tests.rules.build import EDIT, LIST, PAGE, SCRIPT, broken, build, with_user_text

DONE = Turn((Text("Done."),))
CALLS = Turn((Text("Two."), EDIT, LIST), FinishReason.TOOL_CALLS)
UNREADABLE = Turn((Call("list_files", '{"path": '),), FinishReason.TOOL_CALLS)
WAITING = (("edit_file", "external"), ("list_files", "unapproved"))

TEXT_TAGS_HAS_NO_IDS = [name for name in WIRES if name != "text-tags"]


def judged(trace: Trace, **members: Any) -> list[str]:
    """The rules that speak when the case says this of the contract."""
    return [finding.rule for finding in judge(replace(trace, case=replace(trace.case, **members)))]


# --- two statements of one fact -----------------------------------------------------------------------------


def test_every_policy_has_a_contract_and_every_contract_but_everybodys_a_policy() -> None:
    assert set(CONTRACTS) == {"universal", *POLICIES}


@pytest.mark.parametrize("name", POLICIES)
def test_the_contract_of_a_profile_is_what_its_policy_does(name: str) -> None:
    contract, policy = CONTRACTS[name], POLICIES[name]
    assert contract.profile == name
    assert (contract.turn_limit, contract.at_limit) == (policy.turn_limit, policy.at_limit)
    assert (contract.execution, contract.tool_retries) == (policy.execution, policy.tool_retries)
    assert (contract.request_retries, contract.compact_at) == (policy.retries, policy.compact_at)


def test_every_contract_names_its_source() -> None:
    assert all(contract.source for contract in CONTRACTS.values())


def test_a_profile_without_a_contract_promises_what_everybody_does() -> None:
    assert contract_of("homegrown") is CONTRACTS["universal"]


@pytest.mark.parametrize(("own", "limit"), [(None, 10), (3, 3), (0, 0)])
def test_the_limit_of_the_case_is_stronger_than_the_contracts(own: int | None, limit: int) -> None:
    trace = build("openai-chat", profile="hugind")
    assert TraceView(replace(trace, case=replace(trace.case, turn_limit=own))).turn_limit == limit


# --- the limit ----------------------------------------------------------------------------------------------


MEETING = ((CALLS, CALLS, DONE), (CALLS, CALLS, CALLS), (CALLS, DONE))


@pytest.mark.parametrize(
    ("wire", "profile", "script"),
    [
        pytest.param(WIRES[(at + 2 * number) % len(WIRES)], profile, script, id=f"script{number}-{profile}")
        for at, profile in enumerate(CONTRACTS)
        for number, script in enumerate(MEETING)
    ],
)
def test_every_way_to_meet_a_limit_is_right_for_its_own_contract(
    wire: WireName, profile: str, script: tuple[Turn, ...]
) -> None:
    """On one wire each, in turns: no contract is about a wire. ``test_correct`` meets a limit on every wire."""
    if profile == "universal":  # whose loop may do as any of the others
        for other in POLICIES:
            assert judged(build(wire, script, profile=other, turn_limit=2), profile="universal") == []
    else:
        assert judge(build(wire, script, profile=profile, turn_limit=2)) == []


@pytest.mark.parametrize("stop", [FinishReason.MAX_TOKENS, FinishReason.REFUSAL])
def test_an_answer_that_was_demanded_may_be_cut_short(stop: FinishReason) -> None:
    trace = build("anthropic-messages", (CALLS, Turn((Text("I"),), stop)), profile="hugind", turn_limit=1)
    assert judge(trace) == []


def test_an_answer_that_was_demanded_may_take_a_second_attempt() -> None:
    trace = build("openai-chat", (CALLS, DONE), profile="hugind", turn_limit=1)
    assert judge(broken(trace, lambda records: send_again(records, 1, 503))) == []


def test_a_demanded_answer_that_calls_itself_completed_should_say_more() -> None:
    trace = build("openai-chat", (CALLS, DONE), profile="hugind", turn_limit=1)
    at = places(trace.records, Final)[0]
    (finding,) = judge(broken(trace, lambda records: change(records, at, outcome="completed")))
    assert (finding.rule, finding.level) == ("guardrail/limit-reported", "SHOULD")


def test_the_last_turn_may_give_the_result_of_the_run() -> None:
    trace = build("openai-chat", (CALLS,), profile="pydantic-ai", turn_limit=1, kinds=(("list_files", "output"),))
    assert judge(trace) == []


def test_the_last_turn_may_use_up_the_retries() -> None:
    trace = build("openai-chat", (UNREADABLE, UNREADABLE), profile="pydantic-ai", turn_limit=2)
    assert judge(trace) == []


# --- calls that do not simply run ---------------------------------------------------------------------------


@pytest.mark.parametrize("wire", TEXT_TAGS_HAS_NO_IDS)
@pytest.mark.parametrize("profile", ["pydantic-ai", "universal", "screenshot-to-code"])
@pytest.mark.parametrize("kinds", [WAITING, WAITING[:1], WAITING[1:]])
def test_a_run_that_waits_and_is_resumed_is_right(
    wire: WireName, profile: str, kinds: tuple[tuple[str, str], ...]
) -> None:
    trace = build(wire, (CALLS, CALLS, DONE), profile=profile, kinds=kinds)
    assert len(places(trace.records, Final, outcome="deferred")) == 2
    assert judge(trace) == []


def test_a_run_may_be_left_waiting() -> None:
    trace = build("openai-chat", (CALLS, DONE), profile="pydantic-ai", kinds=WAITING)

    def leave(records: list[Record]) -> None:
        del records[places(records, Final)[0] + 1 :]

    assert judge(broken(trace, leave)) == []
    assert judged(broken(trace, leave), turn_limit=1) == []
    assert judged(broken(trace, leave), kinds={}) == ["final/deferred"]


def test_a_run_that_was_resumed_must_end() -> None:
    trace = build("openai-chat", (CALLS, DONE), profile="pydantic-ai", kinds=WAITING)
    without_end = broken(trace, lambda records: records.pop())
    assert [finding.rule for finding in judge(without_end)] == ["order/one-end"]


def test_a_run_that_was_resumed_may_fail() -> None:
    trace = build("openai-chat", (CALLS, Turn((Text("Half"),), ending="eof")), profile="pydantic-ai", kinds=WAITING)
    assert places(trace.records, Failure, kind="stream")
    assert judge(trace) == []


def test_nobody_waits_after_the_end() -> None:
    trace = build("openai-chat", (CALLS, DONE), profile="pydantic-ai", kinds=WAITING)
    found = judge(broken(trace, lambda records: records.append(EventRecord(Final("", "deferred")))))
    assert {finding.rule for finding in found} == {"order/one-end", "final/deferred"}


def test_some_calls_may_wait_on_while_others_are_resolved() -> None:
    def wait_again(records: list[Record]) -> None:
        insert(records, places(records, ToolResult, name="edit_file")[0] + 1, Final("", "deferred"))

    trace = build("openai-chat", (CALLS, DONE), profile="pydantic-ai", kinds=WAITING)
    assert judge(broken(trace, wait_again)) == []


def test_a_call_that_nobody_could_approve_may_be_answered_at_once() -> None:
    trace = build("openai-chat", (UNREADABLE, DONE), profile="pydantic-ai")
    assert judged(trace, kinds={"list_files": "unapproved"}) == []


def test_an_output_that_is_not_accepted_does_not_end_the_run() -> None:
    trace = build("openai-chat", (UNREADABLE, DONE), profile="pydantic-ai", kinds=(("list_files", "output"),))
    assert judge(trace) == []


# --- order --------------------------------------------------------------------------------------------------


def in_completion_order(records: list[Record]) -> None:
    edit_at, list_at = places(records, ToolResult)[-2:]
    start = places(records, ToolStart, name="list_files")[-1]
    moved = [records[start], records[list_at]]
    del records[list_at], records[start]
    records[edit_at:edit_at] = moved


@pytest.mark.parametrize("profile", CONTRACTS)
def test_results_are_told_in_call_order_only_where_calls_run_so(profile: str) -> None:
    trace = broken(build("openai-chat", (CALLS, DONE), profile=profile), in_completion_order)
    in_order = CONTRACTS[profile].execution == "in-order"
    assert [finding.rule for finding in judge(trace)] == (["order/call-order"] if in_order else [])


@pytest.mark.parametrize("wire", WIRES)
def test_what_tools_say_more_may_follow_the_results(wire: WireName) -> None:
    def say_more(body: dict[str, Any]) -> None:
        body.update(with_user_text(wire, body, "It is sunny."))

    trace = broken(build(wire, (CALLS, DONE)), lambda records: rewrite(records, 1, say_more))
    assert judge(trace) == []


# --- tries --------------------------------------------------------------------------------------------------


def test_a_tool_that_fails_in_turns_that_are_not_running_is_asked_for_again() -> None:
    script = (UNREADABLE, CALLS, UNREADABLE, CALLS, DONE)
    assert judge(build("openai-chat", script, profile="pydantic-ai")) == []


@pytest.mark.parametrize("profile", ["screenshot-to-code", "hugind", "universal"])
def test_without_a_bound_a_tool_may_fail_as_often_as_the_turns_allow(profile: str) -> None:
    assert judge(build("openai-chat", (*[UNREADABLE] * 5, DONE), profile=profile)) == []


@pytest.mark.parametrize(("status", "times"), [(529, 2), (429, 1), (408, 2)])
def test_a_request_may_be_sent_again_twice(status: int, times: int) -> None:
    assert judge(broken(build("anthropic-messages"), lambda records: send_again(records, 0, status, times))) == []


def test_a_broken_stream_may_be_asked_for_again_and_is_no_turn() -> None:
    first = build("openai-chat", (DONE,), profile="universal", turn_limit=1)
    (half,) = [each for each in build("openai-chat", (replace(DONE, ending="eof"),)).exchanges if each.response]

    def break_once(records: list[Record]) -> None:
        send_again(records, 0)
        assert half.response is not None
        records[2] = replace(half.response, exchange=0)

    trace = broken(first, break_once)
    assert len(TraceView(trace).attempts) == 1
    assert judge(trace) == []


# --- a caller's hands ---------------------------------------------------------------------------------------


def left_out(body: dict[str, Any]) -> None:
    """The turn and its results are gone; a note stands in their place."""
    body["messages"][2:] = [{"role": "user", "content": "Never mind."}]


def anew(body: dict[str, Any]) -> None:
    body["messages"] = [{"role": "user", "content": "Another question."}]


def reworded(body: dict[str, Any]) -> None:
    body["messages"][2]["content"] = "In other words."


def swapped(body: dict[str, Any]) -> None:
    body["messages"][-2:] = reversed(body["messages"][-2:])


def other_tools(body: dict[str, Any]) -> None:
    body["tools"].pop()


@pytest.mark.parametrize("edit", [left_out, anew, reworded, swapped, other_tools])
def test_a_caller_may_do_with_the_history_what_a_loop_may_not(edit: Callable[[Any], None]) -> None:
    trace = build("openai-chat", (CALLS, DONE), profile="tool-runner")
    edited = broken(trace, lambda records: rewrite(records, 1, edit))
    assert judged(edited, edits=(1,), generated=(1,)) == []
    assert judged(edited, edits=(2,), generated=(1,)) != []


def test_tools_of_a_turn_that_the_caller_left_out_need_not_run() -> None:
    def leave_out(records: list[Record]) -> None:
        rewrite(records, 1, left_out)
        for kind in (ToolResult, ToolStart):
            for at in reversed(places(records, kind)):
                del records[at]

    trace = broken(build("openai-chat", (CALLS, DONE), profile="tool-runner"), leave_out)
    assert judged(trace, edits=(1,)) == []


@pytest.mark.parametrize(
    ("edit", "generated", "found"),
    [
        (left_out, (), ["execution/unnecessary"]),
        (left_out, (2,), ["execution/unnecessary"]),
        (left_out, (1,), []),
        (other_tools, (), []),
    ],
)
def test_tools_of_a_turn_that_the_caller_left_out_run_only_for_the_caller(
    edit: Callable[[Any], None], generated: tuple[int, ...], found: list[str]
) -> None:
    edited = broken(
        build("openai-chat", (CALLS, DONE), profile="tool-runner"), lambda records: rewrite(records, 1, edit)
    )
    assert judged(edited, edits=(1,), generated=generated) == found


def lost_result(body: dict[str, Any]) -> None:
    body["messages"].pop()


def orphan(body: dict[str, Any]) -> None:
    del body["messages"][2]


@pytest.mark.parametrize(("edit", "rule"), [(lost_result, "history/results"), (orphan, "history/no-other-results")])
def test_a_caller_does_not_part_calls_and_results(edit: Callable[[Any], None], rule: str) -> None:
    trace = build("openai-chat", (CALLS, DONE), profile="tool-runner")
    assert rule in judged(broken(trace, lambda records: rewrite(records, 1, edit)), edits=(1,))


def test_what_a_caller_does_at_one_turn_excuses_nothing_at_another() -> None:
    trace = build("openai-chat", (CALLS, CALLS, DONE), profile="tool-runner")
    edited = broken(trace, lambda records: rewrite(records, 2, swapped))
    assert judged(edited, edits=(1,)) == ["history/result-order"]


def test_the_builder_keeps_contracts_that_differ() -> None:
    """The correct traces do hold what the contracts are about."""
    ends = {name: build("openai-chat", SCRIPT, profile=name, turn_limit=1).records[-1] for name in POLICIES}
    assert {name: end.event for name, end in ends.items() if isinstance(end, EventRecord)} == {
        "screenshot-to-code": Failure("turn-limit", "not finished within 1 turns"),
        "pydantic-ai": Failure("turn-limit", "not finished within 1 turns"),
        "tool-runner": Final("", "turn-limit", "Creating the page."),
        "hugind": Final(PAGE, "turn-limit", "Two more."),
        "resilient": Failure("turn-limit", "not finished within 1 turns"),
    }
