"""Servers of AG-UI as targets, over loopback: real processes, which ask the endpoint as any loop does."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness.scenario import Scenario, load
from harness.targets import Capability, Declaration
from harness.targets.agui import AgUiTarget, conversation
from harness.trace import AgUiRecord, Assistant, Failure, Final, RequestRecord, ToolArguments, ToolResult, ToolStart
from tests.case_tables import from_table
from tests.targets.command.running import Ran, run

pytestmark = pytest.mark.anyio

SERVER = Path(__file__).with_name("server.py")
DATA = Path(__file__).parent / "data"


def target(
    does: str,
    *,
    persistent: bool = False,
    capabilities: frozenset[Capability] = frozenset({"non-streaming", "parallel"}),
) -> AgUiTarget:
    command = (sys.executable, "-IS", str(SERVER), does, "$port")
    able = Declaration(frozenset({"openai-chat"}), capabilities=capabilities, is_server=True, own_tools=does == "own")
    return AgUiTarget(does, "http://127.0.0.1:$port/agui?v=1", command, able, persistent=persistent)


def scenarios(folder: Path, count: int = 1) -> list[Scenario]:
    text = (DATA / "servers_case.yaml").read_text(encoding="utf-8")
    for number in range(count):
        (folder / f"{number}.yaml").write_text(text.replace("NAME", f"case-{number}"), encoding="utf-8")
    return load([folder])


async def ran(does: str, folder: Path) -> Ran:
    return (await run(target(does), scenarios(folder)))["case-0"]


async def test_the_harness_answers_calls_as_the_program_of_the_user(tmp_path: Path) -> None:
    found = await ran("right", tmp_path)
    assert (found.result.error, found.found) == (None, [])
    kinds = [type(event) for event in found.events]
    assert kinds == [Assistant, ToolStart, ToolArguments, ToolResult, Assistant, Final]
    assert next(event.ok for event in found.events if isinstance(event, ToolResult))
    spoken = [each.type for each in found.trace.records if isinstance(each, AgUiRecord)]
    assert [spoken.count(type) for type in ("RUN_STARTED", "RUN_FINISHED", "TOOL_CALL_RESULT")] == [2, 2, 0]
    assert found.trace.case.prompt == (("user", "How warm is it in Oslo?"),)


async def test_another_run_sends_what_was_said_before() -> None:
    able = target("right", capabilities=frozenset({"non-streaming", "follow-up"}))
    found = (await run(able, load([DATA / "servers_again.yaml"])))["again"]
    assert (found.result.error, found.found) == (None, [])
    assert b"It is 4 degrees." in found.trace.exchanges[-1].request.body


async def test_events_are_in_front_of_the_request_that_came_after_them(tmp_path: Path) -> None:
    found = await ran("own", tmp_path)
    requests = [at for at, each in enumerate(found.trace.records) if isinstance(each, RequestRecord)]
    results = [at for at, each in found.trace.events if isinstance(each.event, ToolResult)]
    assert requests[0] < results[0] < requests[1]


async def test_an_agent_with_tools_of_its_own_is_offered_none(tmp_path: Path) -> None:
    found = await ran("own", tmp_path)
    assert found.result.error is None
    [result] = [event for event in found.events if isinstance(event, ToolResult)]
    assert (result.output, result.ok) == ("4", None)


async def test_one_process_serves_many_cases(tmp_path: Path) -> None:
    found = await run(target("right", persistent=True), scenarios(tmp_path, 3), jobs=1)
    assert [each.found for each in found.values()] == [[], [], []]
    assert {len(each.trace.exchanges) for each in found.values()} == {2}


async def test_the_program_of_the_user_does_not_go_on_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation, "_MOST_RUNS", 1)
    found = await ran("right", tmp_path)
    assert found.events[-1] == Failure("raised", "the program of the user asks no more after 1 runs")


@from_table(__file__, "test_what_it_does_wrong_is_found")
async def test_what_it_does_wrong_is_found(does: str, rule: str, tmp_path: Path) -> None:
    found = await ran(does, tmp_path)
    assert found.result.error is None
    assert rule in found.found


@from_table(__file__, "test_what_is_no_answer_is_an_error_of_the_case")
async def test_what_is_no_answer_is_an_error_of_the_case(does: str, error: str, tmp_path: Path) -> None:
    found = await ran(does, tmp_path)
    assert found.result.verdict == "error"
    assert error in (found.result.error or "")
