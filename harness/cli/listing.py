"""``harness list``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.scenario import outline, shipped

__all__ = ["list_scenarios"]


def list_scenarios(paths: Sequence[Path]) -> int:
    """Print every scenario with its reason to exist, suite by suite."""
    scenarios = outline(list(paths) or [shipped()])
    width = max(len(scenario.name) for scenario in scenarios)
    for suite, profile in dict.fromkeys((scenario.suite, scenario.profile) for scenario in scenarios):
        print(suite if suite == profile else f"{suite} ({profile})")
        for scenario in scenarios:
            if (scenario.suite, scenario.profile) == (suite, profile):
                print(f"  {scenario.name:<{width}}  {scenario.summary}")
    print(f"{len(scenarios)} scenarios")
    return 0
