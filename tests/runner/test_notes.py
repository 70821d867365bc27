"""What is noted of a case beside its findings: calls of tools that the request did not offer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from harness.endpoint import Endpoints
from harness.report.totals import grouped
from harness.runner.execute import Finished
from harness.runner.notes import ended_in_dialect
from harness.runner.results import CaseResult, RunResult
from harness.targets.reference import ReferenceTarget
from harness.targets.wire_only import WireOnlySessions
from harness.trace import Case, EventRecord, Failure, Trace
from harness.wire import NATIVE_WIRES, WireName
from harness_lab.mutants.edits import EditedPosts
from harness_lab.selftest.stage import run


def only_the_first_tool(body: Any) -> Any:
    """A request that offers one tool of several, on every wire."""
    tools = body.get("tools")
    if tools and "functionDeclarations" in tools[0]:
        return {**body, "tools": [{"functionDeclarations": tools[0]["functionDeclarations"][:1]}]}
    return {**body, "tools": tools[:1]} if tools else body


async def played(scenario: str, wire: WireName, *, edited: bool) -> Finished:
    endpoints = Endpoints()
    sessions = EditedPosts(endpoints, only_the_first_tool) if edited else WireOnlySessions(endpoints)
    finished = await run([(scenario, wire)], ReferenceTarget(sessions, name="stub"), endpoints)
    return finished[scenario, wire]


@pytest.mark.parametrize("wire", NATIVE_WIRES)
@pytest.mark.anyio
async def test_a_call_of_a_tool_that_is_not_offered_is_noted_once(wire: WireName) -> None:
    result = (await played("parallel-calls", wire, edited=True)).result
    assert result.notes == ("the script calls get_time, which request 1 does not offer: offered are get_weather",)


@pytest.mark.parametrize("wire", NATIVE_WIRES)
@pytest.mark.parametrize("scenario", ["parallel-calls", "unknown-tool", "answer"])
@pytest.mark.anyio
async def test_what_is_offered_or_unknown_on_purpose_is_not_noted(scenario: str, wire: WireName) -> None:
    result = (await played(scenario, wire, edited=False)).result
    assert result.verdict == "pass"
    assert result.notes == ()


@pytest.mark.anyio
async def test_a_note_is_shown_with_its_scenarios_and_changes_no_verdict() -> None:
    finished = await played("parallel-calls", "openai-chat", edited=False)
    noted = replace(finished.result, notes=("the script calls x",))
    assert noted.verdict == "pass"
    lines = list(grouped(RunResult("0", "now", "stub", 0, (noted,))))
    assert [line.split() for line in lines[:2]] == [["notes:"], ["1", "case", "the", "script", "calls", "x"]]


def in_dialect(name: str, *, fails: bool) -> CaseResult:
    """A case that has passed, though its loop may have ended with an error before it had done anything."""
    case = Case(f"one-call.openai-chat.event+{name}", "one-call", "openai-chat", dialect=name)
    records = (EventRecord(Failure("raised", "TypeError: no index")),) if fails else ()
    return replace(CaseResult.of(case, (), requests=1), notes=ended_in_dialect(Trace(case, records)))


def test_a_loop_that_refuses_a_dialect_passes_with_a_note_of_how_often() -> None:
    refused = [in_dialect("index-zero", fails=True) for _ in range(2)]
    result = RunResult(
        "", "", "", 0, (*refused, in_dialect("whole-calls", fails=True), in_dialect("whole-calls", fails=False))
    )
    told = "\n".join(grouped(result))
    assert "ended with an error in the dialect index-zero: 2 of 2 cases" in told
    assert "ended with an error in the dialect whole-calls: 1 of 2 cases" in told
