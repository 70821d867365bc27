"""The README shows what is so: its sample is the output of its command, its tables name what there is."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from harness.cli import main
from harness.rules import FAMILIES
from tests.commands import run_harness

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def as_any_run(text: str) -> str:
    """Output without what differs from run to run: the folder's name, the time, and how far it was at some time."""
    text = re.sub(r"^  \d+/\d+.*\n", "", text, flags=re.MULTILINE)
    return re.sub(r"\(\d+\.\d s\)", "(N s)", re.sub(r"run-\d{8}-\d{6}", "run-N", text)).strip()


def test_the_sample_is_what_its_command_prints(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command, shown = README.split("```text\n$ harness ", 1)[1].split("```", 1)[0].split("\n", 1)
    (tmp_path / "scenarios").symlink_to(ROOT / "scenarios")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(command.split())
    assert ended.value.code == 1
    assert as_any_run(capsys.readouterr().out) == as_any_run(shown)


OWN = README.split("## Check your own loop", 1)[1].split("\n## ", 1)[0]
TRANSCRIPTS = re.findall(r"```text\n(.*?)```", OWN, re.DOTALL)


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=["python", "node"])
def test_from_nothing_to_a_verdict_as_it_is_shown(transcript: str, tmp_path: Path) -> None:
    if "node" in transcript and shutil.which("node") is None:
        pytest.skip("node is not installed")
    steps = [step.partition("\n") for step in re.split(r"^\$ ", transcript, flags=re.MULTILINE)[1:]]
    assert len(steps) < 10
    folder = tmp_path
    for command, _, shown in steps:
        words = shlex.split(command)
        if words[0] == "cd":
            folder /= words[1]
            continue
        assert words[0] == "harness"
        ended = run_harness(*words[1:], cwd=folder)
        assert ended.returncode == 0, ended.stdout + ended.stderr
        assert as_any_run(ended.stdout) == as_any_run(shown)


def test_every_family_is_in_the_table() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", README.split("| family | says |", 1)[1].split("\n\n", 1)[0], re.MULTILINE)
    assert sorted(rows) == sorted(FAMILIES)


def test_every_command_is_in_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    commands = re.findall(r"^    ([a-z-]+)(?=\s)", capsys.readouterr().out, re.MULTILINE)
    table = README.split("| command | does |", 1)[1].split("\n\n", 1)[0]
    assert [name for name in commands if f"harness {name}" not in table] == []
    assert "run" in commands
