"""``harness lab selftest``: the rules against what is broken on purpose."""

from __future__ import annotations

import argparse
import json
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harness import __version__
from harness.cli import common_options as common
from harness.cli.command import Command
from harness.cli.parser import Parser, Repeated
from harness.errors import BadInput, HarnessError
from harness.ground.disk import problem

if TYPE_CHECKING:
    from harness.wire import WireName
    from harness_lab.selftest import Family, SelftestSummary


def options(command: Parser) -> None:
    """Which rules and wires, and where the kill matrix goes."""
    command.set_defaults(work=work)
    command.add_argument(
        "--rule",
        dest="rules",
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


COMMAND: Final = Command(
    "",
    "mutation-test the rules",
    options,
    "harness lab selftest --rule continuation --wire anthropic-messages",
    "harness lab selftest --servers",
)


def work(options: argparse.Namespace) -> int:
    """``harness lab selftest``. Returns the exit code."""
    from harness.targets.extra import require_reference

    require_reference("harness lab selftest")
    return selftest(options.rules, options.wires, quick=options.quick, out=options.out, servers=options.servers)


_COLUMNS = ("rules", "killed", "allowed", "mutants", "survived", "pairs", "clean", "findings")


def selftest(
    rules: Sequence[str], wires: Sequence[WireName], *, quick: bool, out: Path | None, servers: bool = False
) -> int:
    """Judge everything that is broken on purpose, and all that is not; print the result and write the matrix.

    With ``servers`` answers of servers and gateways are judged, and nothing else.

    Returns 0 when every rule has a kill, every mutant is found and nothing clean is; 3 when a check crashed. Raises
    ``BadInput`` for an unknown rule, for a choice that leaves nothing, and for a folder that cannot be written.
    """
    import asyncio

    from harness.report.terminal import visible
    from harness_lab.selftest import SelftestSummary, scope
    from harness_lab.selftest.servers import server_families
    from harness_lab.selftest.work import families

    wanted = scope(rules, wires, loops=not quick)
    if servers and rules:
        raise BadInput("--rule: rules about servers are judged together; leave it out beside --servers")
    started = datetime.now(UTC)
    folder = _made(out or Path("reports") / f"selftest-{started:%Y%m%d-%H%M%S}")
    judged = server_families(wanted.wires) if servers else families(wanted)
    selftest = SelftestSummary.of(asyncio.run(_printed(judged)))
    for failure in selftest.failures:
        print(visible(f"{failure.family}: {failure.what}"))
        for line in failure.evidence:
            print(visible(f"  {line}"))
    _write(folder, selftest, started)
    print(f"matrix: {folder / 'matrix.md'} ({(datetime.now(UTC) - started).total_seconds():.1f} s)")
    print(selftest.counts)
    if selftest.crashed:
        return 3
    return 0 if selftest.passed else 1


async def _printed(families: AsyncIterator[Family]) -> list[Family]:
    """The families, each printed in a line when it is done."""
    judged: list[Family] = []
    print(f"{'':18}" + "".join(f"{column:>10}" for column in _COLUMNS), flush=True)
    async for family in families:
        judged.append(family)
        print(_line(family), flush=True)
    if not judged:
        raise BadInput("nothing is left to judge: no mutant of these wires names these rules; relax --rule or --wire")
    return judged


def _line(family: Family) -> str:
    figures = (
        len(family.rules),
        len(family.killed.intersection(family.rules) if family.rules else family.killed),
        len(family.permitted),
        len(family.names),
        len(family.survivors),
        len(family.pairs),
        len(family.clean),
        family.findings,
    )
    return f"{family.name:18}" + "".join(f"{figure:>10}" for figure in figures)


def _made(folder: Path) -> Path:
    """The folder, made before there is anything to write: nobody should wait for what cannot be kept."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise _unwritable(folder, error) from None
    return folder


def _unwritable(folder: Path, error: OSError | ValueError) -> HarnessError:
    what = f"--out {folder}: cannot be written"
    found = problem(error, what) if isinstance(error, OSError) else BadInput(f"{what}: {error}")
    return BadInput(f"{found}; choose another folder") if isinstance(found, BadInput) else found


def _write(folder: Path, selftest: SelftestSummary, started: datetime) -> None:
    from harness_lab.selftest.matrix import as_json, as_markdown

    head = {"harness": __version__, "started": started.isoformat(timespec="seconds")}
    try:
        (folder / "matrix.json").write_text(json.dumps(as_json(selftest, head), indent=1) + "\n", encoding="utf-8")
        (folder / "matrix.md").write_text(as_markdown(selftest, head), encoding="utf-8")
    except OSError as error:
        raise _unwritable(folder, error) from None
