"""``harness run``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from harness import __version__
from harness.baseline.holding import Coverage, Unneeded, marked, stale, unneeded, xpassed
from harness.baseline.model import Baseline, BaselineEntry
from harness.baseline.versions import OutOfForce, in_force, installed
from harness.cli.interruption import undisturbed
from harness.cli.last_run import LastRun, last_run, remember
from harness.errors import BadInput
from harness.report.files import RunFolder
from harness.report.terminal import Terminal
from harness.runner.calibration import Calibration, calibrate
from harness.runner.cases import CaseWork
from harness.runner.distributed.cluster import Cluster
from harness.runner.execute import DEADLINE, shown
from harness.runner.executor import Executor, InProcess
from harness.runner.judging import Judging
from harness.runner.network import blocked_hosts
from harness.runner.opening import examined, is_own, matrix_for, open_target
from harness.runner.plan import PlannedCase, selected
from harness.runner.processes import Processes, cores
from harness.runner.results import CaseResult, RunResult
from harness.runner.sealed import why_open
from harness.runner.shards import Shard
from harness.runner.sources import SCRIPTED, Sources
from harness.runner.suites import ALL, in_suites, named, usual
from harness.scenario import load, shipped
from harness.sealing.allowed import Sealing
from harness.targets import Isolation, Target
from harness.wire import WireName

__all__ = ["Driven", "RunOptions", "drive", "run"]

_CASES_PER_PROCESS = 100
"""A worker has imported its SDK in the time of about so many short cases."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The options of ``harness run``, and of the commands that run cases, too.

    ``paths`` empty means all scenarios that are shipped, ``jobs`` None as many processes as pay, ``out`` None a new
    folder under ``reports/``, ``cluster`` None this machine, ``shard`` None all cases. ``suites`` are names as
    ``--suite`` takes them; none means all suites if there are ``paths``, else those that are usual for the target.
    ``deadline`` is how many seconds a case may take. ``as_provider``: the target connects to the providers' own hosts.
    ``last_failed``: only the cases that did not pass in the last run; ``failed_first``: these first. ``fail_fast`` ends
    the run after the first case that does not pass. ``config`` is the file that has set defaults of options.
    ``sealing``: whether the target's loops are sealed off.
    """

    paths: Sequence[Path]
    wires: Sequence[WireName]
    target: str
    judging: Judging
    expression: str
    jobs: int | None
    seed: int
    out: Path | None
    sources: Sources = SCRIPTED
    baseline: Baseline | None = None
    cluster: Cluster | None = None
    shard: Shard | None = None
    suites: Sequence[str] = ()
    deadline: float = DEADLINE
    as_provider: bool = False
    last_failed: bool = False
    failed_first: bool = False
    fail_fast: bool = False
    verbosity: int = 0
    max_findings: int | None = None
    config: Path | None = None
    sealing: Sealing = "possible"


class _FailFast(KeyboardInterrupt):
    """A case did not pass, and the user wants the run to end then: executors end it as they do at Ctrl-C."""


@dataclass(frozen=True, slots=True)
class Driven:
    """What a run came to; ``coverage``: of which cases; ``unneeded``: what it has shown to be stale in its baseline."""

    result: RunResult
    coverage: Coverage
    unneeded: Sequence[Unneeded]


def run(options: RunOptions) -> int:
    """Plan and run the cases, judge, report and write the results. Returns the exit code."""
    result = drive(options).result
    return _exit_code(result, stopped=options.fail_fast and any(map(_bad, result.cases)))


def drive(options: RunOptions) -> Driven:
    """The same, for who wants to know what came of it."""
    target = examined(options.target)
    if options.as_provider:
        _check_as_provider(options, target)
    _why_open(options, target)
    with _certificates(options) as certificates:
        return _drive(options, target, certificates)


def _drive(options: RunOptions, target: Target, certificates: Path | None) -> Driven:
    scenarios = load(options.paths or [shipped()])
    suites = _suites(options, target)
    whole = matrix_for(target, options.target, scenarios, seed=options.seed, sources=options.sources)
    there_are = selected(whole, options.wires, options.expression, options.sources)
    in_suite = in_suites(there_are, suites)
    before = last_run(options.target)
    planned = _of_last_run(options, in_suite, before)
    held = [item for item in planned if options.shard is None or options.shard.holds(item.case.id)]
    calibration = _calibrated(options, target, held, certificates)
    if calibration is not None:
        held = calibration.planned(held)
        options = replace(options, judging=calibration.judging(options.judging))
    versions = installed(options.target)
    entries, out_of_force = _entries(options, versions)
    started = datetime.now(UTC)
    folder = RunFolder.create(options.out or Path("reports") / f"run-{started:%Y%m%d-%H%M%S}")
    terminal = Terminal(verbosity=options.verbosity, max_findings=options.max_findings)
    if options.config is not None:
        terminal.note(f"defaults of options: {shown(options.config)}")
    if why := _why_open(options, target):
        terminal.note(f"not sealed: {why}: the loop can reach other services and hosts")
    terminal.out_of_force(out_of_force)
    if not options.suites and len(in_suite) < len(there_are):
        terminal.in_suites(sorted(suites), len(in_suite), len(there_are))
    if options.last_failed:
        terminal.note(_last_failed(options, len(in_suite), planned, before))
    if calibration is not None:
        terminal.calibrated(calibration.left_out, calibration.findings)
    if options.shard is not None:
        terminal.sharded(options.shard, len(held), len(planned))
    per_case = None if before is None else before.per_case
    cases, complete = _run(options, target, held, entries, folder, terminal, certificates, per_case)
    remember(options.target, cases, terminal.seconds)
    coverage = Coverage([item.case.id for item in whole if not item.skip], whole=not options.paths)
    left = unneeded(entries, cases, coverage) if _usual(options) else []
    result = RunResult(
        __version__,
        started.isoformat(timespec="seconds"),
        options.target,
        options.seed,
        xpassed(cases, left),
        complete,
        versions,
        str(options.baseline.path) if options.baseline is not None else None,
        stale(left),
        () if calibration is None else calibration.findings,
        blocked_hosts(cases, target.declaration.allow_refused, skipped=not options.judging.network),
    )
    with undisturbed():
        folder.write_results(result)
        terminal.summary(result, folder.path)
    return Driven(result, coverage, left)


def _calibrated(
    options: RunOptions, target: Target, planned: Sequence[PlannedCase], certificates: Path | None
) -> Calibration | None:
    """The driver's calibration; None where there is nothing to calibrate: a driver that comes along, a replay.

    Raises ``BadInput`` for a driver of which no case can be judged.
    """
    wires = list(dict.fromkeys(item.case.wire for item in planned if not item.skip))
    replayed, elsewhere = options.sources.name != "script", options.cluster is not None
    if not wires or replayed or elsewhere or not is_own(options.target, target):
        return None
    probe = not options.wires and not target.declaration.wires_declared
    calibration = calibrate(
        options.target, wires, probe=probe, deadline=options.deadline, as_provider=certificates, sealing=options.sealing
    )
    if calibration.fatal:
        raise BadInput(*(f"your driver ({each.place}): {each.got.strip()}" for each in calibration.fatal))
    return calibration


def _of_last_run(options: RunOptions, planned: list[PlannedCase], before: LastRun | None) -> list[PlannedCase]:
    """The plan as ``--last-failed`` and ``--failed-first`` have it. As in pytest all cases are run where none of them
    failed last time, so that the option can always be given."""
    failed = frozenset(() if before is None else before.failed)
    if options.last_failed:
        return [item for item in planned if item.case.id in failed] or planned
    return sorted(planned, key=lambda item: item.case.id not in failed) if options.failed_first else planned


def _last_failed(options: RunOptions, selected: int, planned: Sequence[PlannedCase], before: LastRun | None) -> str:
    """What ``--last-failed`` has selected, and why that is everything where it is."""
    if before is None:
        return f"last failed: no earlier run of {options.target} is noted in .harness/ here: running {_cases(selected)}"
    if not before.failed:
        return f"last failed: every case of {options.target} passed in its last run: running {_cases(selected)}"
    if frozenset(before.failed).isdisjoint(item.case.id for item in planned):
        return f"last failed: none of {_cases(len(before.failed))} is selected: running {_cases(selected)}"
    return f"last failed: {len(planned)} of {_cases(selected)}"


def _cases(number: int) -> str:
    return f"{number} case{'' if number == 1 else 's'}"


def _bad(case: CaseResult) -> bool:
    return case.verdict in ("fail", "error")


def _entries(
    options: RunOptions, versions: Mapping[str, str]
) -> tuple[tuple[BaselineEntry, ...], tuple[OutOfForce, ...]]:
    """The entries of the baseline that count in this run, and those that do not because of what is installed."""
    if options.baseline is None:
        return (), ()
    return in_force(options.baseline, versions, provider=options.as_provider)


def _suites(options: RunOptions, target: Target) -> frozenset[str]:
    if options.suites:
        return named(options.suites)
    return ALL if options.paths else usual(target)


def _usual(options: RunOptions) -> bool:
    """Whether cases go and are judged as baselines have it: scripted, by every rule, in the way that is the default."""
    usual = options.sources.name == "script" and not options.judging.words and options.seed == 0
    return usual and not options.judging.excluded


def _check_as_provider(options: RunOptions, target: Target) -> None:
    """Raises ``BadInput`` where the target cannot connect to a provider's host."""
    if options.cluster is not None:
        raise BadInput("--as-provider: the loop must run on this machine; leave --executor out")
    if target.isolation == "in-process":
        raise BadInput(
            f"--as-provider: --target {options.target} is asked within the process of the harness and connects to no "
            "host; name a loop of your own, or one of 'harness targets'"
        )


