"""The options of the commands that check servers and gateways."""

from __future__ import annotations

from pathlib import Path

from harness.cli import commands as work
from harness.cli import common_options as common
from harness.cli.added import WIRES
from harness.cli.amounts import at_least_1, seconds
from harness.cli.parser import Parser, Repeated
from harness.wire import NATIVE_WIRES


def gateway_options(command: Parser) -> None:
    """Those of ``harness gateway``."""
    command.set_defaults(work=work.do_gateway)
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


def probe_options(command: Parser) -> None:
    """Those of ``harness probe``."""
    command.set_defaults(work=work.do_probe)
    command.add_argument(
        "url", metavar="URL", help="the server: http://127.0.0.1:8080; another host with --key-env only"
    )
    command.add_argument(
        "--wire",
        action=Repeated,
        default=[],
        choices=(*NATIVE_WIRES, "all"),
        required=True,
        metavar="WIRE",
        help="the API format: %(choices)s; repeatable",
    )
    command.add_argument("--model", required=True, metavar="NAME", help="the model to ask for")
    command.add_argument("--key-env", default="", metavar="NAME", help="the variable that has the key of the server")
    command.add_argument("--budget", type=at_least_1, metavar="N", help="make at most N requests (default: all steps)")
    command.add_argument("--timeout", type=seconds, metavar="SECONDS", help="time limit of one answer (default 60)")
    command.add_argument("--out", type=Path, metavar="DIR", help="also write the page, the results and the traces here")


def _which_gateway(command: Parser) -> None:
    command.add_argument(
        "gateway",
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
        action=Repeated,
        default=[],
        metavar="UPSTREAM=NAME",
        help="with --url: the name by which clients ask for the model behind an upstream; repeatable",
    )
    common.port(command)
    command.add_argument(
        "--start-timeout",
        type=seconds,
        default=120.0,
        metavar="SECONDS",
        help="time that the gateway has to be ready (default 120)",
    )
    command.add_argument("--timeout", type=seconds, metavar="SECONDS", help="time limit of one answer (default 60)")


def _which_pairs(which: common._Arguments) -> None:
    which.add_argument(
        "--client",
        action=Repeated,
        default=[],
        choices=WIRES,
        metavar="WIRE",
        help="only clients of this API format: %(choices)s; repeatable",
    )
    which.add_argument(
        "--upstream", action=Repeated, default=[], metavar="NAME", help="only this upstream of the preset; repeatable"
    )
    which.add_argument(
        "--scenario",
        action=Repeated,
        default=[],
        metavar="NAME|FILE",
        help="only this scenario: call, parallel-calls, rounds, ..., or a scenario file of yours; repeatable",
    )
    which.add_argument("--only-streams", action="store_true", help="only streamed answers")
