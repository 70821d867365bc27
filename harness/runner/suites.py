"""``--suite``: which suites a run consists of."""

from __future__ import annotations

from collections.abc import Sequence

from harness.errors import BadInput
from harness.runner.plan import PlannedCase
from harness.scenario import PROFILES, SUITES, suite_of
from harness.scenario.words import did_you_mean
from harness.targets import Target
from harness.targets.shipped import SHIPPED

NAMES: tuple[str, ...] = (*SUITES, *(profile for profile in PROFILES if profile != "universal"))
"""Every suite."""

ALL = frozenset(NAMES)


def named(words: Sequence[str]) -> frozenset[str]:
    """The suites that the values of ``--suite`` name: each has one name, or several with commas, or ``all``.

    Raises ``BadInput`` for an unknown name.
    """
    names = [name.strip() for word in words for name in word.split(",")]
    for name in names:
        if name not in ALL and name != "all":
            hint = did_you_mean(name, NAMES) or "."
            raise BadInput(f"--suite {name!r} is unknown{hint} Known: all, {', '.join(NAMES)}")
    return ALL if "all" in names else frozenset(names)


def usual(target: Target) -> frozenset[str]:
    """The suites of a run for which neither a suite nor a path was given.

    All for the loops that come with the harness, and for those that it has a driver and a baseline for. For any other
    loop ``core`` and the profiles that it has declared: it has promised no more than to speak a provider's API.
    """
    if target.isolation == "in-process" or target.name in SHIPPED:
        return ALL
    if target.declaration.is_agent:  # it can be given no tools, so the suites of universal are not for it
        return target.declaration.profiles & ALL
    return frozenset({"core", *target.declaration.profiles}) & ALL


def in_suites(planned: Sequence[PlannedCase], suites: frozenset[str]) -> list[PlannedCase]:
    """Those of the cases that belong to ``suites``. Raises ``BadInput`` where none does."""
    selected = [item for item in planned if _suite(item) in suites]
    if not selected:
        there = [name for name in NAMES if name in {_suite(item) for item in planned}]
        wanted = ", ".join(name for name in NAMES if name in suites)
        raise BadInput(
            f"no case is left of {len(planned)}: expected cases of {wanted}, got cases of {', '.join(there)}; "
            "choose other suites with --suite"
        )
    return selected


def _suite(item: PlannedCase) -> str:
    return suite_of(item.scenario, item.case.wire, item.case.dialect)
