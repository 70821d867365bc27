"""Target files: what they open, and what is said of one that is wrong."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness.endpoint import Endpoints
from harness.errors import BadInput
from harness.runner.opening import examined, open_target, plan_for
from harness.targets import Declaration
from harness.targets.command.program import program
from harness.targets.command.target import CommandTarget
from harness.targets.function import FunctionTarget
from harness.wire import OWN_WIRES
from tests.case_tables import from_table
from tests.scenarios import shipped_scenarios

PYTHON = f"command: ['{sys.executable}', agent.py]\n"


def opened(folder: Path, text: str) -> object:
    return open_target(str(written(folder, text)), Endpoints())


def written(folder: Path, text: str) -> Path:
    file = folder / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def problems(folder: Path, text: str) -> list[str]:
    with pytest.raises(BadInput) as raised:
        opened(folder, text)
    return [problem.removeprefix(f"{folder}/") for problem in raised.value.problems]


# --- what it opens ------------------------------------------------------------------------------------------


def test_a_command_runs_in_the_folder_of_its_file(tmp_path: Path) -> None:
    assert opened(tmp_path, f"target: mine\n{PYTHON}") == CommandTarget(
        "mine", (sys.executable, "agent.py"), Declaration(wires_declared=False), {}, tmp_path
    )


def test_everything_that_can_be_said_of_a_command(tmp_path: Path) -> None:
    (tmp_path / "agents").mkdir()
    text = f"""\
target: mine
command: "{sys.executable} -u 'my agent.py' $HOME"
directory: agents
wires: [openai-chat, anthropic-messages]
profiles: [tool-runner]
capabilities: [streaming, parallel]
emits: [assistant, error, final]
environment: {{DEBUG: '1'}}
persistent: true
model: {{openai-chat: gpt-5-mini}}
allow_refused: [Telemetry.example.com, '*.example.net', 192.0.2.1, '2001:db8::1']
"""
    assert opened(tmp_path, text) == CommandTarget(
        "mine",
        (sys.executable, "-u", "my agent.py", "$HOME"),
        Declaration(
            frozenset({"openai-chat", "anthropic-messages"}),
            frozenset({"universal", "tool-runner"}),
            frozenset({"streaming", "parallel"}),
            frozenset({"assistant", "error", "final"}),
            allow_refused=frozenset({"telemetry.example.com", "*.example.net", "192.0.2.1", "2001:db8::1"}),
            models=(("openai-chat", "gpt-5-mini"),),
        ),
        {"DEBUG": "1"},
        tmp_path / "agents",
        persistent=True,
    )


def test_one_model_is_that_of_every_wire(tmp_path: Path) -> None:
    made = opened(tmp_path, f"target: mine\n{PYTHON}model: my-model\n")
    assert isinstance(made, CommandTarget)
    assert dict(made.declaration.models) == dict.fromkeys(OWN_WIRES, "my-model")


def test_a_program_of_the_folder_is_found_there(tmp_path: Path) -> None:
    (tmp_path / "agent").write_text("#!/bin/sh\n", encoding="utf-8")
    (tmp_path / "agent").chmod(0o755)
    target = opened(tmp_path, "target: mine\ncommand: ./agent\n")
    assert isinstance(target, CommandTarget)
    assert target.command == ("./agent",)


def test_a_function_is_looked_for_in_the_folder_of_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "my_loop_in_a_folder.py").write_text("def run(case): return 'Hi.'\n", encoding="utf-8")
    target = opened(tmp_path, "target: mine\npython: my_loop_in_a_folder:run\nemits: []\n")
    assert isinstance(target, FunctionTarget)
    assert (target.name, target.declaration) == ("mine", Declaration(emits=frozenset(), wires_declared=False))
    assert target._drive(None) == "Hi."  # type: ignore[arg-type, comparison-overlap]


def test_its_cases_say_how_they_are_repeated(tmp_path: Path) -> None:
    file = written(tmp_path, f"target: mine\n{PYTHON}wires: [openai-chat]\n")
    assert examined(str(file)).isolation == "command"
    planned = plan_for(str(file), shipped_scenarios("universal/answer.yaml"))
    assert {(item.case.target, item.case.wire, item.opened_as) for item in planned} == {
        ("mine", "openai-chat", str(file))
    }


# --- what is wrong with one ---------------------------------------------------------------------------------


@from_table(__file__, "test_what_is_wrong_is_told_with_its_place")
def test_what_is_wrong_is_told_with_its_place(text: str, said: str, tmp_path: Path) -> None:
    [problem] = problems(tmp_path, text.replace("PYTHON\n", PYTHON))
    assert said in problem


def test_all_problems_are_told_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = "target: mine\nenvironment: {A-B: x}\npython: nowhere_at_all:run\ndirectory: nowhere\n"
    assert [problem.split(": ")[0] for problem in problems(tmp_path, text)] == [
        "mine.yaml:2:1",
        "mine.yaml:2:15",
        "mine.yaml:3:9",
        "mine.yaml:4:12",
    ]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"none\.yaml:1:1: expected a readable file, .*: No such file or directory"):
        open_target(str(tmp_path / "none.yaml"), Endpoints())


@from_table(__file__, "test_a_command_on_the_command_line_is_looked_up_before_anything_runs")
def test_a_command_on_the_command_line_is_looked_up_before_anything_runs(name: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        open_target(name, Endpoints())


@pytest.mark.parametrize("name", ["./agent", "../here/agent", "{here}/agent"])
def test_a_program_is_named_by_its_path(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "here"
    here.mkdir()
    agent = here / "agent"
    agent.write_text("#!/bin/sh\n", encoding="utf-8")
    agent.chmod(0o755)
    monkeypatch.chdir(here)
    command = name.format(here=here)
    assert program(command, "--target") == (command,)
    agent.chmod(0o644)
    with pytest.raises(BadInput, match="there is no program"):
        program(command, "--target")
