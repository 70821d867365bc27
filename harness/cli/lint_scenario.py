"""``harness lint-scenario``."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harness.cli import common_options as common
from harness.cli.command import Command
from harness.cli.parser import Parser
from harness.errors import BadInput

if TYPE_CHECKING:
    from harness.report.json_output import ScenarioProblem


def options(command: Parser) -> None:
    """Which files."""
    command.set_defaults(work=work)
    command.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="scenario file or folder")
    common.format_option(command)


COMMAND: Final = Command(
    "Look up and extend",
    "report every problem of scenario files, without a run",
    options,
    "harness lint-scenario scenarios",
)

_PLACED: Final = re.compile(r"(?P<file>.*?):(?P<line>\d+):(?P<column>\d+): (?P<message>.*)", re.DOTALL)


def work(options: argparse.Namespace) -> int:
    """Read scenarios as a run would, without running them.

    Raises ``BadInput`` with every problem of every file; as JSON (``report.json_output.ScenarioLint``) they are
    printed, and 2 is returned.
    """
    from harness.scenario import load

    if options.format == "json":
        return _print_json(options.paths)
    scenarios = load(options.paths)
    print(f"{len(scenarios)} scenario{'' if len(scenarios) == 1 else 's'}, nothing wrong")
    return 0


def _print_json(paths: Sequence[Path]) -> int:
    from harness.report.json_output import ScenarioLint, as_json
    from harness.scenario import load

    try:
        found = ScenarioLint(len(load(paths)), ())
    except BadInput as error:
        found = ScenarioLint(0, tuple(map(_problem, error.problems)))
    print(as_json(found))
    return 2 if found.problems else 0


def _problem(text: str) -> ScenarioProblem:
    from harness.report.json_output import ScenarioProblem

    if placed := _PLACED.fullmatch(text):
        return ScenarioProblem(placed["file"], int(placed["line"]), int(placed["column"]), placed["message"])
    file, _, message = text.partition(": ")
    return ScenarioProblem(file, None, None, message or text)
