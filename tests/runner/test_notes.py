"""What is noted of a case beside its findings: calls of tools that the request did not offer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from harness.gateway import Gateway
from harness.report.totals import grouped
from harness.runner.execute import Finished
from harness.runner.results import RunResult
from harness.targets.reference import ReferenceTarget
from harness.targets.wire_only import WireOnlySessions
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
    gateway = Gateway()
    sessions = EditedPosts(gateway, only_the_first_tool) if edited else WireOnlySessions(gateway)
    finished = await run([(scenario, wire)], ReferenceTarget(sessions, name="stub"), gateway)
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
