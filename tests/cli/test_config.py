"""``[tool.harness]`` in pyproject.toml: defaults of options, which the command line replaces."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.cli.command_line import parser
from harness.cli.config import KEYS
from tests.commands import Printed

TABLE = (Path(__file__).parent / "data" / "config_table.toml").read_text(encoding="utf-8")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text(TABLE, encoding="utf-8")
    return tmp_path


def options(*words: str) -> argparse.Namespace:
    return parser().parse_args(words)


def test_options_of_a_run_have_their_defaults_from_the_file(project: Path) -> None:
    read = options("run")
    assert (read.target, read.paths, read.suites) == ("my_agent:run", [Path("scenarios")], ["core", "robustness"])
    assert (read.wires, read.without, read.deadline, read.jobs) == (["openai-chat"], ["retry"], 10.0, 2)
    assert (read.max_findings, read.out, read.info) == (5, Path("reports/own"), True)


def test_the_command_line_replaces_them(project: Path) -> None:
    read = options("run", "other", "--wire", "text-tags", "--wire", "gemini-generate", "--target", "reference")
    assert (read.paths, read.wires, read.target) == ([Path("other")], ["text-tags", "gemini-generate"], "reference")
    assert read.suites == ["core", "robustness"], "what is not given is not changed"


def test_it_is_found_above_and_its_paths_are_relative_to_it(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "below").mkdir()
    monkeypatch.chdir(project / "below")
    assert options("run").paths == [Path("../scenarios")]


def test_a_target_need_not_be_named_where_the_file_does(project: Path) -> None:
    assert options("doctor").target == "my_agent:run"
    assert options("doctor", "other:run").target == "other:run"
    assert options("baseline", "update").target == "my_agent:run"


def test_other_commands_are_what_they_were(project: Path) -> None:
    assert options("fuzz").target is None
    assert options("lab", "selftest").wires == []
    assert options("lint-request", "x.json").wire is None, "one wire is no list of them"


def test_no_table_is_no_configuration(project: Path) -> None:
    (project / "pyproject.toml").write_text("[project\n", encoding="utf-8")
    assert options("run").target == "reference"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("wirez = ['openai-chat']", "[tool.harness] has an unknown key 'wirez'; did you mean wires?"),
        (
            "wires = ['openai']",
            "wires: expected some of openai-responses, openai-chat, anthropic-messages, gemini-generate, text-tags, "
            "bedrock-converse, gemini-interactions, got ['openai']; did you mean openai-responses or openai-chat?",
        ),
        ("jobs = 0", "jobs: expected a whole number from 1 on, got 0"),
        ("timeout = true", "timeout: expected a number of seconds above 0, got True"),
        ("info = 'yes'", "info: expected true or false, got 'yes'"),
        ("paths = [1]", "paths: expected a path, or a list of paths, got [1]"),
    ],
    ids=["key", "wire", "number", "seconds", "flag", "list"],
)
def test_a_mistake_has_its_line(project: Path, harness: Callable[..., Printed], line: str, problem: str) -> None:
    (project / "pyproject.toml").write_text(f"# {line}\n\n[tool.harness]\n{line}\n", encoding="utf-8")
    assert harness("run").lines == (2, [], [f"error: pyproject.toml:4: {problem}"])


def test_a_file_that_cannot_be_read_is_named_but_not_for_help(project: Path, harness: Callable[..., Printed]) -> None:
    (project / "pyproject.toml").write_text("[tool.harness]\nwires = [\n", encoding="utf-8")
    printed = harness("list")
    assert printed.code == 2
    assert re.match(r"error: pyproject.toml: cannot be read: .*; correct the file", printed.err)
    assert harness("list", "--help").code == 0


def test_every_key_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([a-z-]+)` \|", page, re.MULTILINE)[: len(KEYS)] == list(KEYS)
