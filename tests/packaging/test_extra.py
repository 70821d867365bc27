"""The core without the extra ``reference``: it imports no provider SDK, and what needs one reports what to install."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from harness.cli import main
from harness.targets import extra

ROOT = Path(__file__).resolve().parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def requirements(texts: list[str]) -> dict[str, str]:
    return {each.name: str(each.specifier) for each in map(Requirement, texts)}


def test_the_extra_is_the_same_in_the_metadata_and_in_the_check() -> None:
    declared = requirements(PROJECT["optional-dependencies"]["reference"])
    assert {name: set(text.split(",")) for name, text in declared.items()} == {
        name: set(text.split(",")) for name, text in extra.REFERENCE.items()
    }


def test_the_core_requires_no_sdk_and_has_no_upper_bound() -> None:
    core = requirements(PROJECT["dependencies"])
    assert not core.keys() & extra.REFERENCE.keys()
    assert {name: text for name, text in core.items() if not re.fullmatch(r">=[\d.]+", text)} == {}


BLOCKER = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("openai", "anthropic", "google", "PIL"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocker())
"""
LOOP = """
import json, urllib.request

def run(case):
    body = {"model": case.model, "messages": [{"role": role, "content": text} for role, text in case.prompt]}
    headers = {"content-type": "application/json", "authorization": f"Bearer {case.api_key}"}
    asked = urllib.request.Request(f"{case.base_url}/v1/chat/completions", json.dumps(body).encode(), headers)
    return json.load(urllib.request.urlopen(asked))["choices"][0]["message"]["content"]
"""
TARGET = "{target: one-answer, python: loops:run, wires: [openai-chat], capabilities: [non-streaming]}"
COMMANDS = """
import importlib, pkgutil
import harness
from harness.cli import main
from multiprocessing import util
from tests.fork_server import forking
from tests.forking import POSSIBLE

if POSSIBLE:  # a worker is a fork of this process, which has the blocker, too, and need not import all of it again
    util.spawnv_passfds = forking(util.spawnv_passfds)

OF_THE_LOOP = ("harness.loop.sessions.", "harness.loop.tools.cutting", "harness.loop.tools.drawing")
NOT_FOR_IMPORT = ("harness.__main__", "harness._data", "harness.starter")
for module in pkgutil.walk_packages(harness.__path__, "harness."):
    if not module.name.startswith((*OF_THE_LOOP, *NOT_FOR_IMPORT)):
        importlib.import_module(module.name)

def ended(*arguments):
    try:
        main(arguments)
    except SystemExit as why:
        return why.code

print("run", ended("run", "--target", "loop.yaml", "-k", "answer.openai-chat.whole", "-j", "1", "--out", "out"))
print("report", ended("report", "out", "--format", "markdown"))
print("lint", ended("lint-request", "request.json", "--wire", "openai-chat"))
print("targets", ended("targets"))
"""


@pytest.mark.slow
def test_the_core_works_where_no_sdk_can_be_imported(tmp_path: Path) -> None:
    """All of it is imported but the reference loop's sessions, and a loop of one's own is run and reported, and linted.

    Nothing can be imported in the workers either: the blocker is in force in them and in every process that is started.
    """
    (tmp_path / "sitecustomize.py").write_text(BLOCKER, encoding="utf-8")
    (tmp_path / "loops.py").write_text(LOOP, encoding="utf-8")
    (tmp_path / "loop.yaml").write_text(TARGET, encoding="utf-8")
    (tmp_path / "request.json").write_text('{"model": "gpt-4.1", "messages": [{"role": "user", "content": "Hi"}]}')
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}
    ended = subprocess.run(
        [sys.executable, "-c", COMMANDS], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    codes = re.findall(r"^(run|report|lint|targets) (\S+)$", ended.stdout, re.MULTILINE)
    # The run ends with 1, because this short loop offers no tools: its driver is reported.
    assert codes == [("run", "1"), ("report", "0"), ("lint", "0"), ("targets", "0")], ended.stdout + ended.stderr
    assert "1 passed, 0 failed, 2 problems of your adapter" in ended.stdout


@pytest.fixture
def without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    version = metadata.version

    def missing(package: str) -> str:
        if package in extra.REFERENCE:
            raise metadata.PackageNotFoundError(package)
        return version(package)

    monkeypatch.setattr(metadata, "version", missing)


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    return capsys.readouterr().err.splitlines()


NEEDED = "needs the reference loop: pip install 'agent-loop-harness[reference]' (not installed: "
NEEDS_THE_EXTRA = {
    "--target reference (the default)": "run",
    "--target reference:hugind": "run --target reference:hugind",
    "--target wire-only": "run --target wire-only",
    "--target mutant:result-dropped": "run --target mutant:result-dropped",
    "harness lab selftest": "lab selftest",
    "harness lab corpus": "lab corpus .",
    "harness lab golden": "lab golden .",
    "harness cassettes import": "cassettes import .",
    "harness fuzz stream": "fuzz stream",
    "harness fuzz loop": "fuzz loop",
}


@pytest.mark.usefixtures("without_the_extra")
@pytest.mark.parametrize(("who", "command"), NEEDS_THE_EXTRA.items(), ids=NEEDS_THE_EXTRA.values())
def test_what_needs_the_extra_says_so(
    who: str, command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert told(capsys, *command.split())[0].startswith(f"error: {who} {NEEDED}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("without_the_extra")
def test_who_names_no_target_is_told_of_both_ways(capsys: pytest.CaptureFixture[str]) -> None:
    first, second = told(capsys, "run")
    assert "pip install 'agent-loop-harness[reference]'" in first
    assert "--target package.module:function" in second


@pytest.mark.usefixtures("without_the_extra")
def test_the_loops_are_listed_with_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["targets"])
    assert not ended.value.code
    shown = " ".join(capsys.readouterr().out.split())
    assert "missing not installed: anthropic, google-genai, openai, Pillow; pip install" in shown


def test_another_version_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "version", lambda package: "1.99.0" if package == "openai" else "2.12")
    assert extra.unfit(("anthropic", "openai")) == "openai 1.99.0 is installed, expected >=3.54,<4"
    assert extra.unfit(("anthropic",)) == ""


def test_a_run_as_the_provider_needs_an_extra(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("harness.cli.drive.find_spec", lambda _name: None)
    (error,) = told(capsys, "run", "--target", "cmd:true", "--as-provider")
    assert error.endswith("expected the package trustme, got none; pip install 'agent-loop-harness[as-provider]'")
    assert list(tmp_path.iterdir()) == []
