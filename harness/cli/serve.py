"""``harness serve``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from harness.cli import common_options as common
from harness.cli.command import Command
from harness.cli.parser import Parser
from harness.wire.channels import CHANNELS


def options(command: Parser) -> None:
    """Which models, how they are served, and to which command."""
    command.set_defaults(work=work)
    command.usage = "harness serve [SCENARIO]... [OPTION]... [-- COMMAND [ARG]...]"
    command.add_argument(
        "paths",
        nargs="*",
        type=Path,
        metavar="SCENARIO",
        help="scenario file or folder (default: an automatic model, which calls the tools that your loop offers); "
        "without -- COMMAND: print the variables for your loop, and serve until Ctrl-C",
    )
    common.wires(command)
    common.port(command)
    common.source(command, ("script", "cassette", "live"))
    common.upstream(command.add_argument_group("with --source live"))
    common.skip(command)
    common.refuse(command)
    common.seed(command)
    common.as_server(command)
    common.dialect(command)
    for each in CHANNELS.values():
        command.add_argument(
            f"--no-{each.name}",
            dest="without_channels",
            action="append_const",
            const=each.name,
            default=[],
            help=f"refuse {each.many} (426), so that clients use HTTP; else a client may open one where the API has "
            "them",
        )
    common.isolate(command)
    command.add_argument(
        "--out", type=Path, metavar="DIR", help="also write the page, the results and the traces to this folder"
    )
    command.add_argument(
        "--pass",
        dest="passes",
        action="append",
        default=[],
        metavar="NAME",
        help="a variable of yours that the command gets although its name is that of a secret (repeatable)",
    )
    command.add_argument(
        "--rounds",
        default="",
        metavar="N|NAME[,NAME...]",
        help="play the command so many times, each time with another behaviour of the automatic model: parallel, "
        "reasoning, failing, sequential, long, empty, cut, refusal; or with those that are named (docs/serve.md)",
    )
    common.max_findings(command)
    command.add_argument("--requests", type=common.at_least_1, metavar="N", help="end after N answered model requests")
    command.add_argument(
        "--idle",
        type=common.seconds,
        metavar="S",
        help="end after S seconds without a request, counted from the first one",
    )


COMMAND: Final = Command(
    "Check a loop",
    "start a command in any language, answer its model requests, and judge them",
    options,
    "harness serve -- node my_agent.mjs",
    "harness serve scenarios/weather.yaml --wire openai-chat -- python my_agent.py",
    "harness serve scenarios/weather.yaml",
)


def work(options: argparse.Namespace) -> int:
    """``harness serve``. Returns the exit code."""
    print("harness serve: starting the endpoint", file=sys.stderr, flush=True)  # what follows imports for a second
    from harness.cli.serve_session import ServeOptions, serve

    return serve(
        common.filled(
            ServeOptions,
            options,
            sources=common.sources_of(options),
            command=options.program,
            channels=[name for name in CHANNELS if name not in options.without_channels],
        )
    )
