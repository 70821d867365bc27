"""The README and the first pages show what is so: transcripts are the output of their commands, tables are whole."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.cli import main
from harness.rules import FAMILIES
from tests.commands import harness_program

ROOT = Path(__file__).parents[1]
README, FIRST_RUN, HOW_IT_WORKS, COMMANDS, GLOSSARY = (
    (ROOT / page).read_text(encoding="utf-8")
    for page in ("README.md", *(f"docs/{name}.md" for name in ("first-run", "how-it-works", "commands", "glossary")))
)
PAGES = README + FIRST_RUN

TRANSCRIPTS = re.findall(r"```text\n(\$ .*?)```", PAGES, re.DOTALL)
AGENTS = dict(re.findall(r'```python\n(?="""(\w+\.py)""")(.*?)```', PAGES, re.DOTALL))

EVERYBODYS = {"agent loop", "turn", "event"}
"""Words of the glossary that nobody needs to look up."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the agents of the README, and a command ``harness`` and ``python`` on the path."""
    for name, text in AGENTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "python").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    with harness_program(programs):
        yield tmp_path


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=["serve", "explain", "run", "init-python", "init-node"])
def test_a_transcript_is_what_its_commands_print(transcript: str, folder: Path) -> None:
    if "node" in transcript and shutil.which("node") is None:
        pytest.skip("node is not installed")
    code = 0
    for step in re.split(r"^\$ ", transcript, flags=re.MULTILINE)[1:]:
        command, _, shown = step.partition("\n")
        if command == "echo $?":
            assert shown.split() == [str(code)]
        elif command.startswith("cd "):
            folder /= command.removeprefix("cd ")
        else:
            ended = subprocess.run(
                shlex.split(command), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
            )
            code = ended.returncode
            assert as_any_run(ended.stdout) == as_any_run(shown), ended.stdout


def as_any_run(text: str) -> str:
    """Output without what differs from run to run: folders, ports, times, progress, and how deep a traceback is."""
    text = re.sub(r"^  \d+/\d+.*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"(Traceback \(most recent call last\):\n)(?:  .*\n)+", r"\1", text)
    text = re.sub(r"run-\d{8}-\d{6}", "run-N", text)
    text = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:N", text)
    text = re.sub(r"cases?, about .*", "cases", text)
    return re.sub(r"\(\d+\.\d s\)", "(N s)", text).strip()


def test_there_are_the_agents_that_the_transcripts_start() -> None:
    assert set(AGENTS) == {"agent.py", "my_agent.py"}
    assert len(TRANSCRIPTS) == 5


def test_every_family_is_in_the_table() -> None:
    rows = re.findall(
        r"^\| `(\w+)` \|", HOW_IT_WORKS.split("| family | checks that |", 1)[1].split("\n\n", 1)[0], re.MULTILINE
    )
    assert sorted(rows) == sorted(FAMILIES)


def test_every_command_is_in_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    commands = re.findall(r"^ {2,4}([a-z][a-z-]+)(?=\s)", capsys.readouterr().out, re.MULTILINE)
    assert "run" in commands
    assert [name for name in commands if f"harness {name}" not in COMMANDS] == []


def test_the_readme_has_one_short_table_of_commands() -> None:
    (table,) = re.findall(r"^\| command \| \|\n\|---\|---\|\n((?:\|.*\n)+)", README, re.MULTILINE)
    assert len(table.splitlines()) <= 15


def test_the_readme_needs_at_most_six_words_of_the_glossary() -> None:
    words = set(re.findall(r"^\| ([a-z][a-z ]+?)(?: \(|\s*\|)", GLOSSARY, re.MULTILINE)) - EVERYBODYS - {"word"}
    prose = re.sub(r"```.*?```|`[^`]*`|\]\([^)]*\)", " ", README.split("\n## Documents\n")[0], flags=re.DOTALL).lower()
    met = {word for word in words if re.search(rf"\b{word}s?\b", prose)}
    assert len(words) > 15
    assert len(met) <= 6, sorted(met)
