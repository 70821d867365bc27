"""A cluster on loopback: what is found there is what is found here, and none of it is lost. Real processes."""

from __future__ import annotations

import _thread
import re
import socket
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from multiprocessing import util
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import pytest

from harness.endpoint import Endpoints
from harness.errors import BadInput
from harness.report.files import RunFolder
from harness.runner.cases import CaseWork
from harness.runner.distributed import cluster as clusters
from harness.runner.distributed import errand, executor
from harness.runner.distributed.cases import DistributedCases, packed
from harness.runner.distributed.cluster import Cluster
from harness.runner.distributed.executor import Distributed
from harness.runner.executor import Executor, InProcess
from harness.runner.judging import judging
from harness.runner.opening import open_target, plan_for
from harness.runner.plan import PlannedCase, plan
from harness.runner.processes import Processes
from harness.runner.results import CaseResult
from harness.targets import Target
from harness.trace import canonical
from harness.trace import load as load_trace
from harness.wire import NATIVE_WIRES, WireName
from tests.forking import POSSIBLE, SPAWNED
from tests.runner.distributed.forked_hosts import fork_worker
from tests.runner.misbehaving import WAITS, Misbehaving, keep_nothing, killing, numbered, runs
from tests.scenarios import shipped_scenarios
from tests.sdks import Deferred, needs
from tests.targets.command.running import program, scenarios

pytestmark = [needs("distributed", "the extra dask is not installed"), pytest.mark.exhaustive]

distributed, dask, psutil = Deferred("distributed"), Deferred("dask"), Deferred("psutil")

GONE = 30
"""Seconds after which a process that should have ended hangs."""


@contextmanager
def started(folder: Path, workers: int = 2, **more: object) -> Iterator[distributed.LocalCluster]:
    """A scheduler, and workers in processes of their own, each with a nanny that starts another where it dies.

    The workers and the hosts that they start are forks of prepared processes, where that is possible. Hosts that are
    started anew do the batches of ``test_a_cluster_of_this_machines_own_is_started_and_ended``.
    """
    with (
        patch.object(util, "spawnv_passfds", fork_worker if POSSIBLE else SPAWNED),
        distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            local_directory=str(folder),
            silence_logs=50,
            **more,
        ) as cluster,
    ):
        yield cluster


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with started(tmp_path_factory.mktemp("dask")) as cluster:
        yield cluster.scheduler_address


def work_on(folder: Path, does: Mapping[str, str], deadline: float = 60.0) -> CaseWork:
    return CaseWork(partial(Misbehaving, folder, does), keep_nothing, judging(["preview"]), deadline)


def misbehave(folder: Path, does: Mapping[str, str], cluster: Cluster, count: int = 4) -> dict[str, CaseResult]:
    """Results by scenario; each case is told once."""
    planned = numbered(folder, count)
    told: list[CaseResult] = []
    DistributedCases(work_on(folder, does), cluster, "in-process").run(planned, told.append)
    assert sorted(result.id for result in told) == [item.case.id for item in planned]
    return {result.scenario: result for result in told}


def verdicts(results: Mapping[str, CaseResult]) -> dict[str, str]:
    """The verdicts other than pass."""
    return {name: result.verdict for name, result in results.items() if result.verdict != "pass"}


# --- the same as here ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "scenario", "wires", "verdicts"),
    [  # without an SDK on every wire that it speaks; with one, which every batch has to import, on a single one
        ("wire-only", "retries-run-out", NATIVE_WIRES, {"pass"}),
        ("mutant:result-dropped", "parallel-calls", ("anthropic-messages",), {"fail"}),
    ],
)
def test_what_is_found_does_not_depend_on_where_it_is_run(
    target: str, scenario: str, wires: Sequence[WireName], verdicts: set[str], tmp_path: Path, scheduler: str
) -> None:
    planned = plan(
        shipped_scenarios("universal"),
        target=open_target(target, Endpoints()),
        wires=wires,
        expression=f"{scenario}. and event",
    )
    assert {item.case.wire for item in planned} == set(wires)
    makes: dict[str, Callable[[CaseWork], Executor[PlannedCase, CaseResult]]] = {
        "here": InProcess,
        "pool": partial(Processes, jobs=2),
        "dask": lambda work: DistributedCases(work, Cluster(scheduler), "in-process"),
    }
    results: dict[str, dict[str, CaseResult]] = {}
    for name, make in makes.items():
        told = results[name] = {}
        work = CaseWork(partial(open_target, target), RunFolder.create(tmp_path / name).write_trace)
        make(work).run(planned, lambda result, told=told: told.update({result.id: replace(result, seconds=0)}))
    assert results["here"] == results["pool"] == results["dask"]
    assert set(results["here"]) == {item.case.id for item in planned}
    assert {result.verdict for result in results["here"].values()} == verdicts
    for result in results["here"].values():
        assert result.trace is not None
        here, there = (canonical(load_trace(tmp_path / name / result.trace)) for name in ("here", "dask"))
        assert here == there, result.id


