"""``[tool.harness]`` in pyproject.toml: defaults of options, which the command line replaces."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.cli.command_line import parser
from harness.cli.config import KEYS
from tests.case_tables import from_table
from tests.commands import Printed

TABLE = (Path(__file__).parent / "data" / "config_table.toml").read_text(encoding="utf-8")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text(TABLE, encoding="utf-8")
    return tmp_path


def options(*words: str) -> argparse.Namespace:
    return parser().parse_args(words)


@from_table(__file__, "test_what_an_option_is")
def test_what_an_option_is(project: Path, words: str, read: dict[str, Any]) -> None:
    made = options(*words.split())
    assert {name: plain(getattr(made, name)) for name in read} == read


def plain(value: Any) -> Any:
    """The value as a file of data has it."""
    if isinstance(value, list):
        return [plain(each) for each in value]
    return str(value) if isinstance(value, Path) else value


def test_it_is_found_above_and_its_paths_are_relative_to_it(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "below").mkdir()
    monkeypatch.chdir(project / "below")
    assert options("run").paths == [Path("../scenarios")]


def test_no_table_is_no_configuration(project: Path) -> None:
    (project / "pyproject.toml").write_text("[project\n", encoding="utf-8")
    assert options("run").target == "reference"


@from_table(__file__, "test_a_mistake_has_its_line")
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
