"""``expect.reported``: what the user is to see of certain calls."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from harness.scenario.model import ReportedExpect
from harness.scenario.reported import not_reported
from harness.trace import Case, EventRecord, ToolResult, ToolStart, Trace

CASE = Case(id="c", scenario="s", wire="openai-chat", target="t", seed=0)
EVENTS = (
    ToolStart("a", "look", {"at": 1, "near": {"sea": True}}),
    ToolStart("b", "turn", {}),
    ToolResult("a", "look", {"seen": ["x", 2]}, ok=True),
    ToolStart("c", "look", {"at": 2}),
    ToolResult("c", "look", "nothing", ok=False),
)
TRACE = Trace(CASE, tuple(EventRecord(event) for event in EVENTS))


def found(trace: Trace = TRACE, nth: int = 1, tool: str = "look", **shows: Any) -> list[tuple[str, str, int | None]]:
    return list(not_reported(ReportedExpect(tool, nth, shows), trace))


@pytest.mark.parametrize(
    ("nth", "shows"),
    [
        (1, {}),
        (1, {"input": {"at": 1}}),
        (1, {"input": {"near": {"sea": True}}, "output": {"seen": ["x", 2]}}),
        (1, {"input": {"far": None}, "output": {"seen": ["x", 2], "error": None}}),
        (2, {"input": {"at": 2}, "output": "nothing"}),
        (2, {"output": {"retry": None}}),
    ],
)
def test_members_that_are_named_are_looked_at(nth: int, shows: dict[str, Any]) -> None:
    assert found(nth=nth, **shows) == []


@pytest.mark.parametrize(
    ("nth", "shows", "at"),
    [
        (1, {"input": {"at": 2}}, 0),
        (1, {"input": {"at": True}}, 0),
        (1, {"input": {"near": None}}, 0),
        (1, {"output": {"seen": ["x"]}}, 2),
        (1, {"output": {"seen": [2, "x"]}}, 2),
        (2, {"output": {"seen": []}}, 4),
        (2, {"output": "nothin"}, 4),
    ],
)
def test_another_value_is_found_where_it_stands(nth: int, shows: dict[str, Any], at: int) -> None:
    ((expected, _, place),) = found(nth=nth, **shows)
    assert expected.startswith(f"{next(iter(shows))} of call {nth} of look with ")
    assert place == at


def test_a_call_that_is_not_reported_is_missed() -> None:
    assert found(nth=3) == [("call 3 of look, reported to the user", "2 of them", None)]
    assert found(tool="turn", output={}) == [("output of call 1 of turn with {}", "none", None)]


def test_of_another_conversation_nothing_counts() -> None:
    elsewhere = replace(TRACE, records=tuple(replace(each, conversation=1) for each in TRACE.records))  # type: ignore[type-var]
    assert found(elsewhere) == [("call 1 of look, reported to the user", "0 of them", None)]


@pytest.mark.parametrize(("emits", "wrong"), [(("toolResult",), 1), (("toolStart", "toolResult"), 2), (("final",), 0)])
def test_nothing_is_asked_of_what_a_loop_never_emits(emits: tuple[str, ...], wrong: int) -> None:
    trace = replace(TRACE, case=replace(CASE, emits=emits))
    assert len(found(trace, input={"at": 9}, output={"seen": []})) == wrong
    assert len(found(trace, nth=9)) == bool(wrong)
