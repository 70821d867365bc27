"""The work of ``harness run``: cases are planned, run and reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from harness import __version__
from harness.baseline.holding import Coverage, Unneeded, marked_driver, stale, unneeded, xpassed
from harness.baseline.model import BaselineEntry
from harness.baseline.versions import OutOfForce, in_force, installed
from harness.cli.interruption import undisturbed
from harness.cli.last_run import LastRun, last_run, remember
from harness.cli.resuming import as_planned, check_same, interrupted_run, plan_of
from harness.cli.run_options import RunOptions
from harness.cli.running import RunInProgress, noted
from harness.errors import BadInput, Breakdown, HarnessError
from harness.report.files import RunFolder
from harness.report.journal import JOURNAL, Journal, Journaled, JournalHead
from harness.report.terminal import Terminal
from harness.runner.cases import CaseWork
from harness.runner.execute import DEADLINE
from harness.runner.executor import Executor, InProcess
from harness.runner.opening import examined, is_own, matrix_for, open_target
from harness.runner.paths import shown
from harness.runner.plan import PlannedCase, asked, at_server, in_dialects, selected
from harness.runner.processes import Processes, cores
from harness.runner.redacting import gated
from harness.runner.results import CaseResult, RunResult, calibrated
from harness.runner.sealed import files_note, open_note, seals_workers, stays_open, versions_of, why_open
from harness.runner.selection import NeededScenarios
from harness.runner.sources import SCRIPTED
from harness.runner.suites import ALL, in_suites, named, usual
from harness.scenario import load, shipped
from harness.scenario.loader import load_needed
from harness.targets import Isolation, Target

if TYPE_CHECKING:
    from harness.doctor import Calibration

_CASES_PER_PROCESS = 100
"""A worker has imported its SDK in the time of about so many short cases."""


@dataclass(frozen=True, slots=True)
class Driven:
    """The result of a run. ``coverage`` names the cases that it contains, ``unneeded`` what is stale in its baseline.

    ``folder`` has its results; ``left_out`` are existing cases that the run was not asked for.
    """

    result: RunResult
    coverage: Coverage
    unneeded: Sequence[Unneeded]
    folder: Path
    left_out: frozenset[str]


def run(options: RunOptions) -> int:
    """Plan and run the cases, judge, report and write the results. Returns the exit code."""
    if options.against is not None:
        from harness.cli.against import check_base

        check_base(options.against, options.resume or options.out)
    if options.otlp:
        from harness.cli.exported import check_destination

        check_destination(options.otlp)
    driven = drive(options)
    result = driven.result
    if options.otlp:
        from harness.cli.exported import send_spans

        send_spans(result, driven.folder, options.otlp)
    code = _exit_code(result, stopped=options.fail_fast and any(map(_bad, result.cases)))
    if options.against is not None:
        from harness.cli.against import changed

        if changed(options.against, driven.folder, driven.left_out):
            return code or 1
    return code


def drive(options: RunOptions) -> Driven:
    """Plan and run the cases, judge, report and write the results. Returns the results themselves."""
    target = examined(options.target)
    options = replace(options, deadline=options.deadline or target.declaration.timeout or DEADLINE)
    if options.as_provider:
        _check_as_provider(options, target)
    _why_open(options, target)
    with _certificates(options) as certificates:
        return _drive(options, target, certificates)


def cases_of(options: RunOptions) -> list[str]:
    """The ids of all cases that the target can run of the scenarios, as ``Coverage`` has them."""
    target = examined(options.target)
    there_are = matrix_for(target, options.target, load(options.paths or [shipped()]), seed=0, sources=SCRIPTED)
    return [item.case.id for item in there_are if not item.skip]


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a run consists of. ``whole`` is all planned cases, ``held`` the part that runs here, ``before`` the run that
    it resumes. The terminal prints ``notes`` first. ``narrowed``: scenarios that are not needed were not read."""

    whole: Sequence[PlannedCase]
    held: Sequence[PlannedCase]
    calibration: Calibration | None
    before: Journaled | None
    last: LastRun | None
    notes: Sequence[Callable[[Terminal], None]]
    narrowed: bool


