"""``harness lint-target``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from harness.cli.command import FURTHER, Command
from harness.cli.parser import Parser
from harness.errors import BadInput


def options(command: Parser) -> None:
    """Which files."""
    command.set_defaults(work=work)
    command.add_argument("paths", nargs="+", type=Path, metavar="FILE", help="target file")


COMMAND: Final = Command(
    FURTHER, "report every problem of target files, without a run", options, "harness lint-target my-agent.yaml"
)


def work(options: argparse.Namespace) -> int:
    """Read target files as a run would, without starting anything.

    Raises ``BadInput`` with every problem of every file.
    """
    from harness.targets.file import check_file

    problems: list[str] = []
    for path in options.paths:
        try:
            check_file(path)
        except BadInput as error:
            problems += error.problems
    if problems:
        raise BadInput(*problems)
    files = len(options.paths)
    print(f"{files} target file{'' if files == 1 else 's'}, nothing wrong")
    return 0
