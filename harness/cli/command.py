"""What a command of ``harness`` is, for built-in commands and for commands of other packages."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, Final

from harness.cli.parser import Parser, examples, sentence

Work = Callable[[argparse.Namespace], int]
"""What a command does with its options. Returns its exit code."""

GROUPS: Final = (
    "Check a loop",
    "Check a server or a gateway",
    "Record and replay",
    "Report",
    "Fuzz",
    "Look up and extend",
)
"""The tasks in the order in which ``harness --help`` shows them. Other groups follow them."""

FURTHER: Final = "Further commands"
"""The group of commands that few people need: ``harness --help`` ends with their names, without their summaries."""


class Command:
    """A command: its task (of ``GROUPS``, or ``FURTHER``), a summary of a line, its options, and examples of its use.

    ``options`` is given the command's parser. It adds the options, and sets the default ``work`` to the function that
    does the work (``Work``), which should import what it needs only then.
    """

    def __init__(self, group: str, summary: str, options: Callable[[Parser], None], *examples: str) -> None:
        self.group, self.summary, self.options, self.examples = group, summary, options, examples


def add_command(commands: argparse._SubParsersAction[Any], name: str, command: Command) -> Parser:
    """Add a command under a name to the commands of ``harness``, or of another command. Returns its parser."""
    added: Parser = commands.add_parser(
        name, help=command.summary, description=sentence(command.summary), epilog=examples(command.examples)
    )
    command.options(added)
    return added