def _drive(options: RunOptions, target: Target, certificates: Path | None) -> Driven:
    plan = _run_plan(options, target, certificates)
    if plan.calibration is not None:
        options = replace(options, judging=plan.calibration.judging(options.judging))
    versions = installed(options.target) or dict(versions_of(target, options.sources, options.sealing))
    entries, out_of_force = _entries(options, versions)
    plan = _with_known(plan, options, entries)
    head = _head(options, target, plan, versions)
    folder = _folder_of(options)
    with folder.locked():
        terminal = Terminal(verbosity=options.verbosity, max_findings=options.max_findings)
        if options.config is not None:
            terminal.note(f"defaults of options: {shown(options.config)}")
        if why := _why_open(options, target):
            terminal.note(open_note(why))
        elif options.sealing != "off" and options.cluster is None and (open_files := files_note(target)):
            terminal.note(open_files)
        terminal.out_of_force(out_of_force)
        for note in plan.notes:
            note(terminal)
        if plan.calibration is not None:
            terminal.calibrated(plan.calibration.left_out, plan.calibration.findings)
        running = _begun(options, head, folder, terminal, entries)
        try:
            _run(options, target, plan, folder, running, certificates)
            with undisturbed():
                return _conclude_run(options, plan, head, entries, folder, running)
        finally:
            running.journal.close()


def _run_plan(options: RunOptions, target: Target, certificates: Path | None) -> _Plan:
    before = None if options.resume is None else interrupted_run(options.resume)
    if options.dialects and options.sources.name != SCRIPTED.name:
        raise BadInput(f"--dialect: --source {options.sources.name} answers as it was recorded; leave one of them out")
    last = last_run(options.target)
    failed = last.failed if options.last_failed and last is not None and before is None else ()
    needed = None if options.against else NeededScenarios(options.expression, failed)
    suites = _suites(options, target)
    try:
        whole, there_are, in_suite = _cases_of(options, target, suites, needed)
    except BadInput:
        if needed is None or not needed.narrowed:
            raise
        needed = None  # the message counts all cases
        whole, there_are, in_suite = _cases_of(options, target, suites, needed)
    planned = _of_last_run(options, in_suite, last) if before is None else _of_resumed(options, in_suite, before)
    held = [item for item in planned if options.shard is None or options.shard.holds(item.case.id)]
    calibration = _calibration(options, target, held, certificates)
    notes: list[Callable[[Terminal], None]] = []
    if not options.suites and len(in_suite) < len(there_are):
        notes.append(lambda terminal: terminal.in_suites(sorted(suites), len(in_suite), len(there_are)))
    if options.last_failed and before is None:
        notes.append(lambda terminal: terminal.note(_last_failed(options, len(in_suite), planned, last)))
    if calibration is not None:
        held = calibration.planned(held)
    if options.shard is not None:
        shard, number = options.shard, len(held)
        notes.append(lambda terminal: terminal.sharded(shard, number, len(planned)))
    narrowed = needed is not None and needed.narrowed
    return _Plan(whole, held, calibration, before, last, notes, narrowed)


def _cases_of(
    options: RunOptions, target: Target, suites: frozenset[str], needed: NeededScenarios | None
) -> tuple[list[PlannedCase], list[PlannedCase], list[PlannedCase]]:
    """All cases of the scenarios that are needed, those that are selected, and those of them in the suites."""
    scenarios = load_needed(options.paths or [shipped()], needed)
    matrix = matrix_for(
        target, options.target, scenarios, seed=options.seed, sources=options.sources, transport=options.transport
    )
    whole = at_server(options.server, in_dialects(options.dialects, asked(matrix, options.wires)))
    there_are = selected(whole, options.wires, options.expression, options.sources)
    return whole, there_are, in_suites(there_are, suites)


def _with_known(plan: _Plan, options: RunOptions, entries: Sequence[BaselineEntry]) -> _Plan:
    """The plan, with the reason beside every problem of the driver that is expected, or that is not asked for."""
    if plan.calibration is None:
        return plan
    skipped = options.judging.skipped
    found = marked_driver(plan.calibration.findings, entries)
    found = tuple(replace(each, known="--skip") if each.rule in skipped else each for each in found)
    return replace(plan, calibration=replace(plan.calibration, findings=found))


def _of_resumed(options: RunOptions, in_suite: list[PlannedCase], before: Journaled) -> list[PlannedCase]:
    """The plan of a resumed run: the same as before, whatever ``--last-failed`` would select now."""
    if options.last_failed:
        were = frozenset(before.head.planned)
        in_suite = [item for item in in_suite if item.case.id in were]
    return as_planned(before, in_suite)


def _head(options: RunOptions, target: Target, plan: _Plan, versions: Mapping[str, str]) -> JournalHead:
    """The first line of the journal. A resumed run keeps its old line, if it is still the same run."""
    run = RunResult(
        __version__,
        datetime.now(UTC).isoformat(timespec="seconds"),
        options.target,
        options.seed,
        complete=False,
        versions=versions,
        baseline=str(options.baseline.path) if options.baseline is not None else None,
        driver=() if plan.calibration is None else plan.calibration.findings,
    )
    head = JournalHead(
        run,
        tuple(item.case.id for item in plan.held),
        plan_of(options, plan.held, versions),
        tuple(target.declaration.allow_refused),
        options.judging.network,
    )
    if plan.before is None or options.resume is None:
        return head
    check_same(options.resume, plan.before.head, head)
    return plan.before.head


