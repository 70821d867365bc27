"""A command that serves many cases: how often it is started, what a case can spoil, and whose a request is."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from harness.scenario import Scenario
from harness.targets.command.target import CommandTarget
from harness.trace import Assistant, Failure, Final
from tests.targets.command.running import Ran, alive, program, run, run_open, scenarios

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="what is left running is looked up in /proc"),
]

SHORT = 2.0
"""Seconds after which a case is given up that never ends."""


@dataclass
class Command:
    """A persistent command, in a folder with its scenarios. No process of it may be there at the end of the test."""

    folder: Path
    mark: str

    def target(self, does: str) -> CommandTarget:
        environment = {"TEST_MARK": self.mark, "TEST_STARTS": str(self.folder / "starts")}
        return replace(program(does, environment), persistent=True)

    def scenarios(self, count: int) -> list[Scenario]:
        (self.folder / "scenarios").mkdir()
        return scenarios(self.folder / "scenarios", count)

    async def run(self, does: str, *, count: int = 3, deadline: float = 30.0, jobs: int = 1) -> list[Ran]:
        """What came of ``case-0`` and so on; the program does that in ``case-1``."""
        ran = await run(self.target(does), self.scenarios(count), deadline=deadline, jobs=jobs)
        assert alive(self.mark) == []
        return [ran[f"case-{number}"] for number in range(count)]

    @property
    def starts(self) -> int:
        return len((self.folder / "starts").read_text().splitlines())


@pytest.fixture
def command(tmp_path: Path, mark: str) -> Command:
    return Command(tmp_path, mark)


def verdicts(ran: list[Ran]) -> list[str]:
    return [each.result.verdict for each in ran]


# --- how often it is started --------------------------------------------------------------------------------


async def test_many_cases_are_one_start(command: Command) -> None:
    ran = await command.run("answer", count=40)
    assert verdicts(ran) == ["pass"] * 40
    assert [each.events for each in ran] == [[Assistant("Hello.", "1"), Final("")]] * 40
    assert command.starts == 1


async def test_cases_that_run_at_once_have_a_process_each(command: Command) -> None:
    ran = await command.run("answer", count=20, jobs=2)
    assert verdicts(ran) == ["pass"] * 20
    assert command.starts == 2


async def test_a_process_knows_one_endpoint_only(command: Command) -> None:
    target, given = command.target("answer_by_environment"), command.scenarios(2)
    before = await run_open(target, given[:1])
    after = await run(target, given[1:])  # at another port
    assert verdicts([*before.values(), *after.values()]) == ["pass", "pass"]
    assert command.starts == 2


# --- what a case can spoil ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("does", "said"),
    [("exit_three", "exit code 3\nthe disk is full"), ("segfault", "ended by SIGSEGV")],
)
async def test_one_that_dies_loses_its_case_only(does: str, said: str, command: Command) -> None:
    ran = await command.run(does)
    assert verdicts(ran) == ["pass", "fail", "pass"]
    assert ran[1].events == [Failure("raised", said)]
    assert command.starts == 2


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("broken_json", "Line 2 of its standard output is no event: not JSON: "),
        ("done_with_another", 'expected {"done": "case-1.anthropic-messages.event"}'),
        ("tell_after_done", "Line 3 of its standard output is no event: the case has ended with its 'done' line"),
    ],
)
async def test_one_that_breaks_the_protocol_is_started_again(does: str, said: str, command: Command) -> None:
    ran = await command.run(does)
    assert verdicts(ran) == ["pass", "error", "pass"]
    assert said in (ran[1].result.error or "")
    assert command.starts == 2


async def test_a_case_without_its_done_line_is_given_up_and_says_what_is_missing(command: Command) -> None:
    ran = await command.run("wait_with_done", deadline=SHORT)
    assert verdicts(ran) == ["pass", "fail", "pass"]
    hung = ran[1].result.findings[-1]
    assert hung.rule == "target/end"
    assert hung.detail.startswith("The case did not end within 2 s.\n")
    assert 'must end each case with the line {"done": CASE}' in hung.detail
    assert command.starts == 2


async def test_one_that_ends_with_its_case_is_started_for_every_case(command: Command) -> None:
    ran = await command.run("silence")
    assert verdicts(ran) == ["pass"] * 3


async def test_what_it_has_started_ends_with_it(command: Command) -> None:
    ran = await command.run("leave_its_group")
    assert verdicts(ran) == ["pass"] * 3
    assert command.starts == 1


# --- whose a request is -------------------------------------------------------------------------------------


async def test_a_client_that_was_made_for_another_case_asks_for_the_one_at_hand(command: Command) -> None:
    ran = await command.run("answer_by_environment")
    assert verdicts(ran) == ["pass"] * 3
    assert command.starts == 1


async def test_a_request_that_would_leave_the_machine_is_that_of_the_case_at_hand(command: Command) -> None:
    ran = await command.run("ask_elsewhere")
    assert [each.result.blocked for each in ran] == [
        (),
        ("CONNECT api.example.invalid:443", "GET http://192.0.2.1/v1/messages"),
        (),
    ]
    assert command.starts == 1
