"""The commands of ``harness``, and how their options are read.

A command is a module of this package, called as the command, with its options, its work and a ``COMMAND``. What its
work needs is imported when it runs: nobody waits for the work of another command, or for ``--help``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Final

from harness import __version__
from harness.cli.command import FURTHER, GROUPS, Command, add_command
from harness.cli.config import CONFIGURED, configure
from harness.cli.parser import Parser, overview
from harness.errors import BadInput

BUILT_IN: Final = (
    *("init", "run", "serve", "doctor", "watch", "baseline", "check", "lint-request", "gateway", "probe", "record"),
    *("cassettes", "lint-cassette", "lint-trace", "report", "diff", "history", "fuzz", "list", "explain", "targets"),
    *("plugins", "lint-scenario", "lint-target", "completion"),
)
"""The built-in commands. ``harness --help`` shows the commands of each task in this order."""


def parsed(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The options of one command; ``arguments`` default to the arguments of the process."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    read, program = words, None
    if words[:1] == ["serve"] and "--" in words:
        at = words.index("--")
        read, program = words[:at], words[at + 1 :]
    options = parser(read[0] if read else "").parse_args(read)
    options.program, options.arguments = program, words
    return options


def parser(first: str = "") -> Parser:
    """The parser of the command that ``first`` names, or of all commands if it names none.

    The options of each command contain the function that does its ``work``. ``--help`` lists all commands without
    options.
    """
    made = Parser(prog="harness", usage="harness COMMAND [OPTION]...", epilog=_EXIT_CODES)
    made.add_argument("--version", action="version", version=f"harness {__version__}")
    commands = made.add_subparsers(
        prog="harness", metavar="COMMAND", required=True, help=argparse.SUPPRESS, parser_class=Parser
    )
    known = _known(first)
    wanted = {} if first in ("-h", "--help") else known
    for name, each in wanted.items():
        command = add_command(commands, name, each)
        if name in CONFIGURED:
            command.configure = configure
    made.description = f"{_PURPOSE}\n{_overview(known)}"
    return made


def _known(first: str) -> Mapping[str, Command]:
    """The command that is called ``first``, or else all commands. A package cannot replace a built-in command.

    Looking for packages that add commands takes some 20 ms, which a built-in command does not spend.
    """
    if first in BUILT_IN:
        return {first: _built_in(first)}
    from harness.cli.added import added_commands

    added = added_commands()
    if first == "lab" and first not in added:
        raise BadInput(_NO_LAB)
    return {first: added[first]} if first in added else {**added, **{name: _built_in(name) for name in BUILT_IN}}


def _built_in(name: str) -> Command:
    command: Command = import_module(f"harness.cli.{name.replace('-', '_')}").COMMAND
    return command


def _by_task(commands: Mapping[str, Command]) -> Mapping[str, Sequence[tuple[str, str]]]:
    """Names and summaries by task, as ``harness --help`` shows them."""
    tasks: dict[str, list[tuple[str, str]]] = {task: [] for task in GROUPS}
    for name, each in commands.items():
        tasks.setdefault(each.group, []).append((name, each.summary))
    return {task: some for task, some in tasks.items() if some}


def _overview(commands: Mapping[str, Command]) -> str:
    further = sorted(name for name, each in commands.items() if each.group == FURTHER)
    others = {name: each for name, each in commands.items() if name not in further}
    return f"{overview(_by_task(others))}\n\n{FURTHER}: {', '.join(further)}"


_NO_LAB: Final = "harness lab is for those who maintain the harness: pip install agent-loop-harness-lab"

_PURPOSE: Final = (
    "Run an agent loop against scripted models and report which conformance rules it breaks, with the evidence. "
    "'harness COMMAND --help' describes a command and shows examples."
)

_EXIT_CODES: Final = (
    "Exit codes: 0 all as expected, 1 findings, 2 bad input, 3 an error of the machine or of the harness "
    "itself, 130 interrupted. "
    "Defaults of options can be set in pyproject.toml, in the table [tool.harness] (docs/configuration.md)."
)
