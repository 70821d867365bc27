"""``harness run --resume``: a run that was interrupted or killed goes on, if it is still the same run.

The same are its cases, the files of its scenarios and recordings, and every option that a verdict depends on. The code
of the loop is not looked at: whoever has changed it begins anew. How many cases run at once, and where, may differ.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harness import __version__
from harness.errors import BadInput
from harness.ground.disk import problem
from harness.report.journal import JOURNAL, Journaled, JournalHead, read_journal
from harness.runner.paths import shown
from harness.runner.plan import PlannedCase
from harness.runner.redacting import gated
from harness.runner.sources import Cassettes, cassette_of

if TYPE_CHECKING:
    from harness.cli.run_options import RunOptions

_INCLUDE: Final = re.compile(r"""!include\s+(?:(["'])(.+?)\1|([^\s#,\]}]+))""")


def interrupted_run(folder: Path) -> Journaled:
    """The journal of the run to resume. Raises ``BadInput`` for a folder without a journal."""
    found = read_journal(folder)
    if found is None:
        raise BadInput(
            f"--resume {folder}: expected the results folder of a run with its {JOURNAL}, got none; "
            "run without --resume to begin one"
        )
    return found


def as_planned(before: Journaled, planned: Sequence[PlannedCase]) -> list[PlannedCase]:
    """The cases in their first planned order: what failed last time may have changed since.

    Cases that are planned only now are put last, so that ``check_same`` sees them.
    """
    order = {case: number for number, case in enumerate(before.head.planned)}
    return sorted(planned, key=lambda item: order.get(item.case.id, len(order)))


def plan_of(options: RunOptions, planned: Sequence[PlannedCase], versions: Mapping[str, str]) -> dict[str, str]:
    """What must be unchanged for a run to go on: values, and checksums of files, by the names that users know."""
    baseline = options.baseline
    return {
        "the version of the harness": __version__,
        "--target": _digest(options.target.encode()),  # a command line may contain a key
        "--source": _digest(" ".join([options.sources.name, *options.sources.words]).encode()),
        "--seed": str(options.seed),
        "--rule, --skip, --info or --refuse": " ".join(options.judging.words),
        "--as-server": options.server or "none",
        "--timeout": f"{options.deadline:g}",
        "--as-provider": str(options.as_provider),
        "the baseline": "none" if baseline is None else _checksum(baseline.path),
        "what is installed of the target": json.dumps(dict(sorted(versions.items()))),
        **{f"the file {shown(path)}": _checksum(path) for path in _files(options, planned)},
    }


def _files(options: RunOptions, planned: Sequence[PlannedCase]) -> Iterable[Path]:
    """The target's own file, and the files of the scenarios and recordings that are run."""
    files: dict[Path, None] = {}
    if (target := Path(options.target)).is_file():
        files[target] = None
    for scenario in dict.fromkeys(item.scenario.path for item in planned):
        files.update(dict.fromkeys(_with_included(scenario)))
    for item in planned:
        if isinstance(options.sources, Cassettes):
            files[cassette_of(options.sources.folder, item.case.scenario, item.case.wire)] = None
    return files


def _with_included(scenario: Path) -> Sequence[Path]:
    """A scenario's file, and the files that it includes."""
    try:
        named = _INCLUDE.findall(scenario.read_text(encoding="utf-8"))
    except OSError as error:
        raise problem(error, f"{scenario}: cannot be read") from error
    return [scenario, *(scenario.parent / (quoted or bare) for _, quoted, bare in named)]


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()


def _checksum(path: Path) -> str:
    try:
        return _digest(path.read_bytes())
    except FileNotFoundError:
        return "none"
    except OSError as error:
        raise problem(error, f"{path}: cannot be read") from error


def check_same(folder: Path, before: JournalHead, now: JournalHead) -> None:
    """Raises ``BadInput`` with everything that has changed since the run began."""
    differences = list(_differences(before, replace(now, plan=gated(now.plan))))  # as the journal has it
    if differences:
        raise BadInput(
            *(f"--resume {folder}: {each}" for each in differences),
            f"--resume {folder}: expected the same run, to go on with it; run without --resume to begin anew",
        )


def _differences(before: JournalHead, now: JournalHead) -> Iterator[str]:
    for name, was in before.plan.items():
        if name in now.plan and was != now.plan[name]:  # a file that is read no more has cases that are gone
            known = name.startswith("--") and name not in ("--target", "--source")
            values = f"was {was or 'not given'}, and is {now.plan[name] or 'not given'}"
            yield f"{name} {values if known else 'is not what it was'}"
    were, are = frozenset(before.planned), frozenset(now.planned)
    added = [case for case in now.planned if case not in were]
    gone = [case for case in before.planned if case not in are]
    if added:
        yield f"{len(added)} cases were not planned, {added[0]} for instance"
    if gone:
        yield f"{len(gone)} cases are no longer planned, {gone[0]} for instance"