@pytest.mark.exhaustive
def test_a_cluster_of_this_machines_own_is_started_and_ended(tmp_path: Path) -> None:
    before = {each.pid for each in psutil.Process().children(recursive=True)}
    """Its hosts and their workers are started anew, as those of users are."""
    assert verdicts(misbehave(tmp_path, {}, Cluster(jobs=2), count=2)) == {}
    assert {each.pid for each in psutil.Process().children(recursive=True)} <= before


def test_a_loop_of_others_reaches_nobody_and_its_worker_still_does(tmp_path: Path, scheduler: str) -> None:
    address = "tests.targets.misbehaving:ask_elsewhere"
    planned = plan_for(address, scenarios(tmp_path))
    for _ in range(3):  # a worker that had lost its scheduler would not come back
        told: list[CaseResult] = []
        work = CaseWork(partial(open_target, address), keep_nothing, judging(["preview"]))
        DistributedCases(work, Cluster(scheduler), "worker").run(planned, told.append)
        blocked = {result.scenario: result.blocked for result in told}
        assert "connect 192.0.2.1:80" in blocked.pop("case-1")
        assert blocked == {"case-0": (), "case-2": ()}


def test_a_loop_that_is_a_command_is_run_there_too(tmp_path: Path, scheduler: str) -> None:
    told: list[CaseResult] = []
    planned = plan(scenarios(tmp_path), target=command(Endpoints()))
    DistributedCases(CaseWork(command, keep_nothing), Cluster(scheduler), "command").run(planned, told.append)
    found = {result.scenario: result.verdict for result in told}
    assert found == {"case-0": "pass", "case-1": "fail", "case-2": "pass"}


def command(_endpoints: Endpoints) -> Target:
    return program("exit_three", {})


def test_what_repeats_a_case_is_typed_where_the_run_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (planned,) = numbered(tmp_path, 1)
    monkeypatch.chdir(tmp_path)
    sent = packed(planned)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    told: list[CaseResult] = []
    InProcess(CaseWork(partial(Misbehaving, tmp_path, {}), keep_nothing)).run([sent], told.append)
    assert told[0].repeat.startswith("harness run scenarios/00.yaml ")


# --- those that die -----------------------------------------------------------------------------------------


def test_a_worker_of_the_cluster_that_is_killed_in_the_middle_changes_nothing(tmp_path: Path, scheduler: str) -> None:
    killed: list[psutil.Process] = []

    def kill(loop: int) -> None:
        """The worker in the cluster, whose child is the host of the batch, whose child runs the loop."""
        killed.append(psutil.Process(loop))
        killed.extend(killed[0].parents()[:2])
        killed[-1].kill()

    with killing(tmp_path, kill):
        results = misbehave(tmp_path, {"case-03": WAITS}, Cluster(scheduler))
    assert verdicts(results) == {}
    assert Counter(runs(tmp_path))["case-03"] == 2
    assert psutil.wait_procs(killed, GONE)[1] == []  # what it had started has ended with it


def test_a_batch_whose_process_is_killed_is_done_again_case_by_case(tmp_path: Path, scheduler: str) -> None:
    with killing(tmp_path, lambda loop: psutil.Process(loop).parent().kill()):
        results = misbehave(tmp_path, {"case-03": WAITS}, Cluster(scheduler))
    assert verdicts(results) == {}
    assert Counter(runs(tmp_path))["case-03"] == 2


def test_a_case_that_ends_what_runs_its_batch_twice_is_an_error_that_says_so(tmp_path: Path, scheduler: str) -> None:
    results = misbehave(tmp_path, {"case-03": "kill the parent"}, Cluster(scheduler))
    assert verdicts(results) == {"case-03": "error"}
    assert results["case-03"].error == "The process died twice while it ran this case, now with signal SIGKILL."
    assert results["case-03"].trace is None
    assert Counter(runs(tmp_path))["case-03"] == 2


def test_a_case_that_ends_its_own_process_twice_is_told_as_it_is_here(tmp_path: Path, scheduler: str) -> None:
    results = misbehave(tmp_path, {"case-03": "os._exit"}, Cluster(scheduler))
    assert verdicts(results) == {"case-03": "error"}
    assert results["case-03"].error == "The worker process died twice while it ran this case, now with exit code 7."


@pytest.mark.exhaustive
def test_when_the_scheduler_has_given_up_a_batch_its_cases_are_tried_one_by_one(tmp_path: Path) -> None:
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}), started(tmp_path / "dask", 1) as cluster:
        kills = {"case-01": "kill the worker of the cluster"}
        results = misbehave(tmp_path, kills, Cluster(cluster.scheduler_address), count=2)
    assert verdicts(results) == {"case-01": "error"}
    assert results["case-01"].error == ("Nothing else was running when one worker of the cluster died with this case.")


