"""Options that several commands have, with one name, one meaning and one description; and what is made of them.

Nothing but argparse is imported here: ``--help`` must not wait for the work of commands.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from harness.cli.added import WIRES, source_names
from harness.cli.parser import Repeated
from harness.wire.channels import CHANNELS, HTTP, TRANSPORTS

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from harness.rules import Selection
    from harness.runner.shards import Shard
    from harness.runner.sources import Sources

    _Options = TypeVar("_Options", bound=DataclassInstance)

_Arguments = argparse._ActionsContainer


def filled(kind: type[_Options], options: argparse.Namespace, **others: object) -> _Options:
    """The dataclass ``kind`` with the options that have the names of its fields, and ``others``, made of several."""
    own = {each.name: getattr(options, each.name) for each in dataclasses.fields(kind) if each.name in options}
    made: dict[str, Any] = own | others
    return kind(**made)


# --- which cases -----------------------------------------------------------------------------------------------


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
        dest="suites",
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
        dest="wires",
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
    """Add ``--timeout``, in seconds: the ``deadline``; 0 if it is missing."""
    command.add_argument(
        "--timeout",
        dest="deadline",
        type=seconds,
        default=0.0,
        metavar="SECONDS",
        help="time limit of one case; importing a function is not counted (default 60)",
    )


def jobs(command: _Arguments) -> None:
    """Add ``-j`` and ``--jobs``; None if it is missing."""
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
    """Add ``--out``; None if it is missing."""
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
        dest="rules",
        action=Repeated,
        default=[],
        metavar="RULE",
        help="judge only by this rule or family; repeatable",
    )
    skip(command)
    command.add_argument("--info", action="store_true", help="report informational findings, too")


def skip(command: _Arguments) -> None:
    """Add ``--skip``, repeatable: what the rules are ``without``."""
    command.add_argument(
        "--skip",
        dest="without",
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
    """Add ``-v`` and ``-q``, which are counted: more and less ``verbosity``."""
    command.add_argument(
        "-v",
        "--verbose",
        dest="verbosity",
        action="count",
        default=0,
        help="report every case when it ends, and failing ones in full",
    )
    command.add_argument(
        "-q",
        "--quiet",
        dest="verbosity",
        action=_Less,
        nargs=0,
        default=0,
        help="report findings and totals only; -qq: totals only",
    )


class _Less(argparse.Action):
    def __call__(
        self,
        parser: argparse.ArgumentParser,  # noqa: ARG002 - the signature is argparse's
        namespace: argparse.Namespace,
        values: Any,  # noqa: ARG002
        option_string: str | None = None,  # noqa: ARG002
    ) -> None:
        setattr(namespace, self.dest, getattr(namespace, self.dest) - 1)


def max_findings(command: _Arguments) -> None:
    """Add ``--max-findings``; None if it is missing."""
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
    """Add ``--as-server``: the ``server`` that the endpoint plays."""
    command.add_argument(
        "--as-server",
        dest="server",
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
    """Add ``--isolate`` and ``--no-isolate``: the ``sealing``."""
    added = command.add_argument(
        "--isolate",
        dest="sealing",
        action=_Isolate,
        help="seal the loop off: it reaches the endpoint and nothing else, and every process that it starts ends with "
        "it. --isolate: exit code 2 where the machine does not allow that; --no-isolate: never (default: where the "
        "machine allows it)",
    )
    added.default = "possible"  # argparse in Python 3.11 adds a default to the help


class _Isolate(argparse.BooleanOptionalAction):
    def __call__(
        self,
        parser: argparse.ArgumentParser,  # noqa: ARG002 - the signature is argparse's
        namespace: argparse.Namespace,
        values: Any,  # noqa: ARG002
        option_string: str | None = None,
    ) -> None:
        setattr(namespace, self.dest, "off" if str(option_string).startswith("--no-") else "required")


# --- where the model's answers are from ----------------------------------------------------------------------


def source(command: _Arguments, sources: Sequence[str]) -> None:
    """Add ``--source`` and the options that belong to it: ``--cassettes``, ``--pattern``, ``--timing`` and ``--match``.

    ``sources`` are the names of the command's own sources; sources of other packages are added to them.
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
        dest="patterns",
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


def transport_of(options: argparse.Namespace) -> str:
    """The transport of the cases as they have it: empty for HTTP."""
    return "" if options.transport == HTTP else str(options.transport)


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
        "--server",
        dest="upstream_name",
        metavar="NAME",
        help="name and version of the upstream, noted in the cassette (default: its URL)",
    )


def sources_of(options: argparse.Namespace) -> Sources:
    """The answers that ``--source`` and what belongs to it ask for."""
    from harness.runner.source_registry import SourceOptions, sources_of

    wanted = filled(
        SourceOptions,
        options,
        folder=options.cassettes,
        timed=options.timing == "recorded",
        patterns=tuple(options.patterns),
        server=getattr(options, "upstream_name", None),
    )
    return sources_of(options.source, wanted)


def selection_of(options: argparse.Namespace) -> Selection:
    """The rules that ``--rule``, ``--skip`` and ``--info`` select."""
    from harness.rules import select

    return select(options.rules, without=options.without, info=options.info)


# --- where the work is done -----------------------------------------------------------------------------------


def executor(command: _Arguments) -> None:
    """Add ``--executor``, for ``harness.runner.distributed.cluster.cluster_of``."""
    command.add_argument(
        "--executor",
        default="processes",
        metavar="processes|dask[:ADDRESS]",
        help="where to run: in processes of this machine (default), or on the workers of a dask scheduler, for example "
        "dask:tcp://127.0.0.1:8786; without an address a cluster on this machine is started and ended",
    )


def shard(command: _Arguments) -> None:
    """Add ``--shard``; None if it is missing."""
    command.add_argument(
        "--shard", metavar="K/N", help="only part K of N parts of the selection; the ids decide which part it is"
    )


def shard_of(options: argparse.Namespace) -> Shard | None:
    """The part that ``--shard`` asks for; None for all cases."""
    from harness.runner.shards import shard_of

    return None if options.shard is None else shard_of(options.shard)


# --- values for argparse's ``type`` ---------------------------------------------------------------------------


def at_least_0(text: str) -> int:
    """A whole number from 0 on. Raises ``ArgumentTypeError`` for anything else."""
    return _at_least(0, text)


def at_least_1(text: str) -> int:
    """The same from 1 on."""
    return _at_least(1, text)


def seconds(text: str) -> float:
    """A number above 0. Raises ``ArgumentTypeError`` for anything else."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not (number > 0 and math.isfinite(number)):
        raise argparse.ArgumentTypeError(f"expected a number of seconds above 0, got {text!r}")
    return number


def _at_least(least: int, text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a whole number, got {text!r}") from None
    if number < least:
        raise argparse.ArgumentTypeError(f"expected {least} or more")
    return number


def pattern(text: str) -> tuple[str, re.Pattern[str]]:
    """The argument of ``--pattern``: a name for what is secret, and the regular expression that finds it."""
    name, _, expression = text.partition("=")
    if not name or not expression:
        raise argparse.ArgumentTypeError(f"expected NAME=REGEX, got {text!r}")
    try:
        return name, re.compile(expression)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{expression!r} is no regular expression: {error}") from error
