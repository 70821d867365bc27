"""Reads the runs that lie in one folder."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from harness.errors import BadInput
from harness.ground.disk import problem
from harness.report.diff.kinds import became
from harness.report.files import read_results
from harness.report.history.model import WORST_FIRST, PastRun, RunHistory
from harness.runner.results import RunResult, Verdict


def read_history(folder: Path) -> RunHistory:
    """The runs in the folders of ``folder``. Raises ``BadInput`` if there are none."""
    try:
        paths = sorted(path for path in folder.iterdir() if (path / "results.json").is_file())
    except OSError as error:
        raise problem(error, f"{folder}: expected a folder of runs") from None
    runs: list[tuple[str, RunResult]] = []
    unread: list[str] = []
    for path in paths:
        try:
            runs.append((path.name, read_results(path / "results.json")))
        except BadInput as error:
            unread += error.problems
    if not runs:
        raise BadInput(*unread, f"{folder}: expected folders of runs, as 'harness run' writes them, got none")
    runs.sort(key=lambda named: (named[1].started, named[0]))
    return RunHistory(tuple(_past_runs(runs)), tuple(unread))


def _past_runs(runs: list[tuple[str, RunResult]]) -> list[PastRun]:
    """Each run, compared with earlier ones of its target, case by case: a run of a few cases tests only those."""
    last: dict[tuple[str, str], Verdict] = {}
    past = []
    for folder, run in runs:
        past.append(_past(folder, run, last))
        last |= {(run.target, case.id): case.verdict for case in run.cases if case.verdict != "skip"}
    return past


def _worst(run: RunResult) -> dict[str, Verdict]:
    found: dict[str, Verdict] = {}
    for case in run.cases:
        found[case.scenario] = min(found.get(case.scenario, case.verdict), case.verdict, key=WORST_FIRST.index)
    return found


def _past(folder: str, run: RunResult, last: dict[tuple[str, str], Verdict]) -> PastRun:
    became_of = {
        case.id: became(last[run.target, case.id], case.verdict) for case in run.cases if (run.target, case.id) in last
    }
    return PastRun(
        folder=folder,
        target=run.target,
        started=run.started,
        harness=run.harness,
        seed=run.seed,
        cases=len(run.cases),
        seconds=sum(case.seconds for case in run.cases),
        totals=dict(run.totals),
        scenarios=_worst(run),
        rules=dict(Counter(rule for case in run.cases for rule in {each.id for each in case.unexpected})),
        new=tuple(id for id, kind in became_of.items() if kind == "regressed"),
        fixed=tuple(id for id, kind in became_of.items() if kind == "fixed"),
        complete=run.complete,
        versions=dict(run.versions),
    )