def _folder_of(options: RunOptions) -> RunFolder:
    """The folder of the results. Raises ``BadInput`` if ``--out`` and ``--resume`` name different folders."""
    if options.resume is not None:
        if options.out is not None and options.out.resolve() != options.resume.resolve():
            raise BadInput(f"--out {options.out}: expected {options.resume}, where --resume goes on; leave --out away")
        return RunFolder.create(options.resume)
    return RunFolder.create(options.out) if options.out is not None else RunFolder.unused(Path("reports"))


def _begun(
    options: RunOptions, head: JournalHead, folder: RunFolder, terminal: Terminal, entries: Sequence[BaselineEntry]
) -> RunInProgress:
    """The run with its journal. A resumed run keeps its journal and the cases that have ended."""
    if options.resume is None:
        return RunInProgress(folder.begin(head), terminal, entries, options.fail_fast)
    before = interrupted_run(options.resume)  # read again: nobody else writes to it now
    running = RunInProgress(Journal(folder.path / JOURNAL, before.size), terminal, entries, options.fail_fast)
    running.finished.update((case.id, case) for case in before.cases)
    terminal.note(f"resumed: {len(running.finished)} of {_cases(len(head.planned))} had ended before")
    return running


def _conclude_run(
    options: RunOptions,
    plan: _Plan,
    head: JournalHead,
    entries: Sequence[BaselineEntry],
    folder: RunFolder,
    running: RunInProgress,
) -> Driven:
    """Report and write the result of the run. Raises ``BadInput`` or ``Breakdown`` for what has ended it early."""
    cases = tuple(running.finished[case] for case in head.planned if case in running.finished)
    driven = () if plan.calibration is None else calibrated(plan.calibration.findings, plan.calibration.judged_on)
    there_are = [*(item.case.id for item in plan.whole if not item.skip), *(case.id for case in driven)]
    coverage = Coverage(there_are, whole=not options.paths and not plan.narrowed, excluded=options.judging.excluded)
    left = unneeded(entries, (*cases, *driven), coverage) if _usual(options) else []
    result = replace(head.result(xpassed(cases, left)), stale=stale(left))
    running.attempted(lambda: running.journal.end(result))
    before = running.failure
    running.attempted(lambda: folder.write_results(result))
    written = running.failure is before
    running.attempted(lambda: running.terminal.summary(result, folder.path))
    if running.failure is not None:
        raise _ended_early(noted(running.failure, folder), result, head, folder, written=written)
    every = frozenset(item.case.id for item in plan.whole)
    return Driven(result, coverage, left, folder.path, every - frozenset(head.planned))


def _ended_early(
    failure: HarnessError, result: RunResult, head: JournalHead, folder: RunFolder, *, written: bool
) -> HarnessError:
    """The error that has ended the run, with the place of the results so far."""
    problems = failure.problems if isinstance(failure, BadInput | Breakdown) else (str(failure),)
    ended = f"{len(result.cases)} of {_cases(len(head.planned))} had ended"
    reported = f"their results are in {folder.path}" if written else f"'harness report {folder.path}' shows them"
    kind = BadInput if isinstance(failure, BadInput) else Breakdown
    return kind(*problems, f"{ended}: {reported}; the same command with --resume {folder.path} runs the others")


def _calibration(
    options: RunOptions, target: Target, planned: Sequence[PlannedCase], certificates: Path | None
) -> Calibration | None:
    """The driver's calibration. None if there is nothing to calibrate: a shipped driver, or a replay.

    Raises ``BadInput`` for a driver with which no case can be judged.
    """
    wires = list(dict.fromkeys(item.case.wire for item in planned if not item.skip))
    replayed, elsewhere = options.sources.name != "script", options.cluster is not None
    if not wires or replayed or elsewhere or not is_own(options.target, target):
        return None
    from harness.doctor import calibrate

    probe = not options.wires and not target.declaration.wires_declared
    calibration = calibrate(
        options.target,
        wires,
        probe=probe,
        deadline=options.deadline,
        as_provider=certificates,
        sealing=options.sealing,
        target=target,
        transport=options.transport,
    )
    if calibration.fatal:
        raise BadInput(*(f"{each.suspect} ({each.place}): {each.got.strip()}" for each in calibration.fatal))
    return calibration


