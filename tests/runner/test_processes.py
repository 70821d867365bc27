"""Worker processes: the same results as without them, and none lost, whatever happens to a worker. Real processes."""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from harness.endpoint import Endpoints
from harness.errors import Breakdown
from harness.report.files import RunFolder
from harness.runner import processes
from harness.runner.cases import CaseWork
from harness.runner.executor import InProcess
from harness.runner.judging import judging
from harness.runner.opening import open_target
from harness.runner.plan import PlannedCase, plan
from harness.runner.processes import Processes
from harness.runner.results import CaseResult
from harness.trace import canonical
from harness.trace import load as load_trace
from tests.runner.misbehaving import WAITS, Misbehaving, Telling, keep_nothing, killing, no_room, numbered, runs
from tests.scenarios import shipped_scenarios


def reference_cases(expression: str, wires: Sequence[str] = ()) -> list[PlannedCase]:
    target = open_target("reference", Endpoints())
    return plan(shipped_scenarios("universal"), target=target, wires=wires, expression=expression)


def misbehave(
    folder: Path, does: Mapping[str, str], count: int = 12, jobs: int = 2, deadline: float = 60.0
) -> dict[str, CaseResult]:
    """Results by scenario. Every case ends once, and no process is left."""
    planned = numbered(folder, count)
    work = CaseWork(partial(Misbehaving, folder, does), keep_nothing, judging(["preview"]), deadline)
    told: list[CaseResult] = []
    Processes(work, jobs).run(planned, told.append)
    assert multiprocessing.active_children() == []
    assert sorted(result.id for result in told) == [item.case.id for item in planned]
    return {result.scenario: result for result in told}


def verdicts(results: Mapping[str, CaseResult]) -> dict[str, str]:
    """The verdicts other than pass."""
    return {name: result.verdict for name, result in results.items() if result.verdict != "pass"}


# --- the same as in one process -----------------------------------------------------------------------------


@pytest.mark.exhaustive
def test_two_processes_find_what_one_finds_and_record_the_same(tmp_path: Path) -> None:
    planned = reference_cases("(tool-returns. or parallel-calls or retries-run-out) and event")
    assert {item.case.wire for item in planned} >= {"openai-responses", "openai-chat", "anthropic-messages"}
    folders = [RunFolder.create(tmp_path / name) for name in ("one", "two")]
    one, two = ({}, {})
    for folder, results, make in zip(folders, (one, two), (InProcess, partial(Processes, jobs=2)), strict=True):
        work = CaseWork(partial(open_target, "reference"), folder.write_trace)
        make(work).run(planned, lambda result, results=results: results.update({result.id: replace(result, seconds=0)}))
    assert one == two
    assert list(one) == [item.case.id for item in planned]
    for result in one.values():
        here, there = (canonical(load_trace(folder.path / result.trace)) for folder in folders)
        assert here == there, result.id


def test_a_worker_imports_only_the_sdks_that_its_cases_need(tmp_path: Path, new_workers: None) -> None:
    planned = reference_cases("tool-returns. and event", ["openai-responses", "openai-chat", "gemini-generate"])
    told: list[CaseResult] = []
    Processes(CaseWork(partial(Telling, tmp_path), keep_nothing), jobs=2).run(planned, told.append)
    assert [result.verdict for result in told] == ["pass"] * 3
    imported = [json.loads(path.read_text(encoding="utf-8")) for path in tmp_path.glob("*.json")]
    assert sorted(imported) == [["google.genai"], ["openai"]]


def test_what_is_sent_to_a_worker_arrives_as_it_was() -> None:
    planned = reference_cases("")
    assert pickle.loads(pickle.dumps(planned)) == planned  # noqa: S301 - our own bytes
    assert len(pickle.dumps(planned)) / len(planned) < 4096


def test_targets_are_closed_when_all_is_done(tmp_path: Path) -> None:
    misbehave(tmp_path, {})
    assert (tmp_path / "closed").read_text(encoding="utf-8").count("closed") in (1, 2)


def test_no_more_workers_are_started_than_there_is_work_for(tmp_path: Path) -> None:
    misbehave(tmp_path, {}, count=1, jobs=8)
    assert (tmp_path / "closed").read_text(encoding="utf-8").count("closed") == 1


# --- workers that die ---------------------------------------------------------------------------------------


