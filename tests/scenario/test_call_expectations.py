"""What is expected of calls: the tools of requests, what the user is shown, and what goes back to the model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from harness.finding import Finding
from harness.scenario import Expect, compare
from harness.scenario.model import OfferedExpect, ReportedExpect, ResultExpect, ValueExpect
from harness.trace import Case, Event, EventRecord, Final, JsonValue, RequestRecord, ToolResult, ToolStart, Trace
from harness.wire import Call, Conversation, Message, Result, Text, WireName, wire
from tests.case_tables import from_table

MADE = (Call("look", '{"at": 1}', "c1"), Call("look", '{"at": 2}', "c2"))


def request(number: int, results: dict[str, str] | None = None, tools: Sequence[str] = ()) -> RequestRecord:
    """A request on Chat with these results of the two calls, and these tools."""
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in MADE
    ]
    messages: list[Any] = [{"role": "user", "content": "Look."}]
    if results is not None:
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        messages += [{"role": "tool", "tool_call_id": id, "content": text} for id, text in results.items()]
    declared = [{"type": "function", "function": {"name": name, "parameters": {"type": "object"}}} for name in tools]
    body = {"model": "gpt-4.1", "messages": messages, **({"tools": declared} if declared else {})}
    return RequestRecord(number, "POST", "/v1/chat/completions", {}, json.dumps(body).encode())


def found(expect: Expect, *records: RequestRecord | Event, emits: tuple[str, ...] | None = None) -> list[Finding]:
    trace = Trace(
        Case("c", "s", "openai-chat", emits=emits),
        tuple(each if isinstance(each, RequestRecord) else EventRecord(each) for each in (*records, Final(""))),
    )
    return compare(expect, trace, made=MADE)


def words(*found: Finding) -> list[tuple[str, str, str, int | None]]:
    return [(each.rule, each.expected, each.got, each.at) for each in found]


# --- offered --------------------------------------------------------------------------------------------------


def offered(*expected: OfferedExpect) -> Expect:
    return Expect(("completed",), offered=expected)


ASKED = (request(0, tools=("look", "ask")), request(1, {"c1": "", "c2": ""}, tools=("look",)))


def test_tools_that_are_declared_as_expected() -> None:
    expect = offered(OfferedExpect(1, ("ask", "look"), ("shout",)), OfferedExpect(2, ("look",), ("ask",)))
    assert found(expect, *ASKED) == []


def test_tools_that_are_missing_and_tools_that_are_too_many() -> None:
    expect = offered(OfferedExpect(2, ("ask", "shout"), ("look",)), OfferedExpect(3, ("look",)))
    assert words(*found(expect, *ASKED)) == [
        ("expect/offered", "request 2 with the tools ask, shout", "the tools look", 3),
        ("expect/offered", "request 2 without the tool look", "the tools look", 3),
        ("expect/offered", "request 3", "2 requests in all", None),
    ]
    assert words(*found(offered(OfferedExpect(1, ("look",))), request(0))) == [
        ("expect/offered", "request 1 with the tool look", "no tools", 2)
    ]


def test_a_wire_that_describes_tools_in_the_prompt_is_not_compared() -> None:
    record = request(0)
    trace = Trace(Case("c", "s", "text-tags"), (record, EventRecord(Final(""))))
    assert compare(offered(OfferedExpect(1, ("look",))), trace) == []


# --- reported -------------------------------------------------------------------------------------------------

SHOWN = (
    ToolStart("2", "look", {"at": 2}),
    ToolStart("1", "look", {"at": 1}),
    ToolResult("1", "look", {"seen": "a ship"}, ok=True),
    ToolResult("2", "look", None, ok=False),
)


def reported(*expected: ReportedExpect) -> Expect:
    return Expect(("completed",), reported=expected)


def test_calls_that_are_shown_as_expected() -> None:
    first = ReportedExpect(
        "look", 1, True, ValueExpect(equals=({"at": 1.0},)), ValueExpect(contains=("ship", '"seen"'), lacks=("boat",))
    )
    second = ReportedExpect("look", 2, False, ValueExpect(contains=("2",)), ValueExpect(equals=(None,)))
    assert found(reported(first, second), *SHOWN) == []


@pytest.mark.parametrize(
    ("expected", "finding"),
    [
        (ReportedExpect("look", 1, ok=False), ("toolResult 1 of look failed", "ok", 3)),
        (ReportedExpect("look", 1, output=ValueExpect(equals=({"seen": "a boat"},))),
         ('toolResult 1 of look with output {"seen": "a boat"}', '{"seen": "a ship"}', 3)),
        (ReportedExpect("look", 1, output=ValueExpect(equals=({"seen": "a ship", "far": None},))),
         ('toolResult 1 of look with output {"seen": "a ship", "far": null}', '{"seen": "a ship"}', 3)),
        (ReportedExpect("look", 1, output=ValueExpect(contains=("a ship", "a boat"), lacks=("ship",))),
         ("toolResult 1 of look with output that contains 'a boat'", '{"seen": "a ship"}', 3)),
        (ReportedExpect("look", 1, output=ValueExpect(lacks=("ship",))),
         ("toolResult 1 of look with output without 'ship'", '{"seen": "a ship"}', 3)),
        (ReportedExpect("look", 1, input=ValueExpect(equals=({"at": True},))),
         ('toolStart of toolResult 1 of look with input {"at": true}', '{"at": 1}', 2)),
        (ReportedExpect("look", 1, input=ValueExpect(contains=("2",))),
         ("toolStart of toolResult 1 of look with input that contains '2'", '{"at": 1}', 2)),
    ],
)  # fmt: skip
def test_a_call_that_is_shown_in_another_way(expected: ReportedExpect, finding: tuple[str, str, int]) -> None:
    shown = found(reported(expected), *SHOWN[1:3])
    assert words(*shown)[0] == ("expect/reported", finding[0], finding[1], finding[2])


def test_a_call_that_is_not_shown() -> None:
    expect = reported(ReportedExpect("look", 2), ReportedExpect("look", 3), ReportedExpect("ask", 1))
    assert words(*found(expect, *SHOWN)) == [
        ("expect/reported", "toolResult 3 of look", "2 of them", None),
        ("expect/reported", "toolResult 1 of ask", "0 of them", None),
    ]


@from_table(__file__, "test_members_among_others")
def test_members_among_others(members: dict[str, JsonValue], has: bool) -> None:
    shown = ToolResult("1", "look", {"seen": ["x", 2], "near": {"sea": True}}, ok=True)
    expect = reported(ReportedExpect("look", 1, output=ValueExpect(members=members)))
    assert (found(expect, shown) == []) is has


def test_what_is_no_object_has_no_members() -> None:
    expect = reported(ReportedExpect("look", 1, output=ValueExpect(members={"seen": "x"})))
    assert words(*found(expect, ToolResult("1", "look", "nothing", ok=False))) == [
        ("expect/reported", 'toolResult 1 of look with output that has {"seen": "x"}', "'nothing'", 2)
    ]


def test_a_result_without_its_start() -> None:
    expect = reported(ReportedExpect("look", 1, input=ValueExpect(contains=("1",))))
    assert words(*found(expect, ToolResult("1", "look", "", ok=True))) == [
        ("expect/reported", "toolStart of toolResult 1 of look", "no toolStart with its id", None)
    ]


def test_what_a_loop_does_not_emit_is_not_expected_of_it() -> None:
    expect = reported(ReportedExpect("ask", 1, input=ValueExpect(contains=("1",))))
    assert found(expect, *SHOWN, emits=("toolStart", "final")) == []
    only_results = found(expect, ToolResult("1", "ask", "", ok=True), emits=("toolResult", "final"))
    assert only_results == []


# --- results --------------------------------------------------------------------------------------------------


def results(*expected: ResultExpect) -> Expect:
    return Expect(("completed",), results=expected)


FIRST = ResultExpect(1, "look", ValueExpect(equals=({"seen": "a ship"},), lacks=("boat",)))
SECOND = ResultExpect(2, "look", ValueExpect(contains=("boat",)))
SHIP, BOAT = json.dumps({"seen": "a ship"}), json.dumps({"seen": "a boat"})


@pytest.mark.parametrize("first", [SHIP, json.dumps({"result": SHIP}), f"I see this: {SHIP}"])
def test_results_that_go_back_as_expected(first: str) -> None:
    assert found(results(FIRST, SECOND), request(0), request(1, {"c1": first, "c2": BOAT})) == []


def test_results_that_are_swapped_are_named_by_the_call_that_they_belong_to() -> None:
    swapped = found(results(FIRST, SECOND), request(0), request(1, {"c1": BOAT, "c2": SHIP}))
    assert words(*swapped) == [
        ("expect/results", 'the result of call 1 (look) as {"seen": "a ship"}', f"that of call 2: '{BOAT}'", 3),
        ("expect/results", "the result of call 1 (look) without 'boat'", f"that of call 2: '{BOAT}'", 3),
        ("expect/results", "the result of call 2 (look) that contains 'boat'", f"that of call 1: '{SHIP}'", 3),
    ]


def test_a_result_that_is_made_up_or_cut() -> None:
    for text in ('{"seen": "a sh', '{"seen": "land"}', "{'seen': 'a ship'}", ""):
        (finding,) = found(results(FIRST), request(0), request(1, {"c1": text}))
        assert (finding.expected, finding.got) == ('the result of call 1 (look) as {"seen": "a ship"}', f"'{text}'")


MARKED: list[tuple[WireName, bool, bool, list[tuple[str, str]]]] = [
    ("anthropic-messages", True, True, []),
    ("anthropic-messages", True, False, [("marked as a failure", "not marked as a failure")]),
    ("anthropic-messages", False, True, [("not marked as a failure", "marked as a failure")]),
    ("openai-chat", True, False, []),
]


@pytest.mark.parametrize(("name", "failed", "is_error", "wrong"), MARKED)
def test_a_result_that_is_marked_as_a_failure_or_not(
    name: WireName, failed: bool, is_error: bool, wrong: list[tuple[str, str]]
) -> None:
    """Where the wire has no mark, none is expected."""
    expect = results(ResultExpect(1, "look", ValueExpect(), failed=failed))
    history = (Message("user", (Text("Look."),), ""), Message("assistant", MADE[:1], ""))
    returned = Message("tool", (Result("c1", "no", "look", is_error),), "")
    asked = wire(name).write(Conversation(name, "a-model", True, (*history, returned)))
    record = RequestRecord(0, "POST", asked.path, {}, asked.body)
    findings = compare(expect, Trace(Case("c", "s", name), (record, EventRecord(Final("")))), made=MADE)
    expected = [(f"the result of call 1 (look) {wanted}", got) for wanted, got in wrong]
    assert [(finding.expected, finding.got) for finding in findings] == expected


@pytest.mark.parametrize(
    ("events", "is_error", "wrong"),
    [
        ([], True, False),
        ([], False, True),
        ([ToolResult("c1", "look", None, ok=True)], False, False),
        ([ToolResult("c1", "look", None, ok=True)], True, True),
        ([ToolResult("c1", "look", None, ok=False)], True, False),
        ([ToolResult("c2", "look", None, ok=True)], True, False),
    ],
)
def test_a_result_that_is_marked_exactly_where_the_call_was_not_run(
    events: list[Event], is_error: bool, wrong: bool
) -> None:
    expect = results(ResultExpect(1, "look", ValueExpect(), failed="unless_ran"))
    history = (Message("user", (Text("Look."),), ""), Message("assistant", MADE[:1], ""))
    returned = Message("tool", (Result("c1", "no", "look", is_error),), "")
    asked = wire("anthropic-messages").write(Conversation("anthropic-messages", "a-model", True, (*history, returned)))
    record = RequestRecord(0, "POST", asked.path, {}, asked.body)
    later = ToolResult("c1", "look", None, ok=True)  # what comes behind the request says nothing of the result in it
    records = (*map(EventRecord, events), record, EventRecord(later), EventRecord(Final("")))
    assert bool(compare(expect, Trace(Case("c", "s", "anthropic-messages"), records), made=MADE)) is wrong


def test_a_result_that_never_goes_back() -> None:
    assert words(*found(results(SECOND), request(0), request(1, {"c1": SHIP}))) == [
        ("expect/results", "the result of call 2 (look) in a request", "none", None)
    ]


def test_a_call_that_the_model_never_came_to() -> None:
    never = ResultExpect(5, "look", ValueExpect())
    assert words(*found(results(never), request(0))) == [
        ("expect/results", "the result of call 5 (look) in a request", "2 calls of the model in all", None)
    ]


def test_the_first_request_with_a_result_counts() -> None:
    """What becomes of it later is for the rules of the history."""
    later = (request(0), request(1, {"c1": SHIP}), request(2, {"c1": BOAT}))
    assert found(results(FIRST), *later) == []
