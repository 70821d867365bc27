"""The commands ``fuzz``, ``selftest``, ``drift``, ``corpus``, ``golden``, ``import-trace`` and ``cassettes import``.

Each has its options and its work, which is imported when it runs.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from harness.cli import common_options as common
from harness.cli.command import Command
from harness.cli.parser import Parser, Repeated
from harness.targets.extra import require_reference
from harness.wire import OWN_NATIVE_WIRES
from harness_lab.cli.fuzz_options import fuzz_options

_MAINTAIN: Final = "Maintain the harness itself"

# --- fuzz ------------------------------------------------------------------------------------------------------


def _fuzz(command: Parser) -> None:
    command.set_defaults(work=_do_fuzz)
    fuzz_options(command)


def _do_fuzz(options: argparse.Namespace) -> int:
    from harness.runner.distributed.cluster import cluster_of
    from harness.runner.shards import shard_of
    from harness_lab.cli import fuzz

    if options.replay:
        return fuzz.replay(options.replay, options.target)
    if options.adopt:
        return fuzz.adopt(options.adopt, options.out)
    return fuzz.fuzz(
        fuzz.FuzzOptions(
            campaigns=options.campaigns,
            target=options.target,
            examples=options.max_examples,
            seconds=options.time,
            seed=options.seed,
            profile=options.profile,
            out=options.out,
            database="" if options.database == "none" else options.database,
            jobs=options.jobs,
            cluster=cluster_of(options.executor, options.jobs),
            shard=None if options.shard is None else shard_of(options.shard),
        )
    )


FUZZ: Final = Command(
    "Fuzz",
    "generate adversarial inputs for parsers and loops, and minimise failures",
    _fuzz,
    "harness fuzz arguments --target my_package.json:parse",
    "harness fuzz --replay reports/fuzz-20260101-120000",
)

# --- cassettes import ------------------------------------------------------------------------------------------


def _cassettes_import(command: Parser) -> None:
    command.set_defaults(work=_do_cassettes_import)
    command.add_argument("recordings", type=Path, metavar="DIR", help="folder of recordings, or of a corpus")
    command.add_argument(
        "--out", type=Path, metavar="DIR", help="new folder for the cassettes and scenarios of loops that replay"
    )


def _do_cassettes_import(options: argparse.Namespace) -> int:
    require_reference("harness cassettes import")
    from harness_lab.cli.imports import import_recordings

    return import_recordings(options.recordings, options.out)


CASSETTES_IMPORT: Final = Command(
    "Record and replay",
    "replay the agent loops in recordings of other tools, and write them as cassettes",
    _cassettes_import,
    "harness cassettes import recordings --out imported",
)

# --- maintain the harness --------------------------------------------------------------------------------------


def _selftest(command: Parser) -> None:
    command.set_defaults(work=_do_selftest)
    command.add_argument(
        "--rule",
        action=Repeated,
        default=[],
        metavar="RULE",
        help="only this rule or family, and the mutants that name it; repeatable",
    )
    common.wires(command)
    command.add_argument("--quick", action="store_true", help="leave out the mutants of loops, which take longest")
    command.add_argument(
        "--servers", action="store_true", help="only the rules about what servers and gateways send, on broken answers"
    )
    command.add_argument(
        "--out", type=Path, metavar="DIR", help="folder of the kill matrix (default reports/selftest-TIME)"
    )


def _do_selftest(options: argparse.Namespace) -> int:
    require_reference("harness selftest")
    from harness_lab.cli.selftest import selftest

    return selftest(options.rule, options.wire, quick=options.quick, out=options.out, servers=options.servers)


SELFTEST: Final = Command(
    _MAINTAIN,
    "mutation-test the rules",
    _selftest,
    "harness selftest --rule continuation --wire anthropic-messages",
    "harness selftest --servers",
)


def _drift(command: Parser) -> None:
    command.set_defaults(work=_do_drift)
    command.add_argument(
        "recordings", nargs="+", type=Path, metavar="PATH", help="cassette, or folder of cassettes or of a corpus"
    )
    common.wires(command, OWN_NATIVE_WIRES)


def _do_drift(options: argparse.Namespace) -> int:
    from harness_lab.cli.drift import drift

    return drift(options.recordings, options.wire)


DRIFT: Final = Command(
    _MAINTAIN,
    "compare the responses of scripted models with recorded responses",
    _drift,
    "harness drift cassettes",
)


def _corpus(command: Parser) -> None:
    command.set_defaults(work=_do_corpus)
    command.add_argument("folder", type=Path, metavar="DIR", help="folder with exchanges.jsonl.gz")
    common.wires(command, OWN_NATIVE_WIRES)
    command.add_argument("--whole", action="store_true", help="do not split the streams at other places a second time")


def _do_corpus(options: argparse.Namespace) -> int:
    require_reference("harness corpus")
    from harness_lab.cli.corpus import corpus

    return corpus(options.folder, options.wire, recut=not options.whole)


CORPUS: Final = Command(
    _MAINTAIN,
    "verify provider sessions and rules against recorded traffic",
    _corpus,
    "harness corpus corpus",
)


def _golden(command: Parser) -> None:
    command.set_defaults(work=_do_golden)
    _recordings(command)


def _do_golden(options: argparse.Namespace) -> int:
    require_reference("harness golden")
    from harness_lab.cli.golden import golden

    return golden(options.recordings)


GOLDEN: Final = Command(
    _MAINTAIN,
    "compare the reference loop and the rules with recorded runs of a real loop",
    _golden,
    "harness golden recordings",
)


def _import_trace(command: Parser) -> None:
    command.set_defaults(work=_do_import_trace)
    _recordings(command)
    command.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder for the traces")


def _do_import_trace(options: argparse.Namespace) -> int:
    from harness_lab.cli.golden import import_traces

    return import_traces(options.recordings, options.out)


IMPORT_TRACE: Final = Command(
    _MAINTAIN,
    "convert recorded runs of a real loop to traces",
    _import_trace,
    "harness import-trace recordings --out traces",
)


def _recordings(command: Parser) -> None:
    command.add_argument("recordings", type=Path, metavar="DIR", help="folder of recordings, or one recording")
