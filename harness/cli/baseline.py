"""``harness baseline``: writes a target's current findings as expected, and removes entries that are stale."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harness.cli import common_options as common
from harness.cli.command import Command, add_command
from harness.cli.config import configure
from harness.cli.parser import Parser
from harness.errors import BadInput

if TYPE_CHECKING:
    from harness.baseline.drafting import FoundCause
    from harness.baseline.model import Baseline
    from harness.cli.run_options import RunOptions
    from harness.runner.results import RunResult


def options(command: Parser) -> None:
    """The two commands."""
    commands = command.add_subparsers(title="commands", metavar="COMMAND", required=True, help="one of:")
    add_command(commands, "update", _UPDATE)
    add_command(commands, "prune", _PRUNE)


def _options_of_both(command: Parser) -> None:
    command.configure = configure
    common.target_name(command)
    common.scenario_paths(command)
    common.suites(command)
    common.wires(command)
    common.expression(command)
    common.timeout(command)
    common.isolate(command)
    common.jobs(command)
    common.out(command)
    command.add_argument(
        "--baseline", type=Path, metavar="FILE", help="the file to change (default baselines/TARGET.yaml)"
    )


def _update_options(command: Parser) -> None:
    command.set_defaults(work=_update)
    _options_of_both(command)
    command.add_argument(
        "--from", type=Path, dest="source", metavar="RUN", help="take the results in this folder, and run nothing"
    )


def _prune_options(command: Parser) -> None:
    command.set_defaults(work=_prune)
    _options_of_both(command)


_UPDATE: Final = Command(
    "",
    "run the target and add an entry for every cause that has none",
    _update_options,
    "harness baseline update my_package.agent:run",
)
_PRUNE: Final = Command(
    "",
    "run the target and remove entries for findings that no longer occur",
    _prune_options,
    "harness baseline prune my_package.agent:run",
)


COMMAND: Final = Command(
    "Check a loop",
    "record which findings are expected of a loop",
    options,
    "harness baseline update my_package.agent:run",
    "harness baseline prune my_package.agent:run",
)

_OURS = ("reference", "wire-only", "mutant")


def _run_options(options: argparse.Namespace) -> RunOptions:
    """The options of a run for a baseline: scripted, by every rule."""
    from harness.cli.run_options import RunOptions
    from harness.runner.judging import everything
    from harness.runner.selection import union

    expression = union(options.expressions)
    others = {"judging": everything(), "expression": expression, "seed": 0, "baseline": None, "config": None}
    return common.filled(RunOptions, options, **others)


def _update(namespace: argparse.Namespace) -> int:
    """Run the target and write an entry for every cause that is not expected yet. Returns the exit code.

    If the target has only a shipped baseline, its own begins as a copy of that one. A person must write the reasons;
    until then no run accepts the file. Raises ``BadInput`` for a loop of ours.
    """
    from harness.baseline.drafting import drafts
    from harness.baseline.editing import add
    from harness.baseline.places import named, place_of
    from harness.cli.drive import cases_of, drive

    options, file, source = _run_options(namespace), namespace.baseline, namespace.source
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
    """The results in a folder, compared with the current baseline. Raises ``BadInput`` for results of another
    target."""
    from harness.baseline.holding import marked, marked_driver
    from harness.baseline.versions import in_force
    from harness.report.diff.comparing import read_run

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
    """The causes that the baseline does not expect. Each problem of the driver counts as a cause."""
    from harness.report.causes import ERROR, causes
    from harness.runner.results import calibrated

    for cause in causes(result):
        if cause.rule != ERROR:
            members = [(result.cases[each.case], each) for each in cause.members]
            yield [(case, [case.findings[number] for number in (*of.found, *of.follows)]) for case, of in members]
    for problem in result.driver_problems:
        yield [(case, case.findings) for case in calibrated([problem], problem.wires)]


def _prune(namespace: argparse.Namespace) -> int:
    """Run the target and remove stale entries from its baseline. Returns the exit code.

    If the target has only a shipped baseline, the remaining entries are written into a baseline of the user's.
    """
    from harness.baseline.editing import remove
    from harness.baseline.places import place_of
    from harness.cli.drive import drive

    options, file = _run_options(namespace), namespace.baseline
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
    from harness.baseline.loader import load
    from harness.baseline.places import find

    found = file or find(target)
    return load(found, target=None if file else target, drafts=True) if found is not None else None


def _left_out(result: RunResult) -> int:
    """The exit code: 130 for an interrupted run, 3 if a case could not be judged, since no baseline contains it."""
    if not result.complete:
        return 130
    return 3 if result.totals["error"] else 0