def _why_open(options: RunOptions, target: Target) -> str:
    """Why the loops are not sealed off, if that is not what the user has asked for; workers of a cluster say it there.

    Raises ``BadInput`` where they must be sealed.
    """
    if options.sealing == "off" or options.cluster is not None:
        return ""
    return why_open(target, options.sources, options.sealing)


def _run(
    options: RunOptions,
    target: Target,
    planned: Sequence[PlannedCase],
    entries: Sequence[BaselineEntry],
    folder: RunFolder,
    terminal: Terminal,
    certificates: Path | None,
    per_case: float | None,
) -> tuple[tuple[CaseResult, ...], bool]:
    """The results in the order of the plan, and whether all are there."""
    work = CaseWork(
        partial(open_target, options.target),
        folder.write_trace,
        options.judging,
        options.deadline,
        options.sources,
        as_provider=certificates,
        sealing=options.sealing,
    )
    executor = _executor(work, options, target.isolation, len(planned))
    finished: dict[str, CaseResult] = {}

    def on_finished(result: CaseResult) -> None:
        finished[result.id] = marked(result, entries)
        terminal.finished(finished[result.id])
        if options.fail_fast and _bad(finished[result.id]) and not stopping:
            stopping.append(result.id)
            raise _FailFast

    complete = True
    stopping: list[str] = []
    try:
        with terminal.progress(options.target, [item.case.id for item in planned], per_case):
            executor.run(planned, on_finished)
    except _FailFast:
        complete = len(finished) == len(planned)
        terminal.stopped(f"after {stopping[0]} (--fail-fast)")
    except KeyboardInterrupt:
        complete = False
    return tuple(finished[item.case.id] for item in planned if item.case.id in finished), complete


