"""``harness targets`` and ``harness targets install``."""

from __future__ import annotations

import argparse
from typing import Final

from harness.cli import common_options as common
from harness.cli.command import Command, add_command
from harness.cli.parser import Parser


def options(command: Parser) -> None:
    """The format, or the command that installs some."""
    command.set_defaults(work=work)
    common.format_option(command)
    commands = command.add_subparsers(title="commands", metavar="COMMAND", help="one of:")
    add_command(commands, "install", _INSTALL)


def _install_options(command: Parser) -> None:
    command.set_defaults(work=_install)
    command.add_argument(
        "agents", nargs="+", metavar="TARGET", help="cli:NAME, as harness targets lists them, or cli:NAME@VERSION"
    )


_INSTALL: Final = Command(
    "",
    "install a coding agent from npm into the cache, in the version that comes with the harness or in another",
    _install_options,
    "harness targets install cli:pi",
    "harness targets install cli:pi@1.4.0",
)


COMMAND: Final = Command(
    "Look up and extend",
    "list the loops that the harness can run, and what they declare",
    options,
    "harness targets",
    "harness targets --format json",
    "harness targets install cli:pi",
)


def work(options: argparse.Namespace) -> int:
    """``harness targets``. Returns the exit code."""
    from harness.cli.target_list import list_targets

    return list_targets(format=options.format)


def _install(options: argparse.Namespace) -> int:
    from harness.cli.target_list import install_agents

    return install_agents(options.agents)
