"""``harness lab``: the commands for those who maintain the harness."""

from __future__ import annotations

from typing import Final

from harness.cli.command import FURTHER, Command, add_command
from harness.cli.parser import Parser


def options(command: Parser) -> None:
    """Give a parser the commands."""
    from harness_lab.cli import corpus, drift, golden, import_trace, selftest

    commands = command.add_subparsers(title="commands", metavar="COMMAND", required=True, help="one of:")
    for name, module in {
        "corpus": corpus,
        "drift": drift,
        "golden": golden,
        "import-trace": import_trace,
        "selftest": selftest,
    }.items():
        add_command(commands, name, module.COMMAND)


COMMAND: Final = Command(
    FURTHER,
    "prove the rules, the scripted models and the reference loop",
    options,
    "harness lab selftest --rule continuation --wire anthropic-messages",
    "harness lab drift cassettes",
)
