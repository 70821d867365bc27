"""``harness baseline``: what is found of a target becomes what is expected of it, and what is stale is taken out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from harness.baseline.drafting import FoundCause, drafts
from harness.baseline.editing import add, remove
from harness.baseline.holding import marked, marked_driver
from harness.baseline.loader import load
from harness.baseline.model import Baseline
from harness.baseline.places import find, named, place_of
from harness.baseline.versions import in_force
from harness.cli.run import RunOptions, cases_of, drive
from harness.errors import BadInput
from harness.report.causes import ERROR, causes
from harness.report.diff.comparing import read_run
from harness.runner.results import RunResult, calibrated

_OURS = ("reference", "wire-only", "mutant")


def update(options: RunOptions, file: Path | None, source: Path | None = None) -> int:
    """Run the target and write an entry for every cause that is not expected yet. Returns the exit code.

    ``file`` None is the target's own, which begins as the shipped one where there is only that. ``source`` is the
    folder of a run whose results are taken in place of a new run. Reasons are left to a person: until they are written,
    nothing is run by that file. Raises ``BadInput`` for a loop of ours.
    """
    if options.target.partition(":")[0] in _OURS:
        raise BadInput(f"--target {options.target}: this loop is the harness's own; mend it, nothing is expected of it")
    path = file or place_of(options.target)
    before = _existing(options.target, path if path.is_file() else file)
    options = replace(options, baseline=before)
    if source is None:
        driven = drive(options)
        result, there_are = driven.result, driven.coverage.cases
    else:
        result, there_are = _of_run(source, options), cases_of(options)
    new = drafts(_found(result), there_are, result.versions)
    if new:
        add(path, named(options.target), new, onto=before)
    print(f"{path}: {len(new)} entries added" + ("; say why in each of them, where it says TODO" if new else ""))
    return _left_out(result)


def _of_run(folder: Path, options: RunOptions) -> RunResult:
    """The results in a folder, marked with what the baseline expects now. Raises ``BadInput`` for another target's."""
    result = read_run(folder)
    if result.target != options.target:
        raise BadInput(f"--from {folder}: expected a run of {options.target}, got one of {result.target}")
    entries, _ = in_force(options.baseline, result.versions) if options.baseline is not None else ((), ())
    again = [replace(each, verdict="fail") if each.verdict == "xfail" else each for each in result.cases]
    return replace(
        result,
        cases=tuple(marked(each, entries) for each in again),
        driver=marked_driver([replace(each, known="") for each in result.driver], entries),
    )


def _found(result: RunResult) -> Iterator[FoundCause]:
    """The causes that nobody expects. Each problem of the driver is one, too."""
    for cause in causes(result):
        if cause.rule != ERROR:
            members = [(result.cases[each.case], each) for each in cause.members]
            yield [(case, [case.findings[number] for number in (*of.found, *of.follows)]) for case, of in members]
    for problem in result.driver_problems:
        yield [(case, case.findings) for case in calibrated([problem], problem.wires)]


def prune(options: RunOptions, file: Path | None) -> int:
    """Run the target and take out of its baseline what is stale. Returns the exit code.

    ``file`` None is the target's own; where there is only a shipped one, that is written beside the user's.
    """
    path = file or place_of(options.target)
    before = _existing(options.target, path if path.is_file() else file)
    if before is None:
        raise BadInput(f"{path}: expected the baseline of {options.target}, got no file; see 'harness baseline update'")
    driven = drive(replace(options, baseline=before))
    if driven.unneeded:
        remove(path, driven.unneeded, of=before)
    whole = sum(each.all for each in driven.unneeded)
    words = sum(len(each.cases) + len(each.rules) for each in driven.unneeded if not each.all)
    print(f"{path}: {whole} entries removed, and {words} patterns and rules of others")
    return _left_out(driven.result)


def _existing(target: str, file: Path | None) -> Baseline | None:
    found = file or find(target)
    return load(found, target=None if file else target, drafts=True) if found is not None else None


def _left_out(result: RunResult) -> int:
    """The exit code: cases that could not be judged are in no baseline."""
    if not result.complete:
        return 130
    return 3 if result.totals["error"] else 0