def test_a_case_whose_worker_was_killed_is_run_once_more_and_no_other_is(tmp_path: Path) -> None:
    results = misbehave(tmp_path, {"case-04": "killed once"})
    assert verdicts(results) == {}
    assert {name: count for name, count in Counter(runs(tmp_path)).items() if count > 1} == {"case-04": 2}


def test_a_worker_that_somebody_kills_in_the_middle_changes_nothing(tmp_path: Path) -> None:
    with killing(tmp_path, lambda worker: os.kill(worker, signal.SIGKILL)):
        results = misbehave(tmp_path, {"case-04": WAITS})
    assert verdicts(results) == {}
    assert {name: count for name, count in Counter(runs(tmp_path)).items() if count > 1} == {"case-04": 2}


def test_a_case_that_ends_two_workers_is_an_error_that_says_so(tmp_path: Path) -> None:
    results = misbehave(tmp_path, {"case-04": "os._exit"})
    assert verdicts(results) == {"case-04": "error"}
    assert results["case-04"].error == "The worker process died twice while it ran this case, now with exit code 7."
    assert results["case-04"].trace is None
    assert Counter(runs(tmp_path))["case-04"] == 2


def test_a_target_that_asks_for_the_end_of_its_process_ends_its_case_alone(tmp_path: Path) -> None:
    results = misbehave(tmp_path, {"case-04": "sys.exit"})
    assert verdicts(results) == {"case-04": "error"}
    assert "SystemExit: 5" in (results["case-04"].error or "")
    assert Counter(runs(tmp_path))["case-04"] == 1


def test_a_worker_that_dies_between_two_cases_costs_none_of_them(tmp_path: Path) -> None:
    results = misbehave(tmp_path, {"case-01": "exit after it"})
    assert verdicts(results) == {}
    assert Counter(runs(tmp_path))["case-01"] == 1


def test_when_every_worker_dies_the_run_ends_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "MOST_DEATHS", 4)
    results = misbehave(tmp_path, {f"case-{number:02}": "os._exit" for number in range(20)}, count=20)
    assert set(verdicts(results).values()) == {"error"}
    assert len(verdicts(results)) == 20
    assert "Not run: 4 worker processes in a row died" in (results["case-19"].error or "")


@pytest.mark.parametrize(("deadline", "seconds"), [(0.5, 2.0), (5.0, 5.0), (60.0, 15.0)])
def test_a_short_deadline_has_a_short_grace(deadline: float, seconds: float) -> None:
    """Who asks for ``--timeout 2`` does not wait 17 s for a case that blocks its process."""
    assert processes.grace(deadline) == seconds


def test_a_case_that_blocks_its_process_is_ended_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "GRACE", 0.5)
    results = misbehave(tmp_path, {"case-04": "block"}, deadline=1.0)
    assert verdicts(results) == {"case-04": "fail"}
    (hung,) = results["case-04"].findings
    assert hung.rule == "target/end"
    assert "did not end within 1 s and blocked its process" in hung.detail
    assert Counter(runs(tmp_path))["case-04"] == 1


def test_what_no_case_is_to_blame_for_ends_the_run(tmp_path: Path) -> None:
    work = CaseWork(partial(Misbehaving, tmp_path, {}), no_room, judging(["preview"]))
    with pytest.raises(Breakdown, match="a worker: No space left on device; make room on the disk, then run again"):
        Processes(work, jobs=2).run(numbered(tmp_path, 4), lambda _: None)
    assert multiprocessing.active_children() == []


KILLED = """\
import os, signal
from multiprocessing import util
from harness.runner.printed import Printed
from harness.runner.processes import start_worker

spawned = util.spawnv_passfds

def die(path, words, passed):
    process = spawned(path, words, passed)
    if "spawn_main" in str(words):  # and not multiprocessing's own helper
        os.kill(os.getpid(), signal.SIGKILL)
    return process

if __name__ == "__main__":
    util.spawnv_passfds = die
    start_worker(None, Printed().writer, sealed=False)
"""
"""It is killed when a worker has started, and before it has said what is to be done."""


@pytest.mark.skipif(os.name != "posix", reason="on Windows a worker prints where the harness does")
def test_a_worker_whose_parent_was_killed_prints_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "killed.py").write_text(KILLED, encoding="utf-8")
    done = subprocess.run([sys.executable, "killed.py"], cwd=tmp_path, stderr=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (-signal.SIGKILL, "")
