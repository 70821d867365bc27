"""What is remembered of the last run of each target: which cases did not pass, and how long a case took.

It is in ``.harness/last-run.json`` below the working directory, whatever ``--out`` says: ``--last-failed`` and the
estimate of a run's time need it. Without it both do without.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from harness.errors import HarnessError
from harness.ground.disk import put
from harness.runner.results import CaseResult

_FOLDER: Final = Path(".harness")
_FILE: Final = _FOLDER / "last-run.json"
_ENOUGH: Final = 20
"""The least number of cases from which a run's time predicts the next one: each run begins with seconds of imports."""

_BAD: Final = ("fail", "error")


@dataclass(frozen=True, slots=True)
class LastRun:
    """``failed`` are the ids of the cases that did not pass.

    ``per_case`` is the seconds of the run per case; None if no run was long enough to measure.
    """

    failed: tuple[str, ...] = ()
    per_case: float | None = None


def last_run(target: str) -> LastRun | None:
    """The stored last run of the target; None if there is none, or if it cannot be read."""
    noted = _read().get(_name(target))
    match noted:
        case {"failed": [*failed], "per_case": int() | float() | None as per_case} if all(
            isinstance(each, str) for each in failed
        ):
            return LastRun(tuple(failed), per_case)
    return None


def remember(target: str, cases: Sequence[CaseResult], seconds: float, *, ran: int | None = None) -> None:
    """Remember a run. Cases that failed earlier and were not run now are still failed.

    ``seconds`` were spent on ``ran`` of the cases, by default on all that were not skipped.

    A folder that cannot be written to is no reason to fail.
    """
    if not cases:
        return
    before = last_run(target) or LastRun()
    run = {case.id for case in cases}
    failed = [each for each in before.failed if each not in run]
    failed += [case.id for case in cases if case.verdict in _BAD]
    if ran is None or ran == len(cases):
        ran = sum(case.verdict != "skip" for case in cases)
    per_case = round(seconds / ran, 4) if ran >= _ENOUGH else before.per_case
    known = {_name(name): value for name, value in _read().items()}
    noted = {**known, _name(target): {"failed": failed, "per_case": per_case}}
    with contextlib.suppress(OSError, HarnessError):
        _FOLDER.mkdir(exist_ok=True)
        put(_FOLDER / ".gitignore", b"*\n", synced=False)
        put(_FILE, (json.dumps(noted, indent=1) + "\n").encode(), synced=False)


def _name(target: str) -> str:
    """The key of a target in the file. A command line is not used as it is, because it may contain an API key."""
    from harness.runner.redacting import gated

    return gated(target)


def _read() -> dict[str, Any]:
    try:
        noted = json.loads(_FILE.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return noted if isinstance(noted, dict) else {}
