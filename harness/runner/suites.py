"""``--suite``: the suites of a run."""

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
    """The suites for the values of ``--suite``. Each value is a name, or several names with commas, or ``all``.

    Raises ``BadInput`` for an unknown name.
    """
    names = [name.strip() for word in words for name in word.split(",")]
    for name in names:
        if name not in ALL and name != "all":
            hint = did_you_mean(name, NAMES) or "."
            raise BadInput(f"--suite {name!r} is unknown{hint} Known: all, {', '.join(NAMES)}")
    return ALL if "all" in names else frozenset(names)


def usual(target: Target) -> frozenset[str]:
    """The suites of a run by default, without a suite or a path on the command line.

    These are all suites for the loops that come with the harness, and for loops for which it has a driver and a
    baseline. For any other loop they are ``core`` and its declared profiles: it only promises to speak an API.
    """
    if target.isolation == "in-process" or target.name in SHIPPED:
        return ALL
    if target.declaration.is_agent:  # it can be given no tools, so the suites of universal are not for it
        return target.declaration.profiles & ALL
    return frozenset({"core", *target.declaration.profiles}) & ALL


def in_suites(planned: Sequence[PlannedCase], suites: frozenset[str]) -> list[PlannedCase]:
    """The cases that belong to ``suites``. Raises ``BadInput`` if none does."""
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
