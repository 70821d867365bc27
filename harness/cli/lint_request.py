"""``harness lint-request``."""

from __future__ import annotations

import argparse
from typing import Final

from harness.cli import common_options as common
from harness.cli.added import WIRES
from harness.cli.command import Command
from harness.cli.parser import Parser, Repeated


def options(command: Parser) -> None:
    """Which request, and which rules."""
    command.set_defaults(work=work)
    command.add_argument("file", metavar="FILE", help="file with the JSON body of a request; - for standard input")
    command.add_argument(
        "--wire",
        choices=WIRES,
        metavar="WIRE",
        help="API format (wire) of the request: %(choices)s (default: detected from the body)",
    )
    command.add_argument(
        "--model", default="", metavar="NAME", help="the model, where the body does not name it (Gemini)"
    )
    command.add_argument(
        "--header",
        dest="headers",
        action=Repeated,
        default=[],
        metavar="HEADER",
        help="header of the request, 'name: value'; repeatable",
    )
    common.server(command)
    common.rules(command)
    common.format_option(command)


COMMAND: Final = Command(
    "Check a loop",
    "judge the body of one request",
    options,
    "harness lint-request body.json",
    "pbpaste | harness lint-request - --wire openai-chat",
)


def work(options: argparse.Namespace) -> int:
    """``harness lint-request``. Returns the exit code."""
    from harness.cli.lint import lint_request

    return lint_request(
        options.file,
        common.selection_of(options),
        wire=options.wire,
        model=options.model,
        headers=options.headers,
        server=options.server,
        format=options.format,
    )
