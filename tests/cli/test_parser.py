"""What is wrong with a command line is one line, with the usage of that command and what may have been meant."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

import pytest

from harness.cli.command_line import parser
from harness.cli.parser import near
from tests.case_tables import from_table


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    with pytest.raises(SystemExit) as ended:
        parser().parse_args(words)
    assert ended.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    return printed.err.splitlines()


@from_table(__file__, "test_the_message_names_the_command_and_what_is_near")
def test_the_message_names_the_command_and_what_is_near(
    capsys: pytest.CaptureFixture[str], words: str, error: str
) -> None:
    first, usage, help = refused(capsys, *words.split())
    assert first == f"error: {error}"
    command = error.partition(":")[0]
    assert usage.startswith(f"usage: {command} ")
    assert help == f"'{command} --help' describes it"


def test_a_part_of_a_wire_is_enough_for_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    first, *_ = refused(capsys, "run", "--wire", "openai")
    assert first.endswith("got 'openai'; did you mean openai-responses or openai-chat?")
    assert near("gemini", ["gemini-generate", "openai-chat"]) == "; did you mean gemini-generate?"
    assert near("zzz", ["openai-chat"]) == ""


def commands(made: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield made
    for action in made._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from commands(command)


PROGRAMS = {made.prog: made for made in commands(parser())}


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_option_is_described(name: str) -> None:
    made = PROGRAMS[name]
    assert [action.dest for action in made._actions if not action.help] == []
    assert made.description
    assert made.format_usage().startswith(f"usage: {name}")
    assert name == "harness" or name in str(made.epilog), "an example"


def test_the_overview_has_every_command_once_and_the_seldom_needed_by_name() -> None:
    overview = parser("--help").format_help()
    shown = re.findall(r"^    ([a-z-]+)(?=\s)", overview, re.MULTILINE)
    further = re.findall(r"^Further commands: (.*)$", overview, re.MULTILINE)[0].split(", ")
    assert sorted([*shown, *further]) == sorted({name.split()[1] for name in PROGRAMS if " " in name})
    assert len(shown) <= 22, "more than people look through"
    assert further == ["completion", "lab", "lint-target", "plugins"]
    assert overview.index("Check a loop:") < overview.index("Record and replay:") < overview.index("Further commands:")


def test_k_may_be_repeated() -> None:
    assert parser().parse_args(["run", "-k", "one", "-k", "two and not three"]).expressions == [
        "one",
        "two and not three",
    ]


@pytest.mark.parametrize("name", [name.split()[1] for name in PROGRAMS if name.count(" ") == 1])
def test_a_command_that_is_made_by_itself_is_the_same(name: str) -> None:
    by_itself = {made.prog: made.format_help() for made in commands(parser(name)) if made.prog != "harness"}
    assert set(by_itself) == {prog for prog in PROGRAMS if prog.split()[1:2] == [name]}
    assert by_itself == {prog: PROGRAMS[prog].format_help() for prog in by_itself}
