"""``harness init``: what it writes runs, and it writes over nothing."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml

from harness.cli import main
from harness.cli.init import LANGUAGES
from harness.scenario import load, shipped

FILES = {
    "scenarios/weather-in-two-cities.yaml",
    "scenarios/schema.json",
    "harness-target.yaml",
    ".github/workflows/agent-loop.yml",
}
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


def init(capsys: pytest.CaptureFixture[str], *options: str, code: int = 0) -> str:
    with pytest.raises(SystemExit) as ended:
        main(["init", *options])
    assert ended.value.code == code
    told = capsys.readouterr()
    return told.out if code == 0 else told.err


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def next_steps(told: str) -> list[list[str]]:
    return [shlex.split(line) for line in told.split("Next:\n")[1].splitlines()]


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    assert command[0] == "harness"
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.parametrize("language", ["python", pytest.param("node", marks=needs_node)])
def test_what_is_written_passes_with_the_command_that_is_printed(
    language: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "my loop"
    enter, command = next_steps(init(capsys, str(folder), "--language", language))
    assert files(folder) == FILES | {LANGUAGES[language]}
    assert enter == ["cd", str(folder)]
    passed = run(command, folder)
    assert (passed.returncode, passed.stdout.splitlines()[-1]) == (0, "1 passed, 0 failed")


@pytest.mark.parametrize(
    ("language", "whole", "broken"),
    [
        ("python", "in message.tool_calls:", "in message.tool_calls[:1]:"),
        pytest.param("node", "of message.tool_calls)", "of message.tool_calls.slice(0, 1))", marks=needs_node),
    ],
)
def test_the_scenario_finds_a_loop_that_answers_one_call_of_two(
    language: str, whole: str, broken: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, command = next_steps(init(capsys, str(tmp_path), "--language", language))
    loop = tmp_path / LANGUAGES[language]
    assert loop.read_text().count(whole) == 1
    loop.write_text(loop.read_text().replace(whole, broken))
    failed = run(command, tmp_path)
    assert failed.returncode == 1
    assert "OAC-03" in failed.stdout


@pytest.mark.parametrize("language", ["python", pytest.param("node", marks=needs_node)])
def test_the_loop_that_is_written_keeps_every_universal_rule(
    language: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    init(capsys, str(tmp_path), "--language", language)
    paths = [str(shipped() / "universal"), "--target", "harness-target.yaml", "-k", "event"]
    passed = run(["harness", "run", *paths], tmp_path)
    assert passed.returncode == 0, passed.stdout


def test_without_a_folder_it_writes_here(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(next_steps(init(capsys))) == 1
    assert files(tmp_path) == FILES | {"example_loop.py"}


def test_nothing_is_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    init(capsys, str(tmp_path))
    for name in files(tmp_path):
        (tmp_path / name).write_text("mine")
    (tmp_path / "harness-target.yaml").unlink()
    told = init(capsys, str(tmp_path))
    assert [line.split()[0] for line in told.splitlines()[:5]] == ["kept", "kept", "kept", "wrote", "kept"]
    assert f"kept  {tmp_path / 'example_loop.py'}, which was there" in told
    mine = {name for name in files(tmp_path) if (tmp_path / name).read_text() == "mine"}
    assert mine == FILES - {"harness-target.yaml"} | {"example_loop.py"}


@pytest.mark.parametrize("name", ["a-file", "a-file/below"])
def test_a_file_in_the_place_of_the_folder_is_told(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a-file").write_text("mine")
    told = init(capsys, str(tmp_path / name), code=2)
    assert str(tmp_path / name) in told
    assert told.endswith("; choose another folder\n")
    assert files(tmp_path) == {"a-file"}


def test_editors_find_the_schema_beside_the_scenario(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    init(capsys, str(tmp_path))
    scenario = tmp_path / "scenarios/weather-in-two-cities.yaml"
    named = scenario.read_text().splitlines()[0].removeprefix("# yaml-language-server: $schema=")
    schema = yaml.safe_load((scenario.parent / named).read_text())
    jsonschema.validate(yaml.safe_load(scenario.read_text()), schema)
    assert [each.name for each in load([scenario])] == ["weather-in-two-cities"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_workflow_runs_what_is_printed(language: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = " ".join(next_steps(init(capsys, str(tmp_path), "--language", language))[-1])
    workflow = yaml.safe_load((tmp_path / ".github/workflows/agent-loop.yml").read_text())
    steps = workflow["jobs"]["conformance"]["steps"]
    assert [step["run"] for step in steps if step.get("run", "").startswith(command)] == [
        f"{command} --out {steps[-1]['with']['path']}"
    ]
