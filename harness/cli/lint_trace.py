"""``harness lint-trace``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from harness.cli import common_options as common
from harness.cli.command import Command
from harness.cli.parser import Parser


def options(command: Parser) -> None:
    """Which spans, by which rules, and what is written of them."""
    command.set_defaults(work=work)
    command.add_argument(
        "paths",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="spans: OTLP JSON (spans and logs), or an export of Phoenix or Langfuse",
    )
    command.add_argument("--turn-limit", type=common.at_least_1, metavar="N", help="report runs of more than N turns")
    command.add_argument(
        "--profile",
        default="universal",
        metavar="NAME",
        help="judge by the contract of this profile (default universal)",
    )
    command.add_argument(
        "--answered",
        action="store_true",
        help="report what breaks a rule even where the server has answered it, as a fake endpoint does",
    )
    command.add_argument(
        "--only-whole", action="store_true", help="judge only requests that are recorded as they were sent"
    )
    command.add_argument("--quiet-values", action="store_true", help="name places only, and quote nothing of the spans")
    command.add_argument(
        "--strict", action="store_true", help="exit code 1, too, where no request of a file is recorded whole"
    )
    command.add_argument(
        "--to-scenario",
        dest="scenarios",
        type=Path,
        metavar="DIR",
        help="write a scenario of each conversation that broke, for 'harness run'; secrets are taken out",
    )
    command.add_argument(
        "--to-cassettes",
        dest="cassettes",
        type=Path,
        metavar="DIR",
        help="write the model's own answers to these scenarios, too, for 'harness run --source cassette --match place'",
    )
    command.add_argument(
        "--anonymise",
        dest="anonymised",
        type=Path,
        metavar="OUT",
        help="write the spans with every text replaced, for a bug report: findings stay the same",
    )
    common.server(command)
    common.rules(command)
    common.format_option(command)


COMMAND: Final = Command(
    "Record and replay",
    "judge the requests in production traces (OpenTelemetry spans)",
    options,
    "harness lint-trace spans.jsonl",
    "harness lint-trace spans.jsonl --turn-limit 20 --quiet-values",
)


def work(options: argparse.Namespace) -> int:
    """``harness lint-trace``. Returns the exit code."""
    from harness.cli.lint_spans import LintTraceOptions, lint_traces

    return lint_traces(common.filled(LintTraceOptions, options))
