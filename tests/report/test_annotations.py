"""Workflow commands, read as GitHub's runner reads them: line by line, blanks before them left away."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from harness.report.formats.github import workflow_commands
from harness.runner.results import RunResult, Stale
from tests.report.runs import EVIDENCE, HOSTILE, case, everything, hostile, run


@dataclass(frozen=True)
class Command:
    name: str
    properties: dict[str, str]
    message: str


def read(result: RunResult) -> list[Command]:
    """What a runner makes of every line; a line that is no command fails."""
    commands = []
    for line in re.split(r"[\r\n]", workflow_commands(result).rstrip("\n")):
        match = re.fullmatch(r"::([a-z-]+) ([^:]*)::(.*)", line)
        assert match is not None, line
        properties = dict(each.split("=", 1) for each in match[2].split(","))
        decoded = {key: unescaped(value) for key, value in properties.items()}
        commands.append(Command(match[1], decoded, unescaped(match[3])))
    return commands


def unescaped(text: str) -> str:
    for escaped, char in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        text = text.replace(escaped, char)
    return text


def test_a_finding_stands_at_its_line() -> None:
    (command,) = read(run(case("fail", findings=(EVIDENCE,), file="scenarios/a,b.yaml")))
    assert command.name == "error"
    assert command.properties == {"file": "scenarios/a,b.yaml", "line": "26", "title": "order/tool-start-once"}
    assert command.message.splitlines() == [
        "A tool call is announced by exactly one toolStart",
        "MUST, unexpected output or end, 1 case",
        "expected one toolStart",
        "got two",
        "in a-scenario.openai-chat.fail",
        "repeat: harness run scenarios/a.yaml -k a",
    ]


def test_everything_that_fails_a_run_is_told_and_nothing_else() -> None:
    found = [(command.properties["title"], command.properties.get("file")) for command in read(everything())]
    assert found == [
        ("stale", "baselines/a.yaml"),
        ("order/tool-start-once", "scenarios/a scenario.yaml"),
        ("error", "scenarios/a scenario.yaml"),
    ]
    assert workflow_commands(run(case("pass"))) == ""


def test_levels_are_told_apart() -> None:
    levels = ("MUST", "SHOULD", "INFO")
    evidence = tuple(replace(EVIDENCE, level=level, rule=f"a/{level}") for level in levels)
    assert [command.name for command in read(run(case("fail", findings=evidence)))] == ["error", "warning", "notice"]


def test_cases_that_break_a_rule_at_the_same_line_are_one_annotation() -> None:
    (command,) = read(run(*(case("fail", findings=(EVIDENCE,), id=f"a.{number}") for number in range(3))))
    assert "in a.0 and 2 more" in command.message


def test_no_more_than_github_shows_and_the_rest_counted() -> None:
    evidence = tuple(replace(EVIDENCE, rule=f"order/r{number}") for number in range(1, 26))
    commands = read(run(case("fail", findings=evidence)))
    assert [command.name for command in commands] == ["error"] * 10 + ["notice"]
    assert commands[-1].message.startswith("and 15 more")
    assert "order/r11" in commands[-1].message


def test_what_is_stale_stands_in_the_baseline() -> None:
    (command,) = read(run(stale=(Stale("baselines/a.yaml:3:5", "order/one-end", "no longer found"),)))
    assert (command.properties["file"], command.properties["line"]) == ("baselines/a.yaml", "3")


def test_a_file_outside_the_repository_is_not_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (command,) = read(run(case("fail", findings=(EVIDENCE,), file="/elsewhere/a.yaml")))
    assert set(command.properties) == {"title"}


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_begins_a_command_of_its_own(text: str) -> None:
    commands = read(hostile(text))
    assert {command.name for command in commands} == {"error"}
    assert all(set(command.properties) <= {"file", "line", "title"} for command in commands)


def test_a_long_text_is_cut() -> None:
    long = replace(EVIDENCE, expected="%" * 5_000_000, got="\n" * 5_000_000)
    assert len(workflow_commands(run(case("fail", findings=(long,))))) < 50_000
