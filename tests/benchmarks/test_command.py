"""``python -m benchmarks``: what it prints and writes, and its exit codes. No time is asserted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.tracking import command
from benchmarks.tracking.figure import Figure, Goal, LeftOut, Row

ROOT = Path(__file__).parents[2]
MET = Figure.of("fast", [1.0], Goal("ours", "at most", 2.0))
MISSED = Figure.of("slow", [3.0], Goal("ours", "at most", 2.0))


def benchmarks(*words: str, path: Path) -> subprocess.CompletedProcess[str]:
    """Run it with a folder in front of what Python imports from."""
    command = [sys.executable, "-m", "benchmarks", *words]
    environment = {**os.environ, "PYTHONPATH": f"{path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


@pytest.fixture
def quick_sdks(tmp_path: Path) -> Path:
    """In the place of the SDKs, whose import, beside which ours is measured, takes most of the time."""
    for name in ("openai", "anthropic", "google/genai"):
        (tmp_path / "path" / name).mkdir(parents=True)
        (tmp_path / "path" / name / "__init__.py").touch()
    return tmp_path / "path"


def test_a_real_benchmark_is_told_and_written(tmp_path: Path, quick_sdks: Path) -> None:
    document, file = tmp_path / "document.md", tmp_path / "figures.json"
    document.write_text("".join(f"<!-- figures: {name} -->\n<!-- end -->\n" for name in ("machine", "startup")))
    ended = benchmarks(
        "startup", "--quick", "--json", str(file), "--write", "--document", str(document), path=quick_sdks
    )
    written, figures = document.read_text(), json.loads(file.read_text())
    missed = figures["benchmarks"][0]["missed"]
    assert ended.returncode == (1 if missed else 0), ended.stderr
    assert "4 goals:" in ended.stdout
    (row,) = (line for line in ended.stdout.splitlines() if line.startswith("| `harness list` "))
    assert f"{row}\n" in written
    assert "- Python: CPython" in written
    assert [row["what"] for row in figures["benchmarks"][0]["rows"]][1:] == ["`harness --help`", "`harness list`"]
    assert "UTC, quick, " in written


def refused(monkeypatch: pytest.MonkeyPatch, *words: str) -> object:
    """The exit code of the command in this process, where nothing may be measured."""
    monkeypatch.setattr(command, "_measured", None)
    try:
        return command.main(words)
    except SystemExit as left:
        return left.code


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["start-up"], "error: expected the name of a benchmark, got 'start-up'; there are: partial_arguments, "),
        (["startup", "--write", "--document", "none.md"], "error: none.md: cannot be read"),
        (["startup", "--json", "none/figures.json"], "error: --json none/figures.json: cannot be written"),
        (["--rounds", "3"], "unrecognized arguments: --rounds"),
    ],
)
def test_bad_input_is_said_before_anything_is_measured(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert refused(monkeypatch, *words) == 2
    told = capsys.readouterr()
    assert message in told.err
    assert "##" not in told.out


def test_a_document_without_a_place_is_said_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    document = tmp_path / "document.md"
    document.write_text("<!-- figures: machine -->\n<!-- end -->\n")
    assert refused(monkeypatch, "startup", "--write", "--document", str(document)) == 2
    assert "expected a line <!-- figures: startup -->, got none" in capsys.readouterr().err
    assert document.read_text() == "<!-- figures: machine -->\n<!-- end -->\n"


# --- how it ends, without measuring ---------------------------------------------------------------------------


def ran(monkeypatch: pytest.MonkeyPatch, *rows: Row, failed: bool = False) -> int:
    def measured(name: str, quick: bool) -> command.Ran:
        return command.Ran(name, list(rows), failed, "said")

    monkeypatch.setattr(command, "_measured", measured)
    return command.main(["startup", "--quick"])


def test_0_when_every_goal_is_met(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(monkeypatch, MET, LeftOut("x", "no node")) == 0
    assert capsys.readouterr().out.endswith("1 goals: 1 met, 0 missed\n")


def test_1_and_its_name_when_a_goal_is_missed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ran(monkeypatch, MET, MISSED) == 1
    assert capsys.readouterr().out.endswith("2 goals: 1 met, 1 missed\n  missed: startup: slow\n")


def test_3_when_a_benchmark_broke_off_whatever_it_had_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ran(monkeypatch, MET, MISSED, failed=True) == 3
    assert capsys.readouterr().out.endswith("  missed: startup: slow\n  broke off: startup\n")


def test_the_table_of_a_benchmark_that_broke_off_is_not_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    document = tmp_path / "document.md"
    document.write_text("".join(f"<!-- figures: {name} -->\nold\n<!-- end -->\n" for name in ("machine", "startup")))
    monkeypatch.setattr(command, "_measured", lambda name, quick: command.Ran(name, [MET], True, "said"))
    assert command.main(["startup", "--write", "--document", str(document)]) == 3
    assert "<!-- figures: startup -->\nold\n" in document.read_text()


def test_a_benchmark_that_breaks_off_is_told_with_its_code() -> None:
    told = command._measured("tracking.nothing", quick=True)
    assert told.failed
    assert "**broke off** with exit code 1" in told.said
