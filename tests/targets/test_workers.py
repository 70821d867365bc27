"""Loops in Python that misbehave, in worker processes: a verdict that says why, and the other cases go on."""

from __future__ import annotations

import multiprocessing
import secrets
import sys
from collections.abc import Iterator
from multiprocessing import resource_tracker, util
from pathlib import Path

import pytest

from harness.endpoint import Endpoints
from harness.errors import BadInput
from harness.runner import processes, worker
from harness.runner.cases import CaseWork
from harness.runner.plan import plan
from harness.runner.processes import Processes
from harness.runner.results import CaseResult
from harness.targets import Declaration, Target
from harness.targets.function import FunctionTarget
from tests.case_tables import from_table
from tests.runner.misbehaving import keep_nothing
from tests.targets.command.running import alive, ended, scenarios

LOOPS = "tests.targets.misbehaving"
ANTHROPIC = Declaration(frozenset({"anthropic-messages"}))


@pytest.fixture(autouse=True)
def _nothing_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No process of the test is there at its end: no worker, and nothing that has the mark in its environment.

    Workers are forks of a prepared process (``tests/forking.py``), whose environment the system has noted, and not
    theirs; but what they start has theirs. ``test_one_that_answers_passes`` starts new ones, which have the mark.
    """
    mark = secrets.token_hex(8)
    resource_tracker.ensure_running()  # it stays, and shall not inherit the mark
    monkeypatch.setenv("TEST_MARK", mark)
    started: list[int] = []
    start = util.spawnv_passfds  # type: ignore[attr-defined]
    monkeypatch.setattr(util, "spawnv_passfds", lambda *what: started.append(start(*what)) or started[-1])
    yield
    assert multiprocessing.active_children() == []
    if sys.platform == "linux":
        for number in [*started, *alive(mark)]:  # it has been killed, and may not have noticed yet
            assert ended(number), number


class Opening:
    """Opens the target in a worker."""

    def __init__(self, address: str) -> None:
        self.address = address

    def __call__(self, endpoints: Endpoints) -> Target:
        return FunctionTarget("misbehaving", self.address, ANTHROPIC)


def misbehave(address: str, folder: Path, deadline: float = 600.0) -> dict[str, CaseResult]:
    """The results by scenario; two workers."""
    opening = Opening(address)
    planned = plan(scenarios(folder), target=opening(Endpoints()))
    told: list[CaseResult] = []
    Processes(CaseWork(opening, keep_nothing, deadline=deadline), jobs=2).run(planned, told.append)
    return {result.scenario: result for result in told}


def the_one(function: str, folder: Path, deadline: float = 600.0) -> CaseResult:
    """The result of the case in which the loop misbehaves. The others have passed."""
    results = misbehave(f"{LOOPS}:{function}", folder, deadline)
    others = {name: result.verdict for name, result in results.items() if name != "case-1"}
    assert others == {"case-0": "pass", "case-2": "pass"}, results
    return results["case-1"]


def test_one_that_answers_passes(tmp_path: Path, new_workers: None) -> None:
    """In new processes, as those of users are."""
    assert the_one("answer", tmp_path).verdict == "pass"


def test_one_that_ends_its_process_is_an_error_with_what_it_printed(tmp_path: Path) -> None:
    result = the_one("end_the_process", tmp_path)
    assert result.verdict == "error"
    assert result.error == (
        "The worker process died twice while it ran this case, now with exit code 7.\n"
        "It had printed:\nnot flushed\nabout to go"
    )


def test_one_that_exits_python_has_failed(tmp_path: Path) -> None:
    result = the_one("exit_python", tmp_path)
    assert result.verdict == "fail"
    assert "expect/outcome" in [each.rule for each in result.findings]


def test_one_that_never_ends_is_killed_with_its_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "GRACE", 0.5)
    result = the_one("for_ever", tmp_path, deadline=1.5)
    assert result.verdict == "fail"
    (hung,) = result.findings
    assert "did not end within 1.5 s and blocked its process" in hung.detail
    assert hung.detail.endswith("round and round")
    assert len(hung.detail) < 5_000


def test_a_flood_is_not_kept_and_reaches_nobody(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert the_one("flood", tmp_path).verdict == "fail"
    assert capfd.readouterr() == ("", "")


def test_one_that_cannot_be_imported_ends_the_run_with_one_message(tmp_path: Path) -> None:
    with pytest.raises(BadInput) as raised:
        misbehave("tests.targets.imports_nothing:run", tmp_path)
    (problem,) = raised.value.problems
    assert problem.startswith("--target tests.targets.imports_nothing:run: cannot import tests.targets.imports_nothing")
    assert "ModuleNotFoundError: No module named 'no_such_package' (" in problem
    assert problem.endswith("imports_nothing.py:3)")


IMPORTED = """
import os, sys, threading, urllib.request
{at_import}
from tests.targets.misbehaving import answer as run
"""


def importing(folder: Path, monkeypatch: pytest.MonkeyPatch, at_import: str) -> str:
    """The address of a loop that answers, with a module that does something else first."""
    name = f"loop_{secrets.token_hex(4)}"
    (folder / f"{name}.py").write_text(IMPORTED.format(at_import=at_import), encoding="utf-8")
    monkeypatch.chdir(folder)
    return f"{name}:run"


@from_table(__file__, "test_a_module_that_raises_or_exits_is_one_message")
def test_a_module_that_raises_or_exits_is_one_message(
    at_import: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = importing(tmp_path, monkeypatch, at_import)
    with pytest.raises(BadInput) as raised:
        misbehave(address, tmp_path)
    (problem,) = raised.value.problems
    assert f"cannot import {address.removesuffix(':run')}: {why}" in problem
    assert "\n" not in problem


def test_a_module_that_never_ends_is_one_message_after_a_time_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has run far beyond the deadline of a case by then, which had not begun."""
    monkeypatch.setattr(processes, "GRACE", 0.0)
    monkeypatch.setattr(worker, "READY", 2.0)
    address = importing(tmp_path, monkeypatch, "print('downloading', flush=True); threading.Event().wait()")
    with pytest.raises(BadInput, match="had not imported what it runs within 2 s") as raised:
        misbehave(address, tmp_path, deadline=0.2)
    assert str(raised.value).endswith("It had printed:\ndownloading")


def test_a_module_that_ends_its_process_is_one_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    address = importing(tmp_path, monkeypatch, "os._exit(5)")
    with pytest.raises(BadInput, match="ended twice before its first case, now with exit code 5"):
        misbehave(address, tmp_path)


def test_a_name_that_is_misspelt_is_one_message_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(BadInput) as raised:
        misbehave(f"{LOOPS}:anser", tmp_path)
    assert raised.value.problems == (
        f"--target {LOOPS}:anser: the module {LOOPS} has no 'anser'; did you mean 'answer'?",
    )


def test_nothing_leaves_the_machine(tmp_path: Path) -> None:
    result = the_one("ask_elsewhere", tmp_path)
    assert result.blocked == ("look up api.example.invalid", "connect 192.0.2.1:80", "send 192.0.2.1:53")


def test_what_a_loop_has_started_ends_with_the_run(tmp_path: Path) -> None:
    assert the_one("leave_a_child", tmp_path).verdict == "pass"
