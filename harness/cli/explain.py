"""``harness explain``."""

from __future__ import annotations

import argparse
from typing import Final

from harness.cli import common_options as common
from harness.cli.command import Command
from harness.cli.parser import Parser


def options(command: Parser) -> None:
    """What is to be explained."""
    command.set_defaults(work=work)
    command.add_argument(
        "subject",
        metavar="RULE|FAMILY|SCENARIO|ERROR",
        help="a rule (order/tool-start-once, ANT-15), a family of rules (continuation), another finding (expect/sent), "
        "a scenario, or the text of a provider's error, as it was printed",
    )
    common.format_option(command)


COMMAND: Final = Command(
    "Look up and extend",
    "explain a provider's error, a rule, a family of rules or a scenario",
    options,
    'harness explain "messages.3: `tool_use` ids were found without `tool_result` blocks"',
    "harness explain ANT-15",
    "harness explain continuation",
)


def work(options: argparse.Namespace) -> int:
    """``harness explain``. Returns the exit code."""
    from harness.cli.explain_subject import explain

    return explain(options.subject, format=options.format)