def _certificates(options: RunOptions) -> AbstractContextManager[Path | None]:
    """A folder for the certificates of a run as provider, which is removed at its end."""
    if not options.as_provider:
        return nullcontext()
    return _folder()


@contextmanager
def _folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="harness-certificates-") as folder:
        yield Path(folder)


def _executor(
    work: CaseWork, options: RunOptions, isolation: Isolation, cases: int
) -> Executor[PlannedCase, CaseResult]:
    """By default one process per core, as far as there are cases to pay for their start.

    One is this process, but for loops that others have written, which must not run in it.
    """
    jobs = options.jobs
    if options.cluster is not None:
        from harness.runner.distributed.cases import DistributedCases

        return DistributedCases(work, options.cluster, isolation)
    if isolation == "command":
        return InProcess(work, jobs or cores())
    if jobs is None:
        jobs = min(cores(), 1 + cases // _CASES_PER_PROCESS)
    return InProcess(work) if jobs == 1 and isolation == "in-process" else Processes(work, jobs)


def _exit_code(result: RunResult, *, stopped: bool) -> int:
    totals = result.totals
    if not result.complete and not stopped:
        return 130
    if totals["error"]:
        return 3
    blocked = any(not each.allowed for each in result.blocked)
    return 1 if totals["fail"] or result.stale or result.driver_problems or blocked else 0
