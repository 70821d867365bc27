"""``harness init``: what it writes runs, and it writes over nothing."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
import yaml

from harness.cli.init import EXAMPLES
from harness.scenario import load
from tests.commands import Printed, run_harness

Init = Callable[..., str]
FILES = {
    "scenarios/weather-in-two-cities.yaml",
    "scenarios/schema.json",
    "harness-target.yaml",
    ".github/workflows/agent-loop.yml",
}
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

LOOPS = [
    pytest.param(language, client, file, id=client, marks=[needs_node] if language == "node" else [])
    for language, clients in EXAMPLES.items()
    for client, file in clients.items()
]
FIRST = {"python": {"openai_loop.py"}, "node": {"fetch_loop.mjs", "harness-client.mjs"}}


@pytest.fixture
def init(harness: Callable[..., Printed]) -> Init:
    """What the command prints, where it ends with a code."""

    def call(*options: object, code: int = 0) -> str:
        printed = harness("init", *options)
        assert printed.code == code
        return printed.err if code else printed.out

    return call


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def next_steps(told: str) -> list[list[str]]:
    return [shlex.split(line) for line in told.split("Next:\n")[1].splitlines()]


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    assert command[0] == "harness"
    return run_harness(*command[1:], cwd=folder)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("language", "client", "file"), LOOPS)
def test_what_is_written_passes_with_the_commands_that_are_printed(
    language: str, client: str, file: str, tmp_path: Path, init: Init
) -> None:
    """The second command runs the suite core: a correct loop on a provider's SDK, or on fetch, breaks nothing of it.

    Each scenario once: an example has no code for how bytes are cut. Its SDK has, and is driven with every chunking by
    the sessions of the reference loop.
    """
    folder = tmp_path / "my loop"
    written = init(str(folder), "--language", language, "--client", client)
    enter, own, core = next_steps(written)
    assert files(folder) == FILES | {file} | ({"harness-client.mjs"} if language == "node" else set())
    assert enter == ["cd", str(folder)]
    passed = run(own, folder)
    assert (passed.returncode, passed.stdout.splitlines()[-1]) == (0, "1 passed, 0 failed"), passed.stdout
    passed = run([*core, "-k", ".event"], folder)
    assert passed.returncode == 0, passed.stdout
    totals = re.fullmatch(r"(\d+) passed, 0 failed(, \d+ skipped)?", passed.stdout.splitlines()[-1])
    assert totals is not None, passed.stdout
    assert int(totals[1]) > 25


@pytest.mark.parametrize(("language", "own"), FIRST.items(), ids=FIRST)
def test_a_client_need_not_be_chosen(language: str, own: set[str], tmp_path: Path, init: Init) -> None:
    init(str(tmp_path), "--language", language)
    assert files(tmp_path) == FILES | own


@pytest.mark.exhaustive
def test_a_loop_in_python_can_be_a_command(tmp_path: Path, init: Init) -> None:
    """Which needs nothing of the harness: what it imports are its SDK and the files beside it."""
    _, own, _ = next_steps(init(str(tmp_path / "loop"), "--command"))
    assert files(tmp_path / "loop") == FILES | {"openai_loop.py", "harness_client.py", "run_loop.py"}
    target = tmp_path / "loop" / "harness-target.yaml"
    declared = yaml.safe_load(target.read_text())
    assert (declared["command"], declared["persistent"]) == ("python3 run_loop.py", True)
    assert "python" not in declared
    blocked = "import sys; sys.modules['harness'] = None; import run_loop"
    target.write_text(target.read_text().replace("python3 run_loop.py", f"['{sys.executable}', '-c', \"{blocked}\"]"))
    passed = run(own, tmp_path / "loop")
    assert (passed.returncode, passed.stdout.splitlines()[-1]) == (0, "1 passed, 0 failed"), passed.stdout


def test_a_client_of_the_other_language_is_refused(tmp_path: Path, init: Init) -> None:
    told = init(str(tmp_path), "--language", "node", "--client", "anthropic", code=2)
    assert told == "error: --client anthropic: expected one of fetch for --language node; choose another\n"
    assert files(tmp_path) == set()


BROKEN = {
    "openai_loop.py": ("in choice.message.tool_calls:", "in choice.message.tool_calls[:1]:", "OAC-03"),
    "anthropic_loop.py": ("(call, tools) for call in calls]", "(call, tools) for call in calls[:1]]", "ANT-01"),
    "google_genai_loop.py": ("(call, tools) for call in calls]", "(call, tools) for call in calls[:1]]", "GEM-06"),
    "fetch_loop.mjs": ("const call of calls)", "const call of calls.slice(0, 1))", "OAI-10"),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("language", "client", "file"), LOOPS)
def test_the_scenario_finds_a_loop_that_answers_one_call_of_two(
    language: str, client: str, file: str, tmp_path: Path, init: Init
) -> None:
    _, own, _ = next_steps(init(str(tmp_path / "loop"), "--language", language, "--client", client))
    whole, broken, rule = BROKEN[file]
    loop = tmp_path / "loop" / file
    assert loop.read_text().count(whole) == 1
    loop.write_text(loop.read_text().replace(whole, broken))
    failed = run(own, tmp_path / "loop")
    assert failed.returncode == 1
    assert rule in failed.stdout


@pytest.mark.parametrize(("language", "client", "file"), LOOPS)
def test_an_example_knows_of_the_harness_no_more_than_its_client_and_is_short(
    language: str, client: str, file: str
) -> None:
    text = (Path("harness/starter/loops") / file).read_text()
    imported = re.findall(r"^(?:import|from) .*|from '.*'", text, re.MULTILINE)
    assert imported
    assert [line for line in imported if "harness" in line] == (
        ["import { serve } from './harness-client.mjs';"] if language == "node" else []
    )
    assert len(text.splitlines()) <= 65


def test_without_a_folder_it_writes_here(tmp_path: Path, init: Init, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(next_steps(init())) == 2
    assert files(tmp_path) == FILES | {"openai_loop.py"}


def test_nothing_is_written_over(tmp_path: Path, init: Init) -> None:
    init(str(tmp_path))
    for name in files(tmp_path):
        (tmp_path / name).write_text("mine")
    (tmp_path / "harness-target.yaml").unlink()
    told = init(str(tmp_path))
    assert [line.startswith("wrote ") for line in told.splitlines()[:5]] == [False, False, False, True, False]
    assert f"{tmp_path / 'openai_loop.py'} already exists, skipped" in told
    mine = {name for name in files(tmp_path) if (tmp_path / name).read_text() == "mine"}
    assert mine == FILES - {"harness-target.yaml"} | {"openai_loop.py"}


@pytest.mark.parametrize("name", ["a-file", "a-file/below"])
def test_a_file_in_the_place_of_the_folder_is_told(name: str, tmp_path: Path, init: Init) -> None:
    (tmp_path / "a-file").write_text("mine")
    told = init(str(tmp_path / name), code=2)
    assert str(tmp_path / name) in told
    assert told.endswith("; choose another folder\n")
    assert files(tmp_path) == {"a-file"}


def test_editors_find_the_schema_beside_the_scenario(tmp_path: Path, init: Init) -> None:
    init(str(tmp_path))
    scenario = tmp_path / "scenarios/weather-in-two-cities.yaml"
    named = scenario.read_text().splitlines()[0].removeprefix("# yaml-language-server: $schema=")
    schema = yaml.safe_load((scenario.parent / named).read_text())
    jsonschema.validate(yaml.safe_load(scenario.read_text()), schema)
    assert [each.name for each in load([scenario])] == ["weather-in-two-cities"]


@pytest.mark.parametrize("language", EXAMPLES)
def test_the_workflow_installs_from_a_place_that_can_have_it(language: str, tmp_path: Path, init: Init) -> None:
    init(str(tmp_path), "--language", language)
    workflow = (tmp_path / ".github/workflows/agent-loop.yml").read_text()
    assert "git+https://github.com/OWNER/agent-loop-harness" in workflow
    assert "replace OWNER" in workflow
    assert re.search(r"pip install agent-loop-harness\b", workflow) is None, "that is on no index"


@pytest.mark.parametrize("language", EXAMPLES)
def test_the_workflow_runs_what_is_printed(language: str, tmp_path: Path, init: Init) -> None:
    commands = [" ".join(step) for step in next_steps(init(str(tmp_path), "--language", language))[1:]]
    workflow = yaml.safe_load((tmp_path / ".github/workflows/agent-loop.yml").read_text())
    steps = workflow["jobs"]["conformance"]["steps"]
    ran = [step["run"] for step in steps if step.get("run", "").startswith("harness run")]
    out = steps[-1]["with"]["path"]
    assert ran == [f"{commands[0]} --out {out}/own", f"{commands[1]} --out {out}/core"]
