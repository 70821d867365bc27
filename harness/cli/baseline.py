"""``harness baseline``: what is found of a target becomes what is expected of it, and what is stale is taken out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from harness.baseline.drafting import drafts
from harness.baseline.editing import add, remove
from harness.baseline.loader import load
from harness.baseline.model import Baseline
from harness.baseline.places import find, named, place_of
from harness.cli.run import Driven, RunOptions, drive
from harness.errors import BadInput

__all__ = ["prune", "update"]

_OURS = ("reference", "wire-only", "mutant")


def update(options: RunOptions, file: Path | None) -> int:
    """Run the target and write an entry for everything that is not expected yet. Returns the exit code.

    ``file`` None is the target's own, which begins as the shipped one where there is only that. Reasons are left to a
    person: until they are written, nothing is run by that file. Raises ``BadInput`` for a loop of ours.
    """
    if options.target.partition(":")[0] in _OURS:
        raise BadInput(f"--target {options.target}: this loop is the harness's own; mend it, nothing is expected of it")
    path = file or place_of(options.target)
    before = _existing(options.target, path if path.is_file() else file)
    driven = drive(replace(options, baseline=before))
    new = drafts(driven.result.cases, driven.coverage.cases, driven.result.versions)
    if new:
        add(path, named(options.target), new, onto=before)
    print(f"{path}: {len(new)} entries added" + ("; say why in each of them, where it says TODO" if new else ""))
    return _left_out(driven)


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
    return _left_out(driven)


def _existing(target: str, file: Path | None) -> Baseline | None:
    found = file or find(target)
    return load(found, target=None if file else target, drafts=True) if found is not None else None


def _left_out(driven: Driven) -> int:
    """The exit code: cases that could not be judged are in no baseline."""
    if not driven.result.complete:
        return 130
    return 3 if driven.result.totals["error"] else 0
