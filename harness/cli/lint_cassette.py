"""``harness lint-cassette``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from harness.cli import common_options as common
from harness.cli.command import Command
from harness.cli.parser import Parser


def options(command: Parser) -> None:
    """Which cassettes, and which rules."""
    command.set_defaults(work=work)
    command.add_argument("cassettes", nargs="+", type=Path, metavar="FILE", help="cassette (vcrpy, go-vcr, VCR)")
    common.server(command)
    common.rules(command)
    common.format_option(command)


COMMAND: Final = Command(
    "Record and replay", "judge the requests in cassettes", options, "harness lint-cassette tests/cassettes/*.yaml"
)


def work(options: argparse.Namespace) -> int:
    """``harness lint-cassette``. Returns the exit code."""
    from harness.cli.lint import lint_cassettes

    selection = common.selection_of(options)
    return lint_cassettes(options.cassettes, selection, server=options.server, format=options.format)
