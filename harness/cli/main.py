"""The commands and their options.

No command's work is imported before that command runs, and the options are read with argparse, which is here in
a tenth of the time that a richer library takes: ``harness --help`` is something people wait for.

Exit codes: 0 all as expected, 1 findings, 2 bad input, 3 an error of the harness itself, 130 interrupted.
"""

from __future__ import annotations

import argparse
import errno
import io
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from harness import __version__
from harness.cli.cassettes.options import cassettes_options
from harness.cli.names import NATIVE_WIRES, WIRES
from harness.errors import BadInput

if TYPE_CHECKING:
    from harness.runner.sources import Recording, Sources

__all__ = ["main"]

Command = Callable[[argparse.Namespace], int]


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Entry point of the command ``harness``. ``arguments`` default to those of the process."""
    sys.exit(_run(arguments))


def _run(arguments: Sequence[str] | None) -> int:
    _write_anything()
    options = _parser().parse_args(arguments)
    work: Command = options.work
    try:
        return work(options)
    except BadInput as error:
        from harness.report.terminal import visible

        for problem in error.problems:
            print(f"error: {visible(problem)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader has left (`harness list | head`).
        _write_no_more()
        return 1
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        _write_no_more()
        print("error: there is no space left to write to", file=sys.stderr)
        return 2


def _write_no_more() -> None:
    """Nothing may be written on the way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write_anything() -> None:
    """What the encoding of the terminal does not have is told as an escape: ``LC_ALL=C``, code pages of Windows."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


# --- what each command does, imported when it runs ------------------------------------------------------------


def _do_run(options: argparse.Namespace) -> int:
    from harness.cli.run import RunOptions, run
    from harness.runner.judging import judging

    return run(
        RunOptions(
            paths=options.paths,
            wires=options.wire,
            target=options.target,
            judging=judging(options.rule, without=options.skip, info=options.info, refuse=options.refuse),
            expression=options.expression,
            jobs=options.jobs,
            seed=options.seed,
            out=options.out,
            sources=_sources(options),
        )
    )


def _sources(options: argparse.Namespace) -> Sources:
    from harness.runner.sources import SCRIPTED, Cassettes

    if options.source == "live":
        return _recording(options)
    return SCRIPTED if options.source == "script" else Cassettes(options.cassettes, timed=options.timing == "recorded")


def _recording(options: argparse.Namespace, *, scripted: bool = False) -> Recording:
    from harness.runner.sources import Recording

    return Recording(options.cassettes, options.mode, options.upstream, options.model, options.server, scripted)


def _do_record(options: argparse.Namespace) -> int:
    from harness.cli.record import record

    recording = _recording(options, scripted=options.scripted)
    if options.refresh or options.max_age is not None:
        from harness.cli.refresh import refresh

        return refresh(options.paths, options.wire, options.target, recording, older_than=options.max_age or 0)
    return record(options.paths, options.wire, options.target, recording)


def _do_list(options: argparse.Namespace) -> int:
    from harness.cli.listing import list_scenarios

    return list_scenarios(options.paths)


def _do_explain(options: argparse.Namespace) -> int:
    from harness.cli.explain import explain

    return explain(options.subject)


def _do_check(options: argparse.Namespace) -> int:
    from harness.cli.check import check

    return check(options.traces, options.rule, without=options.skip, info=options.info)


def _do_lint_request(options: argparse.Namespace) -> int:
    from harness.cli.lint import lint_request
    from harness.rules import select

    selection = select(options.rule, without=options.skip, info=options.info)
    return lint_request(options.file, selection, wire=options.wire, model=options.model, headers=options.header)


def _do_lint_cassette(options: argparse.Namespace) -> int:
    from harness.cli.lint import lint_cassettes
    from harness.rules import select

    return lint_cassettes(options.cassettes, select(options.rule, without=options.skip, info=options.info))


def _do_serve(options: argparse.Namespace) -> int:
    from harness.cli.serve import serve

    return serve(
        options.paths,
        options.wire,
        port=options.port,
        seed=options.seed,
        refuse=options.refuse,
        without=options.skip,
        sources=_sources(options),
    )


def _do_watch(options: argparse.Namespace) -> int:
    from harness.cli.watch import watch

    return watch(options.scenario, wire=options.wire, target=options.target, port=options.port, pace=options.pace)


def _do_corpus(options: argparse.Namespace) -> int:
    from harness.cli.corpus import corpus

    return corpus(options.folder, options.wire, recut=not options.whole)


def _do_selftest(options: argparse.Namespace) -> int:
    from harness.cli.selftest import selftest

    return selftest(options.rule, options.wire, quick=options.quick, out=options.out)


def _do_import_trace(options: argparse.Namespace) -> int:
    from harness.cli.golden import import_traces

    return import_traces(options.recordings, options.out)


def _do_golden(options: argparse.Namespace) -> int:
    from harness.cli.golden import golden

    return golden(options.recordings)


# --- the options --------------------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="harness",
        description="Drive an agent loop against scripted models and say which conformance rule it breaks, "
        "with the evidence.",
        epilog="Exit codes: 0 all as expected, 1 findings, 2 bad input, 3 an error of the harness itself.",
    )
    parser.add_argument("--version", action="version", version=f"harness {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _run_options(_command(commands, "run", _do_run, "run scenarios against a target and judge every trace"))
    _record_options(_command(commands, "record", _do_record, "record real models through the endpoint to cassettes"))
    listing = _command(commands, "list", _do_list, "list the scenarios with their reason to exist")
    _scenario_paths(listing)
    explain = _command(commands, "explain", _do_explain, "explain a rule or a scenario")
    explain.add_argument("subject", metavar="RULE|SCENARIO", help="a rule (order/tool-start-once) or a scenario's name")
    _check_options(_command(commands, "check", _do_check, "judge stored traces"))
    _lint_request_options(_command(commands, "lint-request", _do_lint_request, "judge the body of one request"))
    lint_cassette = _command(commands, "lint-cassette", _do_lint_cassette, "judge the requests that cassettes hold")
    lint_cassette.add_argument("cassettes", nargs="+", type=Path, metavar="FILE", help="cassette (vcrpy, go-vcr, VCR)")
    _rules(lint_cassette)
    cassettes_options(_group(commands, "cassettes", "show, count, check and redact cassettes"))
    _serve_options(_command(commands, "serve", _do_serve, "serve scripted, recorded or real models on a loopback port"))
    _watch_options(_command(commands, "watch", _do_watch, "show a scenario as it runs, in the browser"))
    _selftest_options(_command(commands, "selftest", _do_selftest, "hold every rule against what is broken on purpose"))
    _corpus_options(_command(commands, "corpus", _do_corpus, "hold the provider sessions against recorded traffic"))
    importing = _command(commands, "import-trace", _do_import_trace, "write recorded runs of a real loop as traces")
    _recordings(importing)
    importing.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder for the traces")
    _recordings(_command(commands, "golden", _do_golden, "hold the reference loop and the rules against recorded runs"))
    return parser


def _group(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, summary: str
) -> argparse.ArgumentParser:
    return commands.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.")


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, work: Command, summary: str
) -> argparse.ArgumentParser:
    command = commands.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.")
    command.set_defaults(work=work)
    return command


def _run_options(command: argparse.ArgumentParser) -> None:
    _scenario_paths(command)
    _wires(command)
    _target(command)
    _rules(command)
    _refuse(command)
    command.add_argument(
        "-k", dest="expression", default="", metavar="EXPR", help="only cases whose id matches: words, and, or, not, ()"
    )
    command.add_argument(
        "-j",
        dest="jobs",
        type=_positive,
        metavar="N",
        help="worker processes; 1 runs everything in this one (default: one per 100 cases, at most one per core)",
    )
    _seed(command)
    command.add_argument("--out", type=Path, metavar="DIR", help="results folder (default reports/run-TIME)")
    _source(command, ("script", "cassette"))


def _record_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("paths", nargs="+", type=Path, metavar="SCENARIO", help="scenario file or folder")
    command.add_argument(
        "--wire", action="append", required=True, choices=WIRES, metavar="WIRE", help=f"one of {', '.join(WIRES)}"
    )
    _target(command)
    _cassettes(command)
    _upstream(command)
    command.add_argument("--scripted", action="store_true", help="record the scenario's own script, not a model")
    command.add_argument(
        "--refresh", action="store_true", help="record existing cassettes again, and tell what has changed since"
    )
    command.add_argument(
        "--max-age", type=_positive, metavar="DAYS", help="refresh only cassettes that are older than this"
    )


def _source(command: argparse.ArgumentParser, sources: Sequence[str]) -> None:
    command.add_argument(
        "--source",
        choices=sources,
        default="script",
        help=f"where the model's answers come from: {', '.join(sources)} (default script)",
    )
    _cassettes(command)
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
    command.add_argument("paths", nargs="+", type=Path, metavar="SCENARIO", help="scenario file or folder")
    _wires(command)
    _port(command)
    _source(command, ("script", "cassette", "live"))
    _upstream(command)
    _skip(command)
    _refuse(command)
    _seed(command)


def _watch_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("scenario", metavar="SCENARIO", help="a scenario's name, or its file")
    command.add_argument("--wire", choices=WIRES, metavar="WIRE", help=f"one of {', '.join(WIRES)}")
    _target(command)
    _port(command)
    command.add_argument(
        "--pace", type=_milliseconds, default=30, metavar="MS", help="milliseconds between messages (default 30)"
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


def _recordings(command: argparse.ArgumentParser) -> None:
    command.add_argument("recordings", type=Path, metavar="DIR", help="folder of recordings, or one of them")


def _scenario_paths(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "paths", nargs="*", type=Path, metavar="PATH", help="scenario file or folder (default: shipped)"
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
        help="the loop to drive: reference (default), reference:PRESET, wire-only, mutant:NAME",
    )


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


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("expected 1 or more")
    return number


def _milliseconds(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError("expected 0 or more")
    return number
