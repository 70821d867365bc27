"""``harness lint-scenario``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from harness.errors import BadInput
from harness.report.json_output import ScenarioLint, ScenarioProblem, as_json
from harness.scenario import load

_PLACED: Final = re.compile(r"(?P<file>.*?):(?P<line>\d+):(?P<column>\d+): (?P<message>.*)", re.DOTALL)


def lint_scenarios(paths: Sequence[Path], *, format: str = "terminal") -> int:
    """Read scenarios as a run would, without running them.

    Raises ``BadInput`` with every problem of every file; as JSON (``report.json_output.ScenarioLint``) they are
    printed, and 2 is returned.
    """
    if format == "json":
        return _print_json(paths)
    scenarios = load(paths)
    print(f"{len(scenarios)} scenario{'' if len(scenarios) == 1 else 's'}, nothing wrong")
    return 0


def _print_json(paths: Sequence[Path]) -> int:
    try:
        found = ScenarioLint(len(load(paths)), ())
    except BadInput as error:
        found = ScenarioLint(0, tuple(map(_problem, error.problems)))
    print(as_json(found))
    return 2 if found.problems else 0


def _problem(text: str) -> ScenarioProblem:
    if placed := _PLACED.fullmatch(text):
        return ScenarioProblem(placed["file"], int(placed["line"]), int(placed["column"]), placed["message"])
    file, _, message = text.partition(": ")
    return ScenarioProblem(file, None, None, message or text)
