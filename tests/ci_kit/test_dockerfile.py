"""The Dockerfile, as far as it can be judged without building it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
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


IGNORED = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
KEPT = {line[1:] for line in IGNORED if line.startswith("!")}


def test_all_that_the_wheel_is_made_of_reaches_the_builder() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {*wheel["packages"], *wheel["force-include"], project["project"]["readme"]}
    assert "*" in IGNORED
    others = {"pyproject.toml", "requirements-reference.lock"}
    assert needed | others | {*project["project"]["license-files"]} == KEPT


def test_all_packages_come_with_their_hashes(instructions: list[tuple[str, str]]) -> None:
    parts = [part for name, value in instructions if name == "RUN" for part in value.split("&&")]
    installs = [part for part in parts if "pip install" in part or "pip wheel" in part]
    assert len(installs) == 4
    assert all("--require-hashes" in each or "--no-deps" in each or "--no-index" in each for each in installs)


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """What the wheel of the first stage holds, made of no more than reaches it; what it needs is taken from here."""
    source = tmp_path / "source"
    for name in KEPT:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
        else:
            source.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, source / name)
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "wheels")]
    subprocess.run(build, cwd=source, check=True, capture_output=True)
    (wheel,) = (tmp_path / "wheels").iterdir()
    zipfile.ZipFile(wheel).extractall(tmp_path / "image")
    return tmp_path / "image"


@pytest.mark.exhaustive
def test_what_the_image_runs_finds_the_shipped_scenarios(
    image: Path, instructions: list[tuple[str, str]], tmp_path: Path
) -> None:
    (entry,) = image.glob("*.dist-info/entry_points.txt")
    assert "harness = harness.cli:main" in entry.read_text(encoding="utf-8").splitlines()
    command = next(value for name, value in instructions if name == "CMD")
    words = [
        *json.loads(command),
        "-k",
        "answer.openai-chat.whole",
        "-j",
        "1",
        "--out",
        str(tmp_path / "out"),
    ]
    run = f"import harness.cli; print(harness.cli.__file__); harness.cli.main({words})"
    environment = {**os.environ, "PYTHONPATH": str(image), "PYTHONDONTWRITEBYTECODE": "1"}
    ended = subprocess.run([sys.executable, "-c", run], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout.splitlines()[-1]) == (0, "1 passed, 0 failed"), ended.stderr
    assert ended.stdout.startswith(str(image))
