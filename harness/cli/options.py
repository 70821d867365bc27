"""The commands of ``harness`` and their options.

They are read with argparse, which is here in a tenth of the time that a richer library takes: ``harness --help`` is
something people wait for.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from harness import __version__
from harness.cli import commands as work
from harness.cli.amounts import at_least_0, at_least_1, seconds
from harness.cli.cassettes.options import cassettes_options, pattern
from harness.cli.fuzz_options import fuzz_options
from harness.cli.names import NATIVE_WIRES, WIRES
from harness.cli.placing import executor_option, shard_option

__all__ = ["Command", "parsed", "parser"]

Command = Callable[[argparse.Namespace], int]


def parsed(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The options of one command; ``arguments`` default to those of the process.

    What stands behind ``--`` of ``harness serve`` is somebody's command, and none of its words is an option of ours.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    command: list[str] | None = None
    if words[:1] == ["serve"] and "--" in words:
        at = words.index("--")
        words, command = words[:at], words[at + 1 :]
    options = parser().parse_args(words)
    options.command = command
    return options


def parser() -> argparse.ArgumentParser:
    """All commands. What they are given has the function that does the ``work``."""
    made = argparse.ArgumentParser(
        prog="harness",
        description="Drive an agent loop against scripted models and say which conformance rule it breaks, "
        "with the evidence.",
        epilog="Exit codes: 0 all as expected, 1 findings, 2 bad input, 3 an error of the harness itself.",
    )
    made.add_argument("--version", action="version", version=f"harness {__version__}")
    commands = made.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def add(name: str, summary: str, does: Command | None = None) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.")
        if does is not None:
            command.set_defaults(work=does)
        return command

    _init_options(add("init", "write a scenario, a loop and a CI workflow to begin with", work.do_init))
    _run_options(add("run", "run scenarios against a target and judge every trace", work.do_run))
    _doctor_options(add("doctor", "test the driver of your loop, and say what to change in it", work.do_doctor))
    fuzz_options(add("fuzz", "make hard input by the thousand, and shrink what is found", work.do_fuzz))
    _report_options(add("report", "render what runs have found, again or together", work.do_report))
    _diff_options(add("diff", "tell what changed between two runs", work.do_diff))
    _history_options(add("history", "show trends over many runs", work.do_history))
    _record_options(add("record", "record real models through the endpoint to cassettes", work.do_record))
    add("targets", "list the loops that can be driven: what is installed, and what they declare", work.do_targets)
    _baseline_options(add("baseline", "write what is expected to be found of a target"))
    _scenario_paths(add("list", "list the scenarios with their reason to exist", work.do_list))
    explain = add("explain", "explain a rule or a scenario", work.do_explain)
    explain.add_argument("subject", metavar="RULE|SCENARIO", help="a rule (order/tool-start-once) or a scenario's name")
    _check_options(add("check", "judge stored traces", work.do_check))
    lint_scenario = add("lint-scenario", "tell every problem of scenario files", work.do_lint_scenario)
    lint_scenario.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="scenario file or folder")
    _lint_request_options(add("lint-request", "judge the body of one request", work.do_lint_request))
    lint_cassette = add("lint-cassette", "judge the requests that cassettes hold", work.do_lint_cassette)
    lint_cassette.add_argument("cassettes", nargs="+", type=Path, metavar="FILE", help="cassette (vcrpy, go-vcr, VCR)")
    _rules(lint_cassette)
    cassettes_options(add("cassettes", "show, count, check and redact cassettes"))
    _drift_options(add("drift", "hold what the scripted models send against recordings", work.do_drift))
    _serve_options(add("serve", "start a command, answer its model requests, and judge them", work.do_serve))
    _watch_options(add("watch", "show a scenario as it runs, in the browser", work.do_watch))
    _selftest_options(add("selftest", "hold every rule against what is broken on purpose", work.do_selftest))
    _corpus_options(add("corpus", "hold the provider sessions against recorded traffic", work.do_corpus))
    importing = add("import-trace", "write recorded runs of a real loop as traces", work.do_import_trace)
    _recordings(importing)
    importing.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder for the traces")
    _recordings(add("golden", "hold the reference loop and the rules against recorded runs", work.do_golden))
    return made


def _init_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("folder", nargs="?", type=Path, default=Path(), metavar="DIR", help="where to (default: here)")
    command.add_argument(
        "--language", choices=("python", "node"), default="python", help="what the loop is written in (default python)"
    )
    command.add_argument(
        "--client",
        choices=("openai", "anthropic", "google-genai", "fetch"),
        help="what the loop asks the model with: in Python an SDK (default openai), on Node fetch",
    )
    command.add_argument(
        "--command",
        action="store_true",
        help="start the loop in Python as a program, with packages of its own (a loop on Node always is one); "
        "writes harness_client.py beside it",
    )


def _run_options(command: argparse.ArgumentParser) -> None:
    _scenario_paths(command)
    _suites(command)
    _wires(command)
    _target(command)
    _rules(command)
    _refuse(command)
    _expression(command)
    _timeout(command)
    _jobs(command)
    executor_option(command)
    shard_option(command)
    _seed(command)
    _out(command)
    _source(command, ("script", "cassette"))
    command.add_argument(
        "--as-provider",
        action="store_true",
        help="answer as the provider's own host (https://api.openai.com ...), for loops that take no base URL",
    )
    command.add_argument(
        "--baseline",
        metavar="FILE|none",
        help="what is expected to be found of the target (default: baselines/TARGET.yaml, else the shipped one)",
    )


def _doctor_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("target", metavar="TARGET", help="the loop, as --target of 'harness run'")
    _wires(command)
    _timeout(command)


def _baseline_options(command: argparse.ArgumentParser) -> None:
    commands = command.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, does, summary in (
        (
            "update",
            work.do_baseline_update,
            "run the target and write an entry for everything that is not expected yet",
        ),
        ("prune", work.do_baseline_prune, "run the target and take out what is not found any longer"),
    ):
        added = commands.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.")
        added.set_defaults(work=does)
        added.add_argument("target", metavar="TARGET", help="the loop, as --target of 'harness run'")
        _scenario_paths(added)
        _suites(added)
        _wires(added)
        _expression(added)
        _jobs(added)
        _out(added)
        added.add_argument("--baseline", type=Path, metavar="FILE", help="the file (default baselines/TARGET.yaml)")


def _report_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="results folder of 'harness run'")
    command.add_argument(
        "--format",
        choices=("html", "terminal", "json", "junit", "markdown", "sarif", "github"),
        default="html",
        help="what to write; github: annotations for the log of a GitHub job (default html)",
    )
    command.add_argument(
        "--out", type=Path, metavar="FILE", help="where to (default: standard output; for html where the run keeps it)"
    )
    command.add_argument("--against", type=Path, metavar="BASE", help="show what has changed since this run, too")
    command.add_argument("--history", type=Path, metavar="DIR", help="plot the findings of the runs in here, too")


def _diff_options(command: argparse.ArgumentParser) -> None:
    for name, which in (("base", "as it was"), ("new", "as it is now")):
        command.add_argument(name, type=Path, metavar=name.upper(), help=f"results folder of the run {which}")
    command.add_argument(
        "--format",
        choices=("terminal", "json", "markdown", "junit", "html"),
        default="terminal",
        help="how to tell it (default terminal)",
    )
    command.add_argument("--out", type=Path, metavar="FILE", help="where to (default: standard output)")


def _history_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=Path("reports"),
        metavar="DIR",
        help="folder of results folders (default reports)",
    )
    command.add_argument(
        "--format",
        choices=("terminal", "json", "markdown", "html"),
        default="terminal",
        help="how to tell it (default terminal)",
    )
    command.add_argument("--out", type=Path, metavar="FILE", help="where to (default: standard output)")


def _record_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("paths", nargs="+", type=Path, metavar="SCENARIO", help="scenario file or folder")
    command.add_argument(
        "--wire", action="append", required=True, choices=WIRES, metavar="WIRE", help=f"one of {', '.join(WIRES)}"
    )
    _target(command)
    _cassettes(command)
    _patterns(command)
    _upstream(command)
    command.add_argument("--scripted", action="store_true", help="record the scenario's own script, not a model")
    command.add_argument(
        "--refresh", action="store_true", help="record existing cassettes again, and tell what has changed since"
    )
    command.add_argument(
        "--max-age", type=at_least_1, metavar="DAYS", help="refresh only cassettes that are older than this"
    )


def _source(command: argparse.ArgumentParser, sources: Sequence[str]) -> None:
    command.add_argument(
        "--source",
        choices=sources,
        default="script",
        help=f"where the model's answers come from: {', '.join(sources)} (default script)",
    )
    _cassettes(command)
    _patterns(command)
    command.add_argument(
        "--timing",
        choices=("none", "recorded"),
        default="none",
        help="answer from a cassette with the waits that were recorded, or without (default none)",
    )


def _cassettes(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--cassettes",
        type=Path,
        default=Path("cassettes"),
        metavar="DIR",
        help="folder of the cassettes, as WIRE/SCENARIO.yaml (default cassettes)",
    )


def _patterns(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--pattern",
        action="append",
        default=[],
        type=pattern,
        metavar="NAME=REGEX",
        help="something of your own that is secret, kept in no cassette; repeatable",
    )


def _upstream(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--upstream",
        metavar="URL",
        help="the server that is recorded (default: the provider, with the key from its usual environment variable)",
    )
    command.add_argument(
        "--mode",
        choices=("none", "once", "new_episodes", "all"),
        default="once",
        help="what of an existing cassette is played and what is recorded, as in vcrpy (default once)",
    )
    command.add_argument("--model", help="the model to ask for (default: that of scripted cases)")
    command.add_argument("--server", help="the upstream's name and version, for the cassette (default: its URL)")


def _check_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("traces", nargs="+", type=Path, metavar="TRACE", help="trace file, or folder of *.jsonl")
    _rules(command)


def _lint_request_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE", help="file with the JSON body of a request; - for standard input")
    command.add_argument(
        "--wire", choices=WIRES, metavar="WIRE", help=f"one of {', '.join(WIRES)} (default: told by the body)"
    )
    command.add_argument("--model", default="", help="the model, where the body does not say it (Gemini)")
    command.add_argument(
        "--header",
        action="append",
        default=[],
        metavar="HEADER",
        help="header of the request, 'name: value'; repeatable",
    )
    _rules(command)


def _serve_options(command: argparse.ArgumentParser) -> None:
    command.usage = "harness serve [SCENARIO ...] [options] [-- COMMAND [ARG ...]]"
    command.epilog = (
        "COMMAND is started with OPENAI_BASE_URL, ANTHROPIC_BASE_URL and GOOGLE_GEMINI_BASE_URL set, and a dummy API "
        "key. Without COMMAND, start your loop yourself with the variables that are printed; Ctrl-C or SIGTERM ends "
        "serving. Exit codes: 0 no finding, 1 findings, no request, or the command failed, 2 bad input."
    )
    command.add_argument(
        "paths",
        nargs="*",
        type=Path,
        metavar="SCENARIO",
        help="scenario file or folder (default: an automatic model, which calls the tools that your loop offers)",
    )
    _wires(command)
    _port(command)
    _source(command, ("script", "cassette", "live"))
    _upstream(command)
    _skip(command)
    _refuse(command)
    _seed(command)
    command.add_argument(
        "--out", type=Path, metavar="DIR", help="write the page, the results and the traces to this folder, too"
    )
    command.add_argument(
        "--requests", type=at_least_1, metavar="N", help="end after N model requests have been answered"
    )
    command.add_argument(
        "--idle", type=seconds, metavar="S", help="end after S seconds without a request, once there was one"
    )


def _watch_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("scenario", metavar="SCENARIO", help="a scenario's name, or its file")
    command.add_argument("--wire", choices=WIRES, metavar="WIRE", help=f"one of {', '.join(WIRES)}")
    _target(command)
    _port(command)
    command.add_argument(
        "--pace", type=at_least_0, default=30, metavar="MS", help="milliseconds between messages (default 30)"
    )


def _selftest_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--rule",
        action="append",
        default=[],
        metavar="RULE",
        help="only this rule or family, and the mutants that name it; repeatable",
    )
    _wires(command)
    command.add_argument("--quick", action="store_true", help="leave out the broken loops, which are run")
    command.add_argument("--out", type=Path, metavar="DIR", help="folder of the matrix (default reports/selftest-TIME)")


def _corpus_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("folder", type=Path, metavar="DIR", help="folder with exchanges.jsonl.gz")
    _wires(command, NATIVE_WIRES)
    command.add_argument("--whole", action="store_true", help="do not cut the streams apart a second time")


def _drift_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "recordings", nargs="+", type=Path, metavar="PATH", help="cassette, or folder of cassettes or of a corpus"
    )
    _wires(command, NATIVE_WIRES)


def _recordings(command: argparse.ArgumentParser) -> None:
    command.add_argument("recordings", type=Path, metavar="DIR", help="folder of recordings, or one of them")


def _scenario_paths(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "paths", nargs="*", type=Path, metavar="PATH", help="scenario file or folder (default: shipped)"
    )


def _suites(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--suite",
        action="append",
        default=[],
        metavar="SUITE",
        help="only cases of these suites: core, robustness, dialects, a profile's name, or all; repeatable, or with "
        "commas (default: all for the reference loop, for targets with a driver here, and where a PATH is given; "
        "else core and the profiles that the target declares)",
    )


def _wires(command: argparse.ArgumentParser, known: Sequence[str] = WIRES) -> None:
    command.add_argument(
        "--wire",
        action="append",
        default=[],
        choices=known,
        metavar="WIRE",
        help=f"only this one of {', '.join(known)}",
    )


def _target(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--target",
        default="reference",
        help="the loop to drive (default reference); 'harness targets' lists what there is",
    )


def _expression(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "-k", dest="expression", default="", metavar="EXPR", help="only cases whose id matches: words, and, or, not, ()"
    )


def _timeout(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--timeout",
        type=seconds,
        metavar="SECONDS",
        help="how long one case may take; importing a function is not counted (default 60)",
    )


def _jobs(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "-j",
        dest="jobs",
        type=at_least_1,
        metavar="N",
        help="worker processes; 1 runs everything in this one (default: one per 100 cases, at most one per core)",
    )


def _out(command: argparse.ArgumentParser) -> None:
    command.add_argument("--out", type=Path, metavar="DIR", help="results folder (default reports/run-TIME)")


def _port(command: argparse.ArgumentParser) -> None:
    command.add_argument("--port", type=int, default=0, help="port on 127.0.0.1 (default: a free one)")


def _rules(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--rule", action="append", default=[], metavar="RULE", help="judge only by this rule or family; repeatable"
    )
    _skip(command)
    command.add_argument("--info", action="store_true", help="report what is only INFO, too")


def _skip(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--skip", action="append", default=[], metavar="RULE", help="neither report nor refuse by this one; repeatable"
    )


def _refuse(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--refuse",
        choices=("must", "should", "info", "nothing"),
        default="must",
        help="down to which level the endpoint refuses requests that break a provider's rule (default must)",
    )


def _seed(command: argparse.ArgumentParser) -> None:
    command.add_argument("--seed", type=int, default=0, help="seed of ids, signatures and random chunking (default 0)")
