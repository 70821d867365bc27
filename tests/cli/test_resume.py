"""A run that was killed: reports are made from its journal, and ``--resume`` goes on to the same result."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.report.files import RunFolder
from tests.case_tables import from_table
from tests.commands import HELLO, Printed, run_harness, start_harness, write_hello

WIRES = "[openai-chat, anthropic-messages]"
BREAKS = "mutant:event-after-final"
"""A loop that fails in every case."""


Harness = Callable[..., Printed]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three scenarios on two wires, and nothing else."""
    write_hello(tmp_path / "scenarios", "one", "two", "three", wires=WIRES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def killed(folder: Path, cases: int) -> None:
    """Leave what a run leaves that was killed after some cases, in the middle of a line."""
    lines = (folder / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "journal.jsonl").write_bytes(b"".join(lines[: 1 + cases]) + lines[1 + cases][:30])
    for name in ("results.json", "junit.xml", "summary.md", "index.html"):
        (folder / name).unlink()


def results(folder: Path) -> dict[str, Any]:
    """results.json without the times."""
    values: dict[str, Any] = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    values["cases"] = [{**case, "seconds": 0} for case in values["cases"]]
    return {**values, "started": ""}


def test_every_report_of_a_run_that_was_killed_is_made_from_its_journal(harness: Harness, project: Path) -> None:
    run = ("run", "scenarios", "--target", BREAKS, "-j", 1, "--out", "out")
    assert harness(*run).code == 1
    whole = results(project / "out")
    killed(project / "out", 4)
    for name, holds in {
        "json": '"complete": false',
        "junit": "<testsuite",
        "markdown": "**Interrupted: the report has the cases that had finished.**",
        "sarif": '"version": "2.1.0"',
        "github": "::error",
        "terminal": "0 passed, 4 failed",
    }.items():
        printed = harness("report", "out", "--format", name)
        assert (printed.code, holds in printed.out) == (0, True), (name, printed)
        assert "the report is of 4 of 6 cases; the same command with --resume out runs the others" in printed.err
    assert harness("report", "out").code == 0
    assert (project / "out" / "index.html").is_file()
    assert harness("diff", "out", "out").code == 0
    printed = harness(*run, "--resume", "out")
    assert (printed.code, results(project / "out")) == (1, whole)
    assert "resumed: 4 of 6 cases had ended before\n" in printed.out


def test_cases_that_have_ended_are_not_run_again(harness: Harness, project: Path) -> None:
    run = ("run", "scenarios", "-j", 1, "-v", "--out", "out")
    assert harness(*run).code == 0
    killed(project / "out", 4)
    for trace in (project / "out" / "traces").iterdir():
        trace.unlink()
    printed = harness(*run, "--resume", "out")
    assert printed.code == 0
    assert len(list((project / "out" / "traces").glob("*.jsonl"))) == 2
    assert printed.out.count("\n  pass  ") == 2
    assert printed.out.splitlines()[-1] == "6 passed, 0 failed"
    again = harness(*run, "--resume", "out")
    assert (again.code, again.out.count("\n  pass  ")) == (0, 0)


def test_a_run_of_what_failed_goes_on_with_that(harness: Harness, project: Path) -> None:
    """Though by then the last run is the one that was interrupted."""
    first = ("run", "scenarios", "--target", BREAKS, "-j", 1)
    assert harness(*first, "--out", "first").code == 1
    assert harness(*first, "--last-failed", "--wire", "openai-chat", "--out", "out").code == 1
    killed(project / "out", 2)
    (project / ".harness" / "last-run.json").write_text(
        json.dumps({BREAKS: {"failed": ["one.openai-chat.event"], "per_case": None}}), encoding="utf-8"
    )
    printed = harness(*first, "--last-failed", "--wire", "openai-chat", "--resume", "out")
    assert printed.code == 1
    assert len(results(project / "out")["cases"]) == 3


@pytest.mark.sampled(3)
@from_table(__file__, "test_another_run_is_refused_with_everything_that_differs")
def test_another_run_is_refused_with_everything_that_differs(
    harness: Harness, project: Path, change: str, words: tuple[str, ...], problem: str
) -> None:
    run = ("run", "scenarios", "-j", 1)
    assert harness(*run, "--out", "out").code == 0
    killed(project / "out", 4)
    before = (project / "out" / "journal.jsonl").read_bytes()
    if change:
        with (project / change).open("a", encoding="utf-8") as file:
            file.write("# a comment\n")
    printed = harness(*run, *words, "--resume", "out")
    assert (printed.code, problem in printed.err) == (2, True), printed.err
    assert (project / "out" / "journal.jsonl").read_bytes() == before


def test_an_included_file_is_part_of_its_scenario(harness: Harness, project: Path) -> None:
    (project / "scenarios" / "words.txt").write_text("Hello.", encoding="utf-8")
    one = project / "scenarios" / "one.yaml"
    text = HELLO.format(name="one", wires=WIRES)
    one.write_text(text.replace("text: Hello.", "text: !include words.txt"), encoding="utf-8")
    assert harness("run", "scenarios", "-j", 1, "--out", "out").code == 0
    killed(project / "out", 4)
    (project / "scenarios" / "words.txt").write_text("Goodbye.", encoding="utf-8")
    printed = harness("run", "scenarios", "-j", 1, "--resume", "out")
    assert printed.code == 2
    assert "the file scenarios/words.txt is not what it was" in printed.err


def test_a_folder_without_a_journal_is_bad_input(harness: Harness, project: Path) -> None:
    printed = harness("run", "scenarios", "--resume", "nowhere")
    assert printed.code == 2
    assert "expected the results folder of a run with its journal.jsonl" in printed.err
    assert not (project / "nowhere").exists()


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_kill_9_loses_no_verdict_that_was_shown(project: Path, jobs: str) -> None:
    write_hello(project / "scenarios", *(f"more-{number}" for number in range(20)), wires=WIRES)
    words = ("run", "scenarios", "-v", "-j", jobs, "--out", "out")
    shown: list[str] = []
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with start_harness(*words, cwd=project, env=environment, start_new_session=True) as run:
        assert run.stdout is not None
        while len(shown) < 8:
            line = run.stdout.readline()
            shown += [line.split()[1]] if line.startswith("  pass  ") else []
        run.send_signal(signal.SIGKILL)
        rest, _ = run.communicate(timeout=120)
    shown += [line.split()[1] for line in rest.splitlines() if line.startswith("  pass  ") and line.endswith(" s")]
    assert run.returncode == -signal.SIGKILL
    assert not (project / "out" / "results.json").exists()
    report = run_harness("report", "out", "--format", "json", cwd=project)
    assert {case["id"] for case in json.loads(report.stdout)["cases"]} >= set(shown)
    resumed = run_harness(*words, "--resume", "out", cwd=project)
    assert (resumed.returncode, resumed.stdout.splitlines()[-1]) == (0, "46 passed, 0 failed")


# --- one folder, one run ------------------------------------------------------------------------------------


def test_a_second_run_into_the_same_folder_is_refused_with_the_process_of_the_first(project: Path) -> None:
    (project / "out").mkdir()
    with RunFolder(project / "out").locked():
        second = run_harness("run", "scenarios", "-j", "1", "--out", "out", cwd=project)
    assert second.returncode == 2
    assert f"out: another run (process {os.getpid()}) is writing to this folder" in second.stderr


def test_a_lock_that_a_dead_process_has_left_is_none(harness: Harness, project: Path) -> None:
    (project / "out").mkdir()
    (project / "out" / ".lock").write_text("4194304", encoding="utf-8")
    assert harness("run", "scenarios", "-j", 1, "--out", "out").code == 0
    assert not (project / "out" / ".lock").exists()


def test_runs_without_out_have_folders_of_their_own(harness: Harness, project: Path) -> None:
    for _ in range(3):
        assert harness("run", "scenarios/one.yaml", "-j", 1).code == 0
    assert len(list((project / "reports").iterdir())) == 3
