"""``harness fuzz``."""

from __future__ import annotations

import argparse
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from harness.cli import common_options as common
from harness.cli.command import Command
from harness.cli.parser import Parser

CAMPAIGN_NAMES = ("arguments", "text-tags", "stream", "loop", "requests", "http")
"""The names of ``harness.fuzz.campaigns``, which are not imported for ``--help``."""


def options(command: Parser) -> None:
    """The campaigns, their budget, and where they are pursued."""
    command.set_defaults(work=work)
    command.add_argument(
        "campaigns",
        nargs="*",
        type=_campaign,
        metavar="CAMPAIGN",
        help=f"what to fuzz: {', '.join(CAMPAIGN_NAMES)} (default: all)",
    )
    command.add_argument(
        "--target",
        help="your own parser or validator: package.module:function or cmd:COMMAND; for the campaign loop a target of "
        "'harness run' (default: those of the harness)",
    )
    command.add_argument(
        "--max-examples",
        dest="examples",
        type=common.at_least_0,
        metavar="N",
        help="number of random examples in each campaign, after the enumerated ones (default: set by --profile)",
    )
    command.add_argument(
        "--time", dest="seconds", type=_seconds, metavar="SECONDS", help="end after about so many seconds"
    )
    command.add_argument("--seed", type=int, default=0, metavar="N", help="the first seed (default 0)")
    command.add_argument(
        "--profile",
        choices=("ci", "nightly"),
        default="ci",
        help="budget: ci is small, nightly is large (default ci)",
    )
    command.add_argument(
        "--database",
        default=".hypothesis/harness",
        metavar="PLACE",
        help="where failing examples are kept, to be tried first: a folder, a redis:// URL, or 'none' (default "
        ".hypothesis/harness)",
    )
    command.add_argument(
        "-j",
        "--jobs",
        dest="jobs",
        type=common.at_least_1,
        metavar="N",
        help="worker processes (default: one for every core)",
    )
    common.executor(command)
    common.shard(command)
    command.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="folder for reproducers (default reports/fuzz-TIME), with --adopt for the scenario (default "
        "scenarios/regressions)",
    )
    what = command.add_mutually_exclusive_group()
    what.add_argument(
        "--replay", nargs="+", type=Path, metavar="FILE", help="only run these reproducers again, or those of a folder"
    )
    what.add_argument(
        "--adopt", type=Path, metavar="FILE", help="only convert this reproducer to a regression scenario"
    )


COMMAND: Final = Command(
    "Fuzz",
    "generate adversarial inputs for parsers and loops, and minimise failures",
    options,
    "harness fuzz arguments --target my_package.json:parse",
    "harness fuzz --replay reports/fuzz-20260101-120000",
)


def work(options: argparse.Namespace) -> int:
    """``harness fuzz``. Returns the exit code."""
    from harness.cli import fuzz_run
    from harness.runner.distributed.cluster import cluster_of

    if options.replay:
        return fuzz_run.replay(options.replay, options.target)
    if options.adopt:
        return fuzz_run.adopt(options.adopt, options.out)
    return fuzz_run.fuzz(
        common.filled(
            fuzz_run.FuzzOptions,
            options,
            database="" if options.database == "none" else options.database,
            cluster=cluster_of(options.executor, options.jobs),
            shard=common.shard_of(options),
        )
    )


def _campaign(text: str) -> str:
    if text not in CAMPAIGN_NAMES:
        close = get_close_matches(text, CAMPAIGN_NAMES, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise argparse.ArgumentTypeError(f"expected one of {', '.join(CAMPAIGN_NAMES)}, got {text!r}{hint}")
    return text


def _seconds(text: str) -> float:
    number = float(text)
    if not number > 0:
        raise argparse.ArgumentTypeError("expected more than 0")
    return number
