"""``harness list``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.scenario import outline, shipped

__all__ = ["list_scenarios"]


def list_scenarios(paths: Sequence[Path]) -> int:
    """Print every scenario with its reason to exist, profile by profile."""
    scenarios = outline(list(paths) or [shipped()])
    width = max(len(scenario.name) for scenario in scenarios)
    for profile in dict.fromkeys(scenario.profile for scenario in scenarios):
        print(profile)
        for scenario in scenarios:
            if scenario.profile == profile:
                print(f"  {scenario.name:<{width}}  {scenario.summary}")
    print(f"{len(scenarios)} scenarios")
    return 0
