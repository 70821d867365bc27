"""Target files of programs that bring their own tools: what they open, and what is wrong in them."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from harness.errors import BadInput
from harness.scenario.documents import read
from harness.targets.agent import AgentSetup, Workdir
from harness.targets.command.target import CommandTarget
from harness.targets.file import open_file
from harness.targets.installed import AGENTS, file_of
from harness_lab.documents import target_schema as schema
from tests.case_tables import from_table
from tests.commands import Printed, called

HEAD = f"target: mine\ncommand: ['{sys.executable}', $folder/agent.py, $prompt]\n"
AGENT = "profiles: [coding-agent]\nworkdir: temporary\ntools:\n  shell: {name: Bash, arguments: {command: $command}}\n"


def opened(folder: Path, text: str, name: str = "mine.yaml") -> CommandTarget:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    target = open_file(file)
    assert isinstance(target, CommandTarget)
    return target


def test_everything_that_can_be_said_of_an_agent(tmp_path: Path) -> None:
    (tmp_path / "repository").mkdir()
    target = opened(
        tmp_path,
        f"""\
{HEAD}again: ['{sys.executable}', agent.py, --continue]
version: ['{sys.executable}', -c, 'print("agent 4.5.6")']
input: nothing
wires: [openai-chat]
capabilities: [streaming, cancel]
interrupt: SIGTERM
timeout: 90
home: temporary
setup: {{.agent/config.json: '{{"url": "$base_url$path"}}'}}
workdir: {{template: repository, git: true}}
by_wire: {{openai-chat: {{path: /v1}}}}
model: {{openai-chat: {{name: m, thinks: false}}}}
profiles: [coding-agent]
tools: {{shell: {{name: Bash, arguments: {{command: $command, in: $workdir}}}}}}
""",
    )
    assert target.command == (sys.executable, f"{tmp_path}/agent.py", "$prompt")
    assert target.agent == AgentSetup(
        {".agent/config.json": '{"url": "$base_url$path"}'},
        True,
        Workdir(tmp_path / "repository", True),
        {"openai-chat": {"path": "/v1"}},
        "nothing",
        signal.SIGTERM,
        (sys.executable, "agent.py", "--continue"),
    )
    declared = target.declaration
    assert declared.profiles == {"coding-agent"}
    assert declared.emits == frozenset()
    assert declared.timeout == 90
    assert declared.models == (("openai-chat", "m"),)
    assert declared.thoughtless == {"openai-chat"}
    assert target.versions() == {"mine": "4.5.6"}


def test_a_file_takes_over_what_it_does_not_say_itself(tmp_path: Path) -> None:
    opened(tmp_path, f"{HEAD}{AGENT}environment: {{A: '1', B: '2'}}\nallow_refused: [a.example]\n", "base.yaml")
    more = "environment: {B: '3'}\ntools: {read: {name: Read, arguments: {file: $workdir/$path}}}\n"
    target = opened(tmp_path, f"target: other\nextends: base.yaml\n{more}")
    assert target.name == "other"
    assert target.environment == {"A": "1", "B": "3"}
    assert [name for name, _ in target.declaration.tools] == ["shell", "read"]
    assert target.declaration.allow_refused == {"a.example"}


@from_table(__file__, "test_what_is_wrong_is_reported_with_its_place")
def test_what_is_wrong_is_reported_with_its_place(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(BadInput) as raised:
        opened(tmp_path, text.replace("HEAD\n", HEAD))
    assert any(problem in each.removeprefix(f"{tmp_path}/") for each in raised.value.problems), raised.value.problems


def test_configuration_files_may_have_dollars_of_their_own(tmp_path: Path) -> None:
    assert opened(tmp_path, f"{HEAD}home: temporary\nsetup: {{a: '$schema $HOME'}}\n").agent.files == {
        "a": "$schema $HOME"
    }


def test_files_are_linted_without_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
    good.write_text(f"target: mine\ncommand: not-installed\n{AGENT}", encoding="utf-8")
    bad.write_text("target: mine\ncommand: x\ntimeuot: 5\n", encoding="utf-8")
    assert called(capsys, "lint-target", good) == Printed(0, "1 target file, nothing wrong\n", "")
    printed = called(capsys, "lint-target", good, bad)
    assert (printed.code, "bad.yaml:3:1: expected the keys" in printed.err) == (2, True)


@pytest.mark.parametrize("agent", AGENTS)
def test_the_shipped_files_fit_the_schema(agent: str) -> None:
    data = read(file_of(agent), file_of(agent).parent, "target").data
    assert [error.message for error in Draft202012Validator(schema.export()).iter_errors(data)] == []


def test_the_stored_schema_is_current() -> None:
    stored = Path(__file__).resolve().parents[2] / "docs" / "target.schema.json"
    assert stored.read_text(encoding="utf-8") == schema.document(), "run scripts/regenerate"


def test_the_version_is_asked_for_without_the_user_s_home_and_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "of the user"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-proj-of-the-user-0123456789")
    monkeypatch.setenv("MY_SECRET_TOKEN", "of-the-user-0123456789")
    seen = tmp_path / "seen.json"
    asks = f"import json, os; json.dump(dict(os.environ), open({str(seen)!r}, 'w')); print('agent 4.5.6')"
    target = opened(
        tmp_path,
        f"{HEAD}home: temporary\nenvironment: {{NO_UPDATE: '1', AT: $base_url}}\n"
        f"version: ['{sys.executable}', -c, {json.dumps(asks)}]\n",
    )
    assert target.versions() == {target.name: "4.5.6"}
    variables = json.loads(seen.read_text(encoding="utf-8"))
    assert "of the user" not in variables["HOME"]
    assert not [name for name, value in variables.items() if "of-the-user" in value]
    assert variables["NO_UPDATE"] == "1"
    assert "AT" not in variables, "nothing of a case is known then"
