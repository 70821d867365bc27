"""``harness gateway``."""

from __future__ import annotations

import argparse
from typing import Final

from harness.cli import common_options as common
from harness.cli.added import WIRES
from harness.cli.command import Command
from harness.cli.parser import Parser, Repeated


def options(command: Parser) -> None:
    """Which gateway, which cases, and how they are judged."""
    command.set_defaults(work=work)
    _which_gateway(command)
    _which_pairs(command.add_argument_group("which cases"))
    command.add_argument("--info", action="store_true", help="report informational findings, too")
    command.add_argument(
        "--baseline",
        default="",
        metavar="FILE|none",
        help="file with the findings that are expected (docs/baselines.md)",
    )
    common.out(command)
    common.seed(command)
    common.isolate(command)
    common.verbosity(command)
    common.max_findings(command)


def _which_gateway(command: Parser) -> None:
    command.add_argument(
        "command",
        nargs="?",
        default="",
        metavar="COMMAND",
        help="what starts the gateway, in place of the command of the preset; {config} and {port} are filled in",
    )
    command.add_argument(
        "--preset",
        default="",
        metavar="NAME|FILE",
        help="the gateway: litellm, portkey, or a preset file of yours (docs/gateways.md)",
    )
    command.add_argument(
        "--url", default="", metavar="URL", help="a gateway that runs on this machine already, in place of a command"
    )
    command.add_argument(
        "--model",
        dest="models",
        action=Repeated,
        default=[],
        metavar="UPSTREAM=NAME",
        help="with --url: the name by which clients ask for the model behind an upstream; repeatable",
    )
    common.port(command)
    command.add_argument(
        "--start-timeout",
        type=common.seconds,
        default=120.0,
        metavar="SECONDS",
        help="time that the gateway has to be ready (default 120)",
    )
    command.add_argument(
        "--timeout", type=common.seconds, default=60.0, metavar="SECONDS", help="time limit of one answer (default 60)"
    )


def _which_pairs(which: argparse._ActionsContainer) -> None:
    which.add_argument(
        "--client",
        dest="clients",
        action=Repeated,
        default=[],
        choices=WIRES,
        metavar="WIRE",
        help="only clients of this API format: %(choices)s; repeatable",
    )
    which.add_argument(
        "--upstream",
        dest="upstreams",
        action=Repeated,
        default=[],
        metavar="NAME",
        help="only this upstream of the preset; repeatable",
    )
    which.add_argument(
        "--scenario",
        action=Repeated,
        default=[],
        metavar="NAME|FILE",
        help="only this scenario: call, parallel-calls, rounds, ..., or a scenario file of yours; repeatable",
    )
    which.add_argument("--only-streams", action="store_true", help="only streamed answers")


COMMAND: Final = Command(
    "Check a server or a gateway",
    "put a gateway between the harness's clients and scripted models, and report what gets lost",
    options,
    "harness gateway --preset litellm",
    "harness gateway --preset my-gateway.yaml --client openai-chat --scenario parallel-calls",
    "harness gateway --url http://127.0.0.1:4000 --model anthropic-messages=claude --port 8900",
)


def work(options: argparse.Namespace) -> int:
    """``harness gateway``. Returns the exit code."""
    from harness.cli.gateway_run import GatewayOptions, gateway

    return gateway(common.filled(GatewayOptions, options, scenarios=options.scenario))
