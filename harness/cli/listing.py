"""``harness list``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.scenario import outline, shipped
from harness.scenario.outlines import Outline


def list_scenarios(paths: Sequence[Path], *, format: str = "terminal") -> int:
    """Print every scenario with its purpose, suite by suite, or as JSON (``report.json_output.ScenarioList``)."""
    scenarios = outline(list(paths) or [shipped()])
    if format == "json":
        _print_json(scenarios)
        return 0
    width = max(len(scenario.name) for scenario in scenarios)
    for suite, profile in dict.fromkeys((scenario.suite, scenario.profile) for scenario in scenarios):
        print(suite if suite == profile else f"{suite} ({profile})")
        for scenario in scenarios:
            if (scenario.suite, scenario.profile) == (suite, profile):
                print(f"  {scenario.name:<{width}}  {scenario.summary}")
    print(f"{len(scenarios)} scenarios")
    return 0


def _print_json(scenarios: Sequence[Outline]) -> None:
    from harness.report.json_output import ListedScenario, ScenarioList, as_json

    listed = [ListedScenario(each.name, each.suite, each.profile, each.summary, str(each.path)) for each in scenarios]
    print(as_json(ScenarioList(tuple(listed))))