def _of_last_run(options: RunOptions, planned: list[PlannedCase], before: LastRun | None) -> list[PlannedCase]:
    """The plan under ``--last-failed`` or ``--failed-first``. As in pytest, all cases run if none of them failed last
    time, so that the option can always be used."""
    failed = frozenset(() if before is None else before.failed)
    if options.last_failed:
        return [item for item in planned if item.case.id in failed] or planned
    return sorted(planned, key=lambda item: item.case.id not in failed) if options.failed_first else planned


def _last_failed(options: RunOptions, selected: int, planned: Sequence[PlannedCase], before: LastRun | None) -> str:
    """What ``--last-failed`` has selected, or why it has selected everything."""
    if before is None:
        return f"last failed: no earlier run of {options.target} is noted in .harness/ here: running {_cases(selected)}"
    if not before.failed:
        return f"last failed: every case of {options.target} passed in its last run: running {_cases(selected)}"
    if frozenset(before.failed).isdisjoint(item.case.id for item in planned):
        return f"last failed: none of {_cases(len(before.failed))} is selected: running {_cases(selected)}"
    return f"last failed: {_cases(len(planned))}"


def _cases(number: int) -> str:
    return f"{number} case{'' if number == 1 else 's'}"


def _bad(case: CaseResult) -> bool:
    return case.verdict in ("fail", "error")


def _entries(
    options: RunOptions, versions: Mapping[str, str]
) -> tuple[tuple[BaselineEntry, ...], tuple[OutOfForce, ...]]:
    """The entries of the baseline that count in this run, and the entries that the installed versions rule out."""
    if options.baseline is None:
        return (), ()
    return in_force(options.baseline, versions, provider=options.as_provider)


def _suites(options: RunOptions, target: Target) -> frozenset[str]:
    if options.suites:
        return named(options.suites)
    return ALL if options.paths else usual(target)


def _usual(options: RunOptions) -> bool:
    """Whether the cases run and are judged as baselines assume: scripted, by every rule, in the default way."""
    usual = options.sources.name == "script" and not options.judging.words and options.seed == 0
    return usual and not options.server and not options.dialects and not options.transport


def _check_as_provider(options: RunOptions, target: Target) -> None:
    """Raises ``BadInput`` where the target cannot connect to a provider's host, or no certificate can be made."""
    if find_spec("trustme") is None:
        raise BadInput(
            "--as-provider: expected the package trustme, got none; pip install 'agent-loop-harness[as-provider]'"
        )
    if options.cluster is not None:
        raise BadInput("--as-provider: the loop must run on this machine; leave --executor out")
    if target.isolation == "in-process":
        raise BadInput(
            f"--as-provider: --target {options.target} is asked within the process of the harness and connects to no "
            "host; name a loop of your own, or one of 'harness targets'"
        )


def _why_open(options: RunOptions, target: Target) -> str:
    """Why the loops are not sealed off, unless the user has asked for that. Workers of a cluster report their own
    reasons.

    Raises ``BadInput`` if the loops must be sealed and cannot be.
    """
    if options.sealing == "off":
        return ""
    if options.cluster is not None:
        return stays_open(target, options.sources, options.sealing)
    return why_open(target, options.sources, options.sealing)


def _run(
    options: RunOptions,
    target: Target,
    plan: _Plan,
    folder: RunFolder,
    running: RunInProgress,
    certificates: Path | None,
) -> None:
    """Run the cases that have not ended yet."""
    planned = [item for item in plan.held if item.case.id not in running.finished]
    work = CaseWork(
        partial(open_target, options.target),
        folder.write_trace,
        options.judging,
        options.deadline,
        options.sources,
        as_provider=certificates,
        sealing=options.sealing,
        sealed=seals_workers(target, options.sources, options.sealing) if options.cluster is None else None,
    )
    terminal, per_case = running.terminal, None if plan.last is None else plan.last.per_case
    stays = stays_open(target, options.sources, options.sealing)
    on_no_seal = None if stays else lambda why: terminal.note(open_note(why))
    executor = _executor(work, options, target.isolation, len(planned), on_no_seal)
    earlier = len(running.finished)
    with terminal.progress(gated(options.target), [item.case.id for item in planned], per_case, earlier=earlier):
        running.run(executor, planned)
    remember(options.target, tuple(running.finished.values()), terminal.seconds, ran=len(running.finished) - earlier)


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
    work: CaseWork,
    options: RunOptions,
    isolation: Isolation,
    cases: int,
    on_no_seal: Callable[[str], None] | None,
) -> Executor[PlannedCase, CaseResult]:
    """By default one process per core, but no more than the number of cases justifies.

    A single process is this process, except for loops that others have written: they must not run in it.
    """
    jobs = options.jobs
    if options.cluster is not None:
        from harness.runner.distributed.cases import DistributedCases

        return DistributedCases(work, options.cluster, isolation, on_no_seal)
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
