"""Many runs, in the order in which they were made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from harness.runner.results import Verdict

FORMAT = 2
"""Version of what ``RunHistory.to_json`` returns. Version 2 has added ``PastRun.scenarios``."""


WORST_FIRST: Final[tuple[Verdict, ...]] = ("fail", "error", "xpass", "xfail", "pass", "skip")
"""The verdict of a scenario is the first of these that one of its cases has. A skipped case means less than any
other."""


@dataclass(frozen=True, slots=True)
class PastRun:
    """One run in numbers.

    ``rules`` says in how many cases each rule was broken though nobody expects it, ``scenarios`` the worst verdict of
    each scenario's cases. ``seconds`` is the sum of the cases' times. ``new`` and ``fixed`` are cases that fail, or no
    longer fail, unlike when this target last ran them.
    """

    folder: str
    target: str
    started: str
    harness: str
    seed: int
    cases: int
    seconds: float
    totals: Mapping[str, int]
    rules: Mapping[str, int]
    scenarios: Mapping[str, Verdict] = field(default_factory=dict)
    new: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    complete: bool = True
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def failed(self) -> int:
        """Cases that fail, or could not be judged."""
        return self.totals.get("fail", 0) + self.totals.get("error", 0)


@dataclass(frozen=True, slots=True)
class RunHistory:
    """Runs of any targets, the oldest first. ``unread`` says which folders look like runs and cannot be read."""

    runs: tuple[PastRun, ...]
    unread: tuple[str, ...] = ()
    format: int = FORMAT

    @property
    def targets(self) -> dict[str, list[PastRun]]:
        """The runs of each target."""
        found: dict[str, list[PastRun]] = {}
        for run in self.runs:
            found.setdefault(run.target, []).append(run)
        return found

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)
