"""Commands that misbehave: a verdict that says why, nothing left running, and the other cases go on. Real processes."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from harness.scenario import Tool
from harness.targets import Declaration
from harness.targets.command import output, process
from harness.targets.command.target import CommandTarget
from harness.trace import Assistant, Failure, Final
from harness.wire import ToolDeclaration
from tests.targets.command.running import ANTHROPIC, Ran, alive, program, run, scenarios

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="what is left running is looked up in /proc"),
]

SHORT = 3.0
"""Seconds after which a case is given up that shall never end."""

MEBI = 1024 * 1024

NO_KNOWN_LINE = (
    "Line 1 of its standard output is no event: expected an object with the member 'event', 'call' or 'state'"
)


async def misbehave(does: str, mark: str, folder: Path, deadline: float = 600.0) -> Ran:
    """What came of the case in which the program does that. The others have passed."""
    ran = await beside_others(does, mark, folder, deadline)
    assert alive(mark) == []
    return ran


async def beside_others(does: str, mark: str, folder: Path, deadline: float) -> Ran:
    """The same, while other programs run: nobody has looked yet whether anything is left."""
    target = program(does, {"TEST_MARK": mark})
    ran = await run(target, scenarios(folder), deadline=deadline)
    assert {name: each.result.verdict for name, each in ran.items() if name != "case-1"} == {
        "case-0": "pass",
        "case-2": "pass",
    }, ran
    return ran["case-1"]


async def test_one_that_answers_passes(mark: str, tmp_path: Path) -> None:
    ran = await misbehave("answer", mark, tmp_path)
    assert ran.result.verdict == "pass"
    assert ran.events == [Assistant("Hello.", "1"), Final("")]


# --- it does not end ----------------------------------------------------------------------------------------


async def test_those_that_hang_are_ended_at_the_deadline(mark: str, tmp_path: Path) -> None:
    """All wait at the same time. One reads its input to the end, and is told of the protocol; of one there is a process
    that has left its group."""
    hanging = ("hang", "ignore_sigterm", "read_to_the_end", "leave_its_group_and_hang")
    for does in hanging:
        (tmp_path / does).mkdir()
    ran = await asyncio.gather(*(beside_others(does, mark, tmp_path / does, SHORT) for does in hanging))
    assert alive(mark) == []
    assert {(each.result.verdict, *each.found) for each in ran} == {("fail", "target/end")}
    hang, deaf, reading, _ = (each.result.findings[0].detail for each in ran)
    assert hang == deaf == "The case did not end within 3 s.\nthinking it over"
    assert "The case did not end within 3 s." in reading
    assert "stays open" in reading


# --- it ends in its own way ---------------------------------------------------------------------------------


async def test_a_crash_before_any_request_fails_with_its_last_words(mark: str, tmp_path: Path) -> None:
    ran = await misbehave("crash_at_import", mark, tmp_path)
    assert (ran.result.verdict, ran.found) == ("fail", ["target/request"])
    why = ran.result.findings[0].detail
    assert why.startswith("No request has reached the endpoint")
    assert "It said: exit code 1\nTraceback" in why
    assert why.endswith("ModuleNotFoundError: No module named 'no_such_package'")


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("exit_three", "exit code 3\nthe disk is full"),
        ("segfault", "ended by SIGSEGV"),
        ("leave_in_the_stream", "exit code 4"),
    ],
)
async def test_the_exit_code_is_how_a_command_fails(does: str, said: str, mark: str, tmp_path: Path) -> None:
    ran = await misbehave(does, mark, tmp_path)
    assert ran.result.verdict == "fail"
    assert ran.events == [Failure("raised", said)]
    # Whether it had the whole turn when it left, the endpoint knows only if all of it was written by then.
    assert ran.found in (["final/reported", "expect/outcome"], ["expect/outcome"])


async def test_one_that_has_told_why_it_failed_is_not_told_of_again(mark: str, tmp_path: Path) -> None:
    ran = await misbehave("tell_and_exit_three", mark, tmp_path)
    assert ran.events == [Failure("http", "it was refused")]


async def test_of_one_that_tells_nothing_the_requests_and_the_exit_code_are_judged(mark: str, tmp_path: Path) -> None:
    ran = await misbehave("silence", mark, tmp_path)
    assert ran.result.verdict == "pass"
    assert ran.events == []
    assert ran.trace.case.emits == ()


# --- what it prints -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("does", ["print_beside_events", "no_end_of_line"])
async def test_its_own_printing_is_its_own(does: str, mark: str, tmp_path: Path) -> None:
    ran = await misbehave(does, mark, tmp_path)
    assert ran.result.verdict == "pass"
    assert ran.events == [Assistant("Hello.", "1"), Final("")]


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("flood", "It has printed more than 2 MiB in this case.\n"),
        ("flood_one_line", "A line of its standard output has more than 1 MiB."),
        ("flood_errors", "It has printed more than 2 MiB in this case.\n"),
    ],
)
async def test_a_flood_is_dammed_up(
    does: str, said: str, mark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (process.MOST_OUTPUT, output.LONGEST_LINE) == (64 * MEBI, 16 * MEBI)  # which would take seconds to read
    monkeypatch.setattr(process, "MOST_OUTPUT", 2 * MEBI)
    monkeypatch.setattr(output, "LONGEST_LINE", MEBI)
    ran = await misbehave(does, mark, tmp_path)
    assert ran.result.verdict == "error"
    assert (ran.result.error or "").startswith(said)
    assert "and so on" in (ran.result.error or "")
    assert len(ran.result.error or "") < 5_000


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("broken_json", "Line 2 of its standard output is no event: not JSON: "),
        ("unknown_event", 'Line 2 of its standard output is no event: unknown event "asistant"'),
        ("unknown_member", "Line 1 of its standard output is no event: unknown member 'colour' of Assistant"),
        ("an_object", NO_KNOWN_LINE),
        ("a_record", NO_KNOWN_LINE),
        ("no_text", "Line 1 of its standard output is no event: not JSON: "),
    ],
)
async def test_a_line_for_the_harness_that_it_does_not_know_is_shown(
    does: str, said: str, mark: str, tmp_path: Path
) -> None:
    ran = await misbehave(does, mark, tmp_path)
    assert ran.result.verdict == "error"
    assert (ran.result.error or "").startswith(said)
    assert "print others on standard error, or declare 'emits: []'" in (ran.result.error or "")


async def test_one_that_declares_to_tell_nothing_may_print_what_it_likes(mark: str, tmp_path: Path) -> None:
    declared = Declaration(frozenset({"anthropic-messages"}), emits=frozenset())
    ran = await run(program("broken_json", {"TEST_MARK": mark}, declared), scenarios(tmp_path))
    assert [each.result.verdict for each in ran.values()] == ["pass"] * 3
    assert [each.events for each in ran.values()] == [[], [], []]


# --- what it leaves behind ----------------------------------------------------------------------------------


@pytest.mark.parametrize("does", ["leave_a_child", "leave_a_deaf_child", "leave_its_group"])
async def test_what_outlives_its_command_is_ended(does: str, mark: str, tmp_path: Path) -> None:
    ran = await misbehave(does, mark, tmp_path)
    assert ran.result.verdict == "pass"


# --- where it asks ------------------------------------------------------------------------------------------


async def test_nothing_leaves_the_machine(mark: str, tmp_path: Path) -> None:
    ran = await misbehave("ask_elsewhere", mark, tmp_path)
    assert ran.result.verdict == "pass"
    assert ran.result.blocked == ("CONNECT api.example.invalid:443", "GET http://192.0.2.1/v1/messages")


async def test_one_that_asks_somebody_else_only_is_told_whom(mark: str, tmp_path: Path) -> None:
    ran = await misbehave("only_ask_elsewhere", mark, tmp_path)
    assert ran.result.verdict == "fail"
    assert ran.found == ["target/request"]
    assert "It tried to reach another host, and was blocked: CONNECT api.example.invalid:443" in (
        ran.result.findings[0].detail
    )
    assert ran.result.blocked == ("CONNECT api.example.invalid:443",)


# --- its standard input -------------------------------------------------------------------------------------


async def test_one_that_closes_its_input_gets_no_results(mark: str, tmp_path: Path) -> None:
    ran = await misbehave("close_stdin", mark, tmp_path)
    assert ran.result.verdict == "pass"


async def test_a_case_larger_than_a_pipe_does_not_block_one_that_never_reads(mark: str, tmp_path: Path) -> None:
    large = [replace(each, prompt=(("user", "bread " * 200_000),)) for each in scenarios(tmp_path)]
    ran = await run(program("never_read", {"TEST_MARK": mark}), large)
    assert [each.result.verdict for each in ran.values()] == ["pass"] * 3


async def test_results_that_nobody_reads_are_not_kept_without_bound(
    mark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert process._MOST_UNREAD == 64 * MEBI
    monkeypatch.setattr(process, "_MOST_UNREAD", 4 * MEBI)
    tool = Tool(ToolDeclaration("get_page", "A page.", {"type": "object"}), returns="bread " * 100_000)
    given = [replace(each, tools=(tool,)) for each in scenarios(tmp_path)]
    ran = await run(program("never_read_results", {"TEST_MARK": mark}), given)
    assert [each.result.verdict for each in ran.values()] == ["pass", "error", "pass"]
    assert "It leaves 4 MiB unread on its standard input." in (ran["case-1"].result.error or "")


# --- it cannot be started -----------------------------------------------------------------------------------


async def test_a_program_that_went_away_is_an_error_of_every_case(tmp_path: Path) -> None:
    gone = CommandTarget("cmd:gone", (str(tmp_path / "gone"),), ANTHROPIC)
    ran = await run(gone, scenarios(tmp_path))
    assert {each.result.error for each in ran.values()} == {
        f"Cannot start {tmp_path / 'gone'}: No such file or directory."
    }


async def test_one_that_hangs_behind_an_event_has_not_said_nothing(mark: str, tmp_path: Path) -> None:
    ran = await beside_others("hang_behind_an_event", mark, tmp_path, SHORT)
    assert (ran.result.verdict, ran.found) == ("fail", ["target/end"])
    (hung,) = ran.result.findings
    assert hung.got == "it did not end; what was last seen of it is the event turnStart"
    assert "said nothing" not in hung.detail