def test_when_everything_dies_the_run_ends_all_the_same(
    tmp_path: Path, scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executor, "MOST_DEATHS", 3)
    does = {f"case-{number:02}": "kill the parent" for number in range(20)}
    results = misbehave(tmp_path, does, Cluster(scheduler), count=20)
    assert set(verdicts(results).values()) == {"error"}
    assert len(verdicts(results)) == 20
    assert "Not run: 3 batches in a row ended those that did them." in {each.error for each in results.values()}


@pytest.mark.exhaustive
def test_when_nobody_is_left_to_work_the_run_ends_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor, "PATIENCE", 0.0)
    with started(tmp_path / "dask", 1) as cluster:

        def kill(loop: int) -> None:
            cluster.scale(0)

        with killing(tmp_path, kill):
            results = misbehave(tmp_path, {"case-03": WAITS}, Cluster(cluster.scheduler_address))
    assert {each.error for each in results.values()} == {"Not run: the cluster had no worker for 0 s."}


@pytest.mark.exhaustive
def test_when_the_scheduler_has_gone_the_run_ends_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "REACHED", 2.0)
    with started(tmp_path / "dask", 1) as cluster, killing(tmp_path, lambda loop: cluster.close()):
        results = misbehave(tmp_path, {"case-03": WAITS}, Cluster(cluster.scheduler_address))
    assert {each.error for each in results.values()} == {"Not run: the connection to the scheduler was lost."}


# --- a run that ends early ----------------------------------------------------------------------------------


def test_an_interrupted_run_tells_what_is_there_and_ends_what_it_started(tmp_path: Path, scheduler: str) -> None:
    planned = numbered(tmp_path, 4)
    told: list[CaseResult] = []
    begun: list[psutil.Process] = []

    def interrupt(loop: int) -> None:
        begun.extend([psutil.Process(loop), psutil.Process(loop).parent()])
        _thread.interrupt_main()

    work = work_on(tmp_path, {"case-01": WAITS})
    with killing(tmp_path, interrupt), pytest.raises(KeyboardInterrupt):
        DistributedCases(work, Cluster(scheduler), "in-process").run(planned, told.append)
    assert psutil.wait_procs(begun, GONE)[1] == []
    scenarios = {result.scenario for result in told}
    assert "case-00" in scenarios  # of the batch in which the other never ends
    assert "case-01" not in scenarios


def test_what_no_case_is_to_blame_for_ends_the_run(tmp_path: Path, scheduler: str) -> None:
    work = CaseWork(partial(Misbehaving, tmp_path), keep_nothing)  # it cannot be opened
    with pytest.raises(RuntimeError, match=r"Misbehaving\.__init__"):
        DistributedCases(work, Cluster(scheduler), "in-process").run(numbered(tmp_path, 2), lambda _: None)


def test_what_the_user_can_correct_is_told_in_their_words(tmp_path: Path, scheduler: str) -> None:
    work = CaseWork(partial(open_target, "no_such_package.agent:run"), keep_nothing)
    with pytest.raises(BadInput, match="no package 'no_such_package' can be imported"):
        DistributedCases(work, Cluster(scheduler), "worker").run(numbered(tmp_path, 2), lambda _: None)


def test_a_worker_without_the_harness_is_told(tmp_path: Path, scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here it lacks one module, which is only in this process."""
    module = ModuleType("only_here")
    exec("def ready(): pass", vars(module))  # noqa: S102 - a function of that module
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(errand, "ready", module.ready)
    with pytest.raises(BadInput) as refused:
        misbehave(tmp_path, {}, Cluster(scheduler))
    assert len(refused.value.problems) == 2  # both workers; the scheduler is in this process
    for problem in refused.value.problems:
        assert re.match(
            r"tcp://\S+ of the cluster: .*No module named 'only_here'.*: expected agent-loop-harness", problem
        )


def test_a_worker_with_another_version_of_the_harness_is_not_worked_with(
    tmp_path: Path, scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executor, "__version__", "0.0.0")
    with pytest.raises(BadInput, match=r"this is 0\.0\.0"):
        misbehave(tmp_path, {}, Cluster(scheduler))


# --- which cluster ------------------------------------------------------------------------------------------


def test_a_scheduler_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "REACHED", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    with pytest.raises(BadInput, match=f"dask:tcp://127.0.0.1:{port}: no scheduler can be reached there"):
        Distributed(None, Cluster(f"tcp://127.0.0.1:{port}"), InProcess(None)).run([1], lambda _: None)


def test_a_scheduler_without_workers_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "FIRST_WORKER", 0.2)
    with started(tmp_path, 0) as cluster, pytest.raises(BadInput, match=r"has had no worker for 0\.2 s; start some"):
        Distributed(None, Cluster(cluster.scheduler_address), InProcess(None)).run([1], lambda _: None)


def test_nothing_to_do_needs_no_cluster() -> None:
    told: list[CaseResult] = []
    Distributed(None, Cluster("tcp://127.0.0.1:1"), InProcess(None)).run([], told.append)
    assert told == []
