"""Commands whose case has several runs: what goes on from one to the next, and what they are told while they run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import pytest

from harness.runner import timeline
from harness.targets.command.target import CommandTarget
from harness.trace import ToolResult, ToolStart
from tests.case_tables import from_table
from tests.targets.command.conversation_cases import (
    ABLE,
    CANCELLED,
    FOLLOW,
    IN_TOOL,
    RESUME,
    STEER,
    Conversation,
    acts,
    converse,
)

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="what is left running is looked up in /proc"),
]

PROGRAM = Path(__file__).with_name("conversing.py")
both = pytest.mark.parametrize("persistent", [False, True], ids=["a process each", "persistent"])


def program(manner: str = "keep", *, persistent: bool = False) -> CommandTarget:
    return CommandTarget("cmd", (sys.executable, "-IS", str(PROGRAM), manner), ABLE, persistent=persistent)


@both
@pytest.mark.parametrize("conversation", [FOLLOW, RESUME], ids=lambda each: each.name)
async def test_a_run_goes_on_from_what_the_one_before_has_stored(
    tmp_path: Path, conversation: Conversation, *, persistent: bool
) -> None:
    starts = tmp_path / "starts"
    target = CommandTarget(
        "cmd",
        (sys.executable, "-IS", str(PROGRAM), "keep"),
        ABLE,
        {"TEST_STARTS": str(starts)},
        persistent=persistent,
    )
    one = await converse(target, conversation, tmp_path)
    assert (one.result.verdict, one.result.error, one.found) == ("pass", None, [])
    assert acts(one)[-2:] == ["run", "request"]
    (first, *told), (second, *then) = (line.split() for line in starts.read_text().splitlines())
    assert (told, then) == (["1", "False"], ["2", str(conversation is RESUME)])
    assert (first == second) is (persistent and conversation is FOLLOW)  # who resumes is another process


@both
async def test_one_that_stores_nothing_does_not_know_what_was_said(tmp_path: Path, *, persistent: bool) -> None:
    one = await converse(program("forget", persistent=persistent), FOLLOW, tmp_path)
    assert one.found == ["history/append-only"]


@both
async def test_a_call_is_not_answered_once_the_run_is_cancelled(tmp_path: Path, *, persistent: bool) -> None:
    one = await converse(program(persistent=persistent), IN_TOOL, tmp_path)
    assert (one.result.verdict, one.result.error, one.found) == ("pass", None, [])
    tools = ["start get_weather", "result get_weather", "start get_time"]
    assert acts(one) == ["request", *tools, "cancel", "run", "request"]


async def test_one_that_is_cancelled_may_exit_as_it_likes(tmp_path: Path) -> None:
    one = await converse(program("exit"), IN_TOOL.alone, tmp_path)
    assert one.result.error is None
    assert all(isinstance(event, ToolStart | ToolResult) for event in one.events)


@both
async def test_one_that_goes_on_is_found_once_it_has_had_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, persistent: bool
) -> None:
    monkeypatch.setattr(timeline, "_PATIENCE", 0.2)
    one = await converse(program("go_on", persistent=persistent), IN_TOOL, tmp_path)
    assert (one.result.verdict, one.result.error) == ("fail", None)
    assert one.found.count("caller/cancelled") == 2  # the tool ended, and the model was asked
    assert acts(one)[4:7] == ["cancel", "result get_time", "request"]


@both
async def test_one_that_does_not_end_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, persistent: bool
) -> None:
    monkeypatch.setattr(timeline, "_PATIENCE", 0.2)
    monkeypatch.setattr(timeline, "_GRACE", 0.2)
    one = await converse(program("hang", persistent=persistent), IN_TOOL, tmp_path)
    assert one.result.verdict == "error"
    said = "The caller has cancelled the run, and it has not ended within 0.4 s. A loop that is cancelled must "
    assert (one.result.error or "").startswith(said)


@both
async def test_what_the_user_says_comes_before_the_result(tmp_path: Path, *, persistent: bool) -> None:
    one = await converse(program(persistent=persistent), STEER, tmp_path)
    assert (one.result.verdict, one.result.error, one.found) == ("pass", None, [])
    assert acts(one)[1:4] == ["start get_weather", "say", "result get_weather"]


@pytest.mark.parametrize("conversation", CANCELLED, ids=lambda each: each.name)
async def test_a_program_that_reads_too_late_is_ended_and_its_case_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, conversation: Conversation
) -> None:
    """It has no end of its own: the case ends long before its deadline all the same."""
    monkeypatch.setattr(timeline, "_PATIENCE", 0.2)
    monkeypatch.setattr(timeline, "_GRACE", 0.2)
    one = await converse(program("never_end"), conversation, tmp_path, deadline=600.0)
    assert (one.result.verdict, "has not ended within 0.4 s" in (one.result.error or "")) == ("error", True)


# --- what is no state ---------------------------------------------------------------------------------------

WRITES: Final = "import json, sys; case = json.loads(sys.stdin.readline()); print({line}, flush=True)"


@from_table(__file__, "test_a_line_that_is_no_state_is_shown")
async def test_a_line_that_is_no_state_is_shown(tmp_path: Path, line: str, said: str) -> None:
    target = CommandTarget("cmd", (sys.executable, "-ISc", WRITES.format(line=line)), ABLE)
    one = await converse(target, FOLLOW, tmp_path)
    assert one.result.verdict == "error"
    assert f"Line 1 of its standard output is no event: {said}" in (one.result.error or "")
