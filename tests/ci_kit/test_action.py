"""The action: its form, and its lines of shell, run as GitHub's runner runs them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

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
        # the answer of which the result was dropped, with nothing behind it; what is missed follows
        ("ANT-01%2C ANT-13%2C history/results", 12),
    }
    assert all(places)
    kept = {path.name for path in ended.report.iterdir()}
    reports = {"results.json", "junit.xml", "summary.md", "results.sarif", "index.html"}
    assert kept == {*reports, "journal.jsonl", "traces"}
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
        ("loop.yaml", "", "core"),
        ("loop.yaml", "reference", "reference"),
        ("loop.yaml", "dask,fuzz", "extras"),
        ("reference", "", "reference"),
        ("wire-only", "dask", "extras"),
    ],
)
def test_what_is_installed_is_the_lock_and_the_actions_own_checkout(
    target: str, extras: str, wanted: str, tmp_path: Path
) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "python").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n', encoding="utf-8")
    (programs / "python").chmod(0o755)
    ended = perform("Install the harness", tmp_path, str(programs), SOURCE=str(ROOT), TARGET=target, EXTRAS=extras)
    assert ended.code == 0
    split = ended.output.index("-m", 1)
    packages, harness = ended.output[:split], ended.output[split:]
    assert packages[:3] == harness[:3] == ["-m", "pip", "install"]
    assert packages[-3:] == ["--require-hashes", "-r", f"{ROOT}/requirements-{wanted}.lock"]
    assert harness[-3:] == ["--no-deps", "--no-build-isolation", str(ROOT)]


@pytest.mark.parametrize("lock", sorted(ROOT.glob("requirements*.lock")), ids=lambda lock: lock.name)
def test_a_lock_pins_each_package_by_version_and_hash(lock: Path) -> None:
    entries = re.split(r"\n(?=[a-z])", lock.read_text(encoding="utf-8").strip())
    assert len(entries) > 20
    for entry in entries:
        assert re.match(r"[a-z0-9._-]+(\[[a-z,-]+\])?==\S+", entry), entry
        assert "--hash=sha256:" in entry


def test_the_locks_have_what_the_package_needs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needs = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    extras = project["project"]["optional-dependencies"]
    wanted = {
        "core": needs,
        "reference": [*needs, *extras["reference"]],
        "extras": [*needs, *chain.from_iterable(extras.values())],
    }
    pinned = {name: _pinned(name) for name in ("core", "reference", "extras")}
    everything = _pinned("")
    for lock, requirements in wanted.items():
        for each in map(Requirement, requirements):
            assert any(each.specifier.contains(version) for version in pinned[lock][canonicalize_name(each.name)]), (
                lock,
                each,
            )
        shared = pinned[lock].keys() & everything.keys()
        assert {name: pinned[lock][name] for name in shared} == {name: everything[name] for name in shared}


def _pinned(lock: str) -> dict[str, list[str]]:
    text = (ROOT / (f"requirements-{lock}.lock" if lock else "requirements.lock")).read_text(encoding="utf-8")
    found: dict[str, list[str]] = {}
    for name, version in re.findall(r"^([a-z0-9._-]+)(?:\[[a-z,-]+\])?==([^ ;]+)", text, re.MULTILINE):
        found.setdefault(name, []).append(version)
    return found


_WORKFLOWS = [
    ROOT / "action.yml",
    ROOT / "docs" / "ci.md",
    *sorted((ROOT / "harness" / "starter").glob("*/agent-loop.yml")),
]


@pytest.mark.parametrize("path", _WORKFLOWS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_the_actions_of_others_are_pinned_by_commit(path: Path) -> None:
    used = re.findall(r"uses: *(\S+)(.*)", path.read_text(encoding="utf-8"))
    others = [(name, behind) for name, behind in used if not name.startswith(("./", "OWNER/"))]
    assert len(others) >= 3
    for name, behind in others:
        assert re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}", name), name
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", behind), name


def test_the_examples_name_the_harness_by_commit_too() -> None:
    text = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    named = re.findall(r"uses: *OWNER/agent-loop-harness@(\S+)|rev: (\S+)", text)
    assert {each or other for each, other in named} == {"COMMIT"}


@pytest.mark.parametrize("path", _WORKFLOWS[2:], ids=lambda path: path.parent.name)
def test_a_workflow_of_harness_init_may_only_read(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    assert "permissions" not in workflow["jobs"]["conformance"]
    (checkout,) = [each for each in workflow["jobs"]["conformance"]["steps"] if "checkout" in each.get("uses", "")]
    assert checkout["with"] == {"persist-credentials": False}
    assert "${{ secrets" not in path.read_text(encoding="utf-8")


def test_the_action_takes_no_secret() -> None:
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    assert re.findall(r"\$\{\{[^}]*(?:secrets|token)", text) == []
