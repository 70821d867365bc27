"""The Dockerfile, as far as it can be judged without building it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.ci_kit.kit import ROOT


@pytest.fixture
def instructions(tmp_path: Path) -> list[tuple[str, str]]:
    parse = pytest.importorskip("dockerfile_parse", reason="dockerfile-parse is not installed")
    parser: Any = parse.DockerfileParser(path=str(ROOT))
    return [(each["instruction"], each["value"]) for each in parser.structure]


def test_it_ends_as_nobody_in_particular_with_the_command(instructions: list[tuple[str, str]]) -> None:
    last = [value for name, value in instructions if name == "FROM"][-1]
    stage = instructions[len(instructions) - instructions[::-1].index(("FROM", last)) :]
    assert dict(stage)["USER"] == "harness"
    assert dict(stage)["ENTRYPOINT"] == '["harness"]'
    assert [name for name, _ in stage][-3:] == ["WORKDIR", "ENTRYPOINT", "CMD"]
    assert not any(name == "COPY" for name, _ in stage)


def test_all_that_the_wheel_is_made_of_reaches_the_builder() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    kept = {line[1:] for line in ignored if line.startswith("!")}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {*wheel["packages"], *wheel["force-include"], project["project"]["readme"]}
    assert "*" in ignored
    assert kept == needed | {"pyproject.toml", *project["project"]["license-files"]}
