"""What a user has fuzzed is had by its name, or its absence is told; a command that gives no answer is told too."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.errors import BadInput
from harness.fuzz import subject
from harness.fuzz.subject import CommandSubject, Crashed, function

SIGNATURE = "expected f(x)"


def test_a_function_is_had_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "parser_of_mine.py").write_text("def parse(text):\n    return text.upper()\n")
    assert function("parser_of_mine:parse", SIGNATURE)("a") == "A"


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("nothing", "expected package.module:function or cmd:COMMAND; expected f"),
        ("no_such_module_here:f", "importing 'no_such_module_here' failed: ModuleNotFoundError"),
        ("json:nothing", "'json' has no function 'nothing'"),
        ("json:__doc__", "'json' has no function '__doc__'"),
    ],
)
def test_a_function_that_is_not_there_is_told(target: str, message: str) -> None:
    with pytest.raises(BadInput) as told:
        function(target, SIGNATURE)
    assert message in str(told.value)


def test_what_a_module_raises_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "broken_parser.py").write_text("1 / 0\n")
    with pytest.raises(BadInput, match="ZeroDivisionError: division by zero"):
        function("broken_parser:parse", SIGNATURE)


# --- commands ---------------------------------------------------------------------------------------------


def test_a_command_sees_no_secret_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "ghs-Qm3vZp81xWk")
    monkeypatch.setenv("OPENAI_API_KEY", "Qm3vZp81xWkQm3vZp81xWk")
    monkeypatch.setenv("MY_FLAVOUR", "plain")
    names = "['GITHUB_TOKEN', 'OPENAI_API_KEY', 'MY_FLAVOUR']"
    program = f"import json, os; input(); print(json.dumps({{name: os.environ.get(name) for name in {names}}}))"
    command = CommandSubject(shlex.join([sys.executable, "-c", program]), SIGNATURE)
    try:
        assert command.ask({}) == {"GITHUB_TOKEN": None, "OPENAI_API_KEY": "harness", "MY_FLAVOUR": "plain"}
    finally:
        command.close()


ECHO = """
import json, os, sys
for line in sys.stdin:
    question = json.loads(line)
    match question["do"]:
        case "echo": print(json.dumps({"said": question["say"], "process": os.getpid()}), flush=True)
        case "exit": sys.exit(3)
        case "nonsense": print("nonsense", flush=True)
        case "list": print("[1]", flush=True)
        case "silent": pass
"""


@pytest.fixture
def command(tmp_path: Path) -> Iterator[CommandSubject]:
    (tmp_path / "echo.py").write_text(ECHO)
    command = CommandSubject(f"{sys.executable} {tmp_path / 'echo.py'}", SIGNATURE)
    yield command
    command.close()


def test_a_command_is_asked_again_and_again(command: CommandSubject) -> None:
    answers = [command.ask({"do": "echo", "say": f"\ud83d {number}"}) for number in range(3)]
    assert [answer["said"] for answer in answers] == ["\ud83d 0", "\ud83d 1", "\ud83d 2"]
    assert len({answer["process"] for answer in answers}) == 1


@pytest.mark.parametrize(
    ("do", "message"),
    [
        ("exit", "it ended with exit code 3"),
        ("nonsense", "it wrote what is no JSON"),
        ("list", "it wrote what is no JSON object"),
    ],
)
def test_a_command_that_gives_no_answer_is_told_and_started_anew(
    command: CommandSubject, do: str, message: str
) -> None:
    with pytest.raises(Crashed, match=message):
        command.ask({"do": do})
    assert command.ask({"do": "echo", "say": "back"})["said"] == "back"


def test_a_silent_command_is_not_waited_for(command: CommandSubject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "ANSWER", 0.2)
    with pytest.raises(Crashed, match="no answer within"):
        command.ask({"do": "silent"})
    monkeypatch.undo()
    assert command.ask({"do": "echo", "say": "back"})["said"] == "back"


@pytest.mark.parametrize(("words", "message"), [("", "expected a command"), ("no-such-program-here", "No such file")])
def test_a_command_that_is_none_is_told(words: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        CommandSubject(words, SIGNATURE)
