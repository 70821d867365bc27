"""The action: its form, and its lines of shell, run as GitHub's runner runs them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.runner.results import FORMAT
from tests.ci_kit.kit import ROOT, schema
from tests.commands import harness_program

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}


def test_the_action_is_of_githubs_form() -> None:
    validator = schema("github-actions")
    assert list(validator.iter_errors(ACTION)) == []
    assert list(validator.iter_errors({**ACTION, "runs": {"using": "composite"}})) != []


def test_no_input_is_pasted_into_shell() -> None:
    scripts = [step["run"] for step in STEPS.values() if "run" in step]
    assert len(scripts) == 2
    assert not any("${{" in script for script in scripts)


def test_every_input_is_used_and_every_one_that_is_used_is_there() -> None:
    used = set(re.findall(r"inputs\.([a-z-]+)", yaml.safe_dump(ACTION["runs"])))
    assert used == set(ACTION["inputs"])


@dataclass(frozen=True)
class Ended:
    code: int
    output: list[str]
    outputs: dict[str, str]
    summary: str

    @property
    def report(self) -> Path:
        return Path(self.outputs["report"])


def perform(step: str, tmp_path: Path, path: str, **given: str) -> Ended:
    """Run the shell of a step in an empty folder, as the runner does with ``shell: bash``."""
    script = tmp_path / "step.sh"
    script.write_text(STEPS[step]["run"], encoding="utf-8")
    output, summary = tmp_path / "output", tmp_path / "summary"
    output.touch()
    summary.touch()
    defaults = dict.fromkeys(STEPS[step]["env"], "")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GITHUB_")},
        "PATH": f"{path}{os.pathsep}{os.environ['PATH']}",
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_OUTPUT": str(output),
        "GITHUB_STEP_SUMMARY": str(summary),
        "PYTHONDONTWRITEBYTECODE": "1",
        **defaults,
        **given,
    }
    bash = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)]
    done = subprocess.run(bash, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    outputs = dict(line.split("=", 1) for line in output.read_text(encoding="utf-8").splitlines())
    return Ended(done.returncode, done.stdout.splitlines(), outputs, summary.read_text(encoding="utf-8"))


SCENARIO = """\
scenario: one-call
profile: universal
summary: The words of the model are hostile.
wires: [anthropic-messages]
prompt: Hello.
tools:
  - name: get_time
    description: The time.
    parameters: {type: object, properties: {}, additionalProperties: false}
    returns: noon
model:
  - calls:
      - get_time: {}
  - text: "\\n::error::owned\\n##[error]owned"
expect:
  outcome: completed
  final: {equals: other}
"""


@pytest.fixture
def programs(tmp_path: Path) -> Iterator[str]:
    """Where the step finds ``harness``, and ``python``, too."""
    folder = tmp_path / "programs"
    folder.mkdir()
    with harness_program(folder):
        yield f"{folder}{os.pathsep}{Path(sys.executable).parent}"


@pytest.fixture
def scenarios(tmp_path: Path) -> Path:
    folder = tmp_path / "my scenarios"
    folder.mkdir()
    (folder / "one-call.yaml").write_text(SCENARIO, encoding="utf-8")
    return folder


def stopped(output: list[str]) -> tuple[list[str], list[str]]:
    """The lines that are no commands, and those that may be."""
    begin = next(number for number, line in enumerate(output) if line.startswith("::stop-commands::"))
    token = output[begin].removeprefix("::stop-commands::")
    assert re.fullmatch("[0-9a-f]{32}", token)
    end = output.index(f"::{token}::")
    return output[begin + 1 : end], output[end + 1 :]


def test_findings_are_summarized_annotated_and_kept(scenarios: Path, programs: str, tmp_path: Path) -> None:
    ended = perform(
        "Drive the loop",
        tmp_path,
        programs,
        TARGET="mutant:result-dropped",
        SCENARIOS="'my scenarios'",
        ARGUMENTS="-k 'one-call or nothing'\n-j 1",
    )
    assert (ended.code, ended.outputs["exit-code"], ended.outputs["suffix"]) == (1, "1", "")
    assert ended.summary.startswith("## 0 passed, 1 failed\n")
    told, commands = stopped(ended.output)
    assert told[-1] == "0 passed, 1 failed"
    places = [
        re.match(r"::error file=my scenarios/one-call.yaml,line=(\d+),title=([^:]+)::", line) for line in commands
    ]
    assert {(place[2], int(place[1])) for place in places if place is not None} == {
        ("ANT-01%2C history/results", 12),  # the answer of which the result was dropped; what is missed follows
        ("ANT-13", 12),  # with nothing behind it
    }
    assert all(places)
    kept = {path.name for path in ended.report.iterdir()}
    assert kept == {"results.json", "junit.xml", "summary.md", "results.sarif", "index.html", "traces"}
    assert f'"format": {FORMAT}' in (ended.report / "results.json").read_text(encoding="utf-8")


def test_a_case_is_in_one_shard_of_which_each_has_a_name_of_its_own(
    scenarios: Path, programs: str, tmp_path: Path
) -> None:
    folder = "'my scenarios'"
    shards = [
        perform(
            "Drive the loop", tmp_path, programs, TARGET="wire-only", SCENARIOS=folder, SHARD=shard, ARGUMENTS="-j 1"
        )
        for shard in ("1/2", "2/2")
    ]
    assert sorted(ended.code for ended in shards) == [0, 1]
    assert [ended.outputs["suffix"] for ended in shards] == ["-1-of-2", "-2-of-2"]
    assert "\n::error::owned" not in "\n".join(line for ended in shards for line in stopped(ended.output)[1])


def test_bad_input_ends_the_step_with_its_code_and_without_a_summary(programs: str, tmp_path: Path) -> None:
    ended = perform(
        "Drive the loop", tmp_path, programs, TARGET="reference", SCENARIOS="nothing-here.yaml; touch owned"
    )
    assert (ended.code, ended.summary, ended.outputs["exit-code"]) == (2, "", "2")
    assert not (tmp_path / "owned").exists()
    assert stopped(ended.output)[1] == []


@pytest.mark.parametrize(
    ("target", "extras", "wanted"),
    [
        ("loop.yaml", "", "{}"),
        ("loop.yaml", "dask,fuzz", "{}[dask,fuzz]"),
        ("reference", "", "{}[reference]"),
        ("mutant:result-dropped", "dask", "{}[reference,dask]"),
    ],
)
def test_what_is_installed_is_the_actions_own_checkout(target: str, extras: str, wanted: str, tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "python").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n', encoding="utf-8")
    (programs / "python").chmod(0o755)
    ended = perform("Install the harness", tmp_path, str(programs), SOURCE=str(ROOT), TARGET=target, EXTRAS=extras)
    assert ended.code == 0
    assert ended.output[:3] == ["-m", "pip", "install"]
    assert ended.output[-1] == wanted.format(ROOT)
