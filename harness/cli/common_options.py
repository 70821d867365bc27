"""Options that several commands have, with one name, one meaning and one description."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from pathlib import Path

from harness.cli.added import WIRES, source_names
from harness.cli.amounts import at_least_0, at_least_1, seconds
from harness.cli.cassettes.options import pattern
from harness.cli.parser import Repeated
from harness.wire.channels import CHANNELS, HTTP, TRANSPORTS

_Arguments = argparse._ActionsContainer


def scenario_paths(command: _Arguments) -> None:
    """Add the positional PATHs of scenarios; no path means the shipped scenarios."""
    command.add_argument(
        "paths",
        nargs="*",
        type=Path,
        default=[],
        metavar="PATH",
        help="scenario file or folder (default: the scenarios that the harness ships)",
    )


def suites(command: _Arguments) -> None:
    """Add ``--suite``, repeatable."""
    command.add_argument(
        "--suite",
        action=Repeated,
        default=[],
        metavar="SUITE",
        help="only cases of this suite: core, robustness, dialects, a profile's name, or all; repeatable, or several "
        "with commas (default: all where a PATH is given, for the reference loop and for shipped drivers; for your own "
        "loop core and the profiles that it declares)",
    )


def wires(command: _Arguments, among: Collection[str] = WIRES) -> None:
    """Add ``--wire``, repeatable, with the names in ``among`` as choices."""
    command.add_argument(
        "--wire",
        action=Repeated,
        default=[],
        choices=among,
        metavar="WIRE",
        help="only this API format (wire): %(choices)s; repeatable",
    )


def target(command: _Arguments) -> None:
    """Add ``--target``; the default is the reference loop."""
    command.add_argument(
        "--target",
        default="reference",
        metavar="TARGET",
        help="the loop to run: package.module:function, cmd:COMMAND, FILE.yaml, or a name that 'harness targets' lists "
        "(default reference)",
    )


def target_name(command: _Arguments) -> None:
    """The same as a positional, which a configuration may make optional."""
    command.add_argument("target", metavar="TARGET", help="the loop, as --target of 'harness run'")


def expression(command: _Arguments) -> None:
    """Add ``-k``, repeatable; the expressions are in ``expressions``."""
    command.add_argument(
        "-k",
        dest="expressions",
        action=Repeated,
        default=[],
        metavar="EXPR",
        help="only cases whose id matches: words joined with and, or, not and parentheses; given several times, cases "
        "that match any of them",
    )


def timeout(command: _Arguments) -> None:
    """Add ``--timeout``, in seconds; None where it is not given."""
    command.add_argument(
        "--timeout",
        type=seconds,
        metavar="SECONDS",
        help="time limit of one case; importing a function is not counted (default 60)",
    )


def jobs(command: _Arguments) -> None:
    """Add ``-j`` and ``--jobs``; None where it is not given."""
    command.add_argument(
        "-j",
        "--jobs",
        dest="jobs",
        type=at_least_1,
        metavar="N",
        help="number of worker processes; 1 runs everything in this process, except third-party loops and your own "
        "(default: one per 100 cases, at most one per core)",
    )


def out(command: _Arguments) -> None:
    """Add ``--out``; None where it is not given."""
    command.add_argument("--out", type=Path, metavar="DIR", help="results folder (default reports/run-TIME)")


def port(command: _Arguments) -> None:
    """Add ``--port``; 0 means any free port."""
    command.add_argument(
        "--port", type=int, default=0, metavar="PORT", help="port on 127.0.0.1 (default: any free port)"
    )


def rules(command: _Arguments) -> None:
    """Add the options that select rules: ``--rule``, ``--skip`` and ``--info``."""
    command.add_argument(
        "--rule",
        action=Repeated,
        default=[],
        metavar="RULE",
        help="judge only by this rule or family; repeatable",
    )
    skip(command)
    command.add_argument("--info", action="store_true", help="report informational findings, too")


def skip(command: _Arguments) -> None:
    """Add ``--skip``, repeatable."""
    command.add_argument(
        "--skip",
        action=Repeated,
        default=[],
        metavar="RULE",
        help="do not judge by this rule, and do not reject requests because of it; repeatable",
    )


def refuse(command: _Arguments) -> None:
    """Add ``--refuse``: the severity from which on the endpoint refuses requests."""
    command.add_argument(
        "--refuse",
        choices=("must", "should", "info", "nothing"),
        default="must",
        help="reject requests that break a provider's rule of this severity or a higher one (default must)",
    )


def seed(command: _Arguments) -> None:
    """Add ``--seed``; the default is 0."""
    command.add_argument(
        "--seed", type=int, default=0, metavar="N", help="seed of ids, signatures and random chunking (default 0)"
    )


def verbosity(command: _Arguments) -> None:
    """Add ``-v`` and ``-q``, which are counted."""
    command.add_argument(
        "-v", "--verbose", action="count", default=0, help="report every case when it ends, and failing ones in full"
    )
    command.add_argument(
        "-q", "--quiet", action="count", default=0, help="report findings and totals only; -qq: totals only"
    )


def max_findings(command: _Arguments) -> None:
    """Add ``--max-findings``; None where it is not given."""
    command.add_argument(
        "--max-findings",
        type=at_least_0,
        metavar="N",
        help="show at most N causes in full on the terminal, the others in one line each (default 10)",
    )


def server(command: _Arguments) -> None:
    """Add ``--server``: the one that is asked."""
    command.add_argument(
        "--server",
        default="",
        metavar="NAME",
        help="server that is asked: azure, openrouter, ollama, vllm, ... (docs/servers.md; default: detected)",
    )


def as_server(command: _Arguments) -> None:
    """Add ``--as-server``: the one that the endpoint plays."""
    command.add_argument(
        "--as-server",
        default="",
        metavar="NAME",
        help="refuse and judge as this server does: azure, openrouter, ollama, ... (docs/servers.md; default: as the "
        "provider itself)",
    )


def dialect(command: _Arguments) -> None:
    """Add ``--dialect``: the one in which the answers are streamed."""
    command.add_argument(
        "--dialect",
        default="",
        metavar="NAME",
        help="stream as servers do that are not the provider's own: index-zero, no-done, ... (docs/dialects.md)",
    )


def format_option(command: _Arguments) -> None:
    """Add ``--format``: terminal or json."""
    command.add_argument(
        "--format",
        choices=("terminal", "json"),
        default="terminal",
        help="text for people, or JSON for programs (default terminal)",
    )


def isolate(command: _Arguments) -> None:
    """Add ``--isolate`` and ``--no-isolate``; neither is None."""
    command.add_argument(
        "--isolate",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="seal the loop off: it reaches the endpoint and nothing else, and every process that it starts ends with "
        "it. --isolate: exit code 2 where the machine does not allow that; --no-isolate: never (default: where the "
        "machine allows it)",
    )


# --- where the model's answers are from ----------------------------------------------------------------------


def source(command: _Arguments, sources: Sequence[str]) -> None:
    """Add ``--source`` and what belongs to it: ``--cassettes``, ``--pattern``, ``--timing`` and ``--match``.

    ``sources`` are the names of the command's own sources; those of other packages are added.
    """
    command.add_argument(
        "--source",
        choices=source_names(sources),
        default="script",
        metavar="SOURCE",
        help=f"where the model's answers are from: {', '.join(sources)}, or a source that another package adds "
        "('harness plugins'; default script)",
    )
    cassettes(command)
    patterns(command)
    command.add_argument(
        "--timing",
        choices=("none", "recorded"),
        default="none",
        help="replay a cassette with the recorded delays, or without delays (default none)",
    )
    command.add_argument(
        "--match",
        choices=("meaning", "place"),
        help="which recording answers a request: one that means the same, or the one at its place in its conversation "
        "(default place for coding agents, else meaning)",
    )


def cassettes(command: _Arguments) -> None:
    """Add ``--cassettes``; the default is the folder ``cassettes``."""
    command.add_argument(
        "--cassettes",
        type=Path,
        default=Path("cassettes"),
        metavar="DIR",
        help="folder of the cassettes, as WIRE/SCENARIO.yaml (default cassettes)",
    )


def patterns(command: _Arguments) -> None:
    """Add ``--pattern``, repeatable."""
    command.add_argument(
        "--pattern",
        action=Repeated,
        default=[],
        type=pattern,
        metavar="NAME=REGEX",
        help="text that is secret and must not be in a cassette; repeatable",
    )


def transport(command: _Arguments) -> None:
    """Add ``--transport``."""
    command.add_argument(
        "--transport",
        choices=TRANSPORTS,
        default=HTTP,
        help="how the loop asks: over HTTP, or, where the API has them, over "
        + ", or ".join(f"{each.many} ({each.guide})" for each in CHANNELS.values()),
    )


def upstream(command: _Arguments) -> None:
    """Add the options of commands that record: ``--upstream`` and ``--mode``."""
    command.add_argument(
        "--upstream",
        metavar="URL",
        help="the server to record (default: the provider, with the API key from its usual environment variable)",
    )
    command.add_argument(
        "--mode",
        choices=("none", "once", "new_episodes", "all"),
        default="once",
        help="what to replay from an existing cassette and what to record, as in vcrpy (default once)",
    )
    command.add_argument("--model", metavar="NAME", help="the model to ask for (default: that of scripted cases)")
    command.add_argument(
        "--server", metavar="NAME", help="name and version of the upstream, noted in the cassette (default: its URL)"
    )
