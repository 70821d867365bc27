"""``harness list``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harness.cli import common_options as common
from harness.cli.command import Command
from harness.cli.parser import Parser

if TYPE_CHECKING:
    from harness.scenario.outlines import Outline


def options(command: Parser) -> None:
    """Which scenarios."""
    command.set_defaults(work=work)
    common.scenario_paths(command)
    common.format_option(command)


COMMAND: Final = Command(
    "Look up and extend", "list the scenarios and their purpose", options, "harness list", "harness list --format json"
)


def work(options: argparse.Namespace) -> int:
    """``harness list``. Returns the exit code."""
    return list_scenarios(options.paths, format=options.format)


def list_scenarios(paths: Sequence[Path], *, format: str = "terminal") -> int:
    """Print every scenario with its purpose, suite by suite, or as JSON (``report.json_output.ScenarioList``)."""
    from harness.scenario import outline, shipped

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
