"""``harness record``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from harness.cli import common_options as common
from harness.cli.added import WIRES
from harness.cli.command import Command
from harness.cli.parser import Parser


def options(command: Parser) -> None:
    """Which scenarios, how, and where the cassettes are."""
    command.set_defaults(work=work)
    command.add_argument("paths", nargs="+", type=Path, metavar="SCENARIO", help="scenario file or folder")
    command.add_argument(
        "--wire",
        dest="wires",
        action="append",
        required=True,
        choices=WIRES,
        metavar="WIRE",
        help="API format (wire) to record: %(choices)s; repeatable",
    )
    common.target(command)
    common.isolate(command)
    common.cassettes(command)
    common.patterns(command)
    common.upstream(command)
    common.transport(command)
    common.out(command)
    command.add_argument("--scripted", action="store_true", help="record the script of the scenario, not a model")
    command.add_argument(
        "--refresh", action="store_true", help="record existing cassettes again, and report what has changed"
    )
    command.add_argument(
        "--max-age", type=common.at_least_1, metavar="DAYS", help="refresh only cassettes that are older than DAYS"
    )


COMMAND: Final = Command(
    "Record and replay",
    "record real models to cassettes, without secrets",
    options,
    "harness record scenarios/weather.yaml --wire openai-chat --model gpt-4.1",
)


def work(options: argparse.Namespace) -> int:
    """``harness record``. Returns the exit code."""
    from harness.cli.record_cases import RecordOptions, record
    from harness.cli.refresh import refresh
    from harness.runner.sources import Recording

    recording = common.filled(
        Recording,
        options,
        folder=options.cassettes,
        server=options.upstream_name,
        patterns=tuple(options.patterns),
    )
    wanted = common.filled(RecordOptions, options, recording=recording, transport=common.transport_of(options))
    return refresh(wanted) if options.refresh or options.max_age is not None else record(wanted)
