"""``harness run``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from harness.cli import common_options as common
from harness.cli.command import Command
from harness.cli.parser import Parser


def options(command: Parser) -> None:
    """Which cases, how they run, how they are judged, and where the results go."""
    command.set_defaults(work=work, config=None)
    _which_cases(command.add_argument_group("which cases"))
    _how_they_run(command.add_argument_group("how they run"))
    _how_they_are_judged(command.add_argument_group("how they are judged"))
    _output_of_a_run(command.add_argument_group("output"))


def _which_cases(which: argparse._ArgumentGroup) -> None:
    common.scenario_paths(which)
    common.suites(which)
    common.wires(which)
    common.expression(which)
    which.add_argument(
        "--last-failed",
        "--lf",
        action="store_true",
        help="only the cases that did not pass in the last run of this target; all cases if there are none",
    )
    which.add_argument(
        "--failed-first", "--ff", action="store_true", help="run the cases first that did not pass in the last run"
    )
    common.shard(which)


def _how_they_run(how: argparse._ArgumentGroup) -> None:
    common.target(how)
    common.timeout(how)
    how.add_argument("-x", "--fail-fast", action="store_true", help="stop after the first case that does not pass")
    how.add_argument(
        "--on-save",
        action="store_true",
        help="run again, in a new process, whenever a source or scenario file below this folder is saved; Ctrl-C ends",
    )
    common.jobs(how)
    common.executor(how)
    common.seed(how)
    common.as_server(how)
    how.add_argument(
        "--dialect",
        dest="dialects",
        type=lambda text: tuple(text.split(",")),
        default=(),
        metavar="NAME[,NAME...]|all",
        help="stream as servers do that are not the provider's own: index-zero, no-done, ... (docs/dialects.md)",
    )
    common.transport(how)
    common.source(how, ("script", "cassette"))
    how.add_argument(
        "--as-provider",
        action="store_true",
        help="answer as the provider's own host (https://api.openai.com ...), for loops that accept no base URL",
    )
    common.isolate(how)


def _how_they_are_judged(judging: argparse._ArgumentGroup) -> None:
    common.rules(judging)
    common.refuse(judging)
    judging.add_argument(
        "--baseline",
        metavar="FILE|none",
        help="findings that are expected of the target (default: baselines/TARGET.yaml, else the shipped baseline)",
    )
    judging.add_argument(
        "--against",
        type=Path,
        metavar="BASE",
        help="compare with the run in this results folder, and fail, too, if any case is not as it was there",
    )


def _output_of_a_run(output: argparse._ArgumentGroup) -> None:
    common.out(output)
    output.add_argument(
        "--resume",
        type=Path,
        metavar="DIR",
        help="go on with the run in this results folder, which was interrupted or killed; give its other options again",
    )
    output.add_argument(
        "--otlp",
        default="",
        metavar="FILE|URL",
        help="write each case as spans, too: to a file, or to the address of a collector (http://localhost:4318/v1/traces)",
    )
    common.verbosity(output)
    common.max_findings(output)


COMMAND: Final = Command(
    "Check a loop",
    "run scenarios against a loop and judge every trace",
    options,
    "harness run --target my_package.agent:run",
    "harness run scenarios --target cmd:'node my_agent.mjs' --wire anthropic-messages",
    "harness run --last-failed -x",
)


def work(options: argparse.Namespace) -> int:
    """``harness run``, or what ``--on-save`` repeats. Returns the exit code."""
    if options.on_save:
        from harness.cli.on_save import run_on_save

        return run_on_save(options)
    if sys.stderr is not None and sys.stderr.isatty() and options.verbosity >= 0:
        # Importing what a run needs takes seconds on a slow machine. Programs read errors from a pipe, and these alone.
        print("reading the scenarios", file=sys.stderr, flush=True)
    from harness.baseline.loader import chosen
    from harness.cli.drive import run
    from harness.cli.run_options import RunOptions
    from harness.doctor import named
    from harness.runner.distributed.cluster import cluster_of
    from harness.runner.judging import judging
    from harness.runner.selection import union

    return run(
        common.filled(
            RunOptions,
            options,
            judging=judging(
                options.rules,
                without=options.without,
                skipped=named(options.without),
                info=options.info,
                refuse=options.refuse,
            ),
            expression=union(options.expressions),
            sources=common.sources_of(options),
            baseline=chosen(options.baseline, options.target),
            cluster=cluster_of(options.executor, options.jobs),
            shard=common.shard_of(options),
            transport=common.transport_of(options),
        )
    )
