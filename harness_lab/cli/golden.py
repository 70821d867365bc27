"""``harness import-trace`` and ``harness golden``: recorded runs of a real loop, measured cases of another."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from harness.errors import BadInput
from harness.report.terminal import visible
from harness.trace import dump
from harness_lab.golden import (
    CASES,
    Account,
    against_reference,
    against_rules,
    against_text_cases,
    read_recordings,
    read_text_cases,
    traces_of,
)

__all__ = ["golden", "import_traces"]


def import_traces(recordings: Path, out: Path) -> int:
    """Write the trace of every recording into the folder ``out``. Raises ``BadInput``; then nothing is written."""
    traces = traces_of(read_recordings(recordings))
    try:
        out.mkdir(parents=True, exist_ok=True)
        for trace in traces:
            dump(trace, out / f"{trace.case.id}.jsonl")
    except OSError as error:
        raise BadInput(f"--out {out}: cannot be written: {error.strerror or error}") from None
    print(f"{len(traces)} traces in {out}")
    return 0


@dataclass(frozen=True, slots=True)
class _Compared:
    """One account, and how it is told: ``quiet`` and ``listed`` say what it is to be without observations, and with."""

    title: str
    what: str
    quiet: str
    listed: str
    account: Account


def golden(path: Path) -> int:
    """Hold our own against what was recorded and measured; 0 when nothing is unexplained and nothing stale.

    ``path`` is a folder of recordings or one of them, measured cases (``cases.json``, or its folder), or a folder of
    such folders. Raises ``BadInput``; then nothing is told.
    """
    compared = [each for folder in _folders(path) for each in _compare(folder)]
    for each in compared:
        _tell(each.title, each.account)
    for each in compared:
        print(_totals(each))
    return 0 if all(each.account.holds for each in compared) else 1


def _folders(path: Path) -> list[Path]:
    """``path`` itself, or the folders in it if only they hold files."""
    if not path.is_dir() or any(path.glob("*.json")):
        return [path]
    return [each for each in sorted(path.iterdir()) if each.is_dir() and any(each.glob("*.json"))] or [path]


def _compare(path: Path) -> list[_Compared]:
    if path.name == CASES or (path / CASES).is_file():
        cases = asyncio.run(against_text_cases(read_text_cases(path)))
        return [_Compared("The text protocol on measured cases", "text tags", "hold", "deviate (listed)", cases)]
    recordings = read_recordings(path)
    reference = asyncio.run(against_reference(recordings))
    rules = against_rules(recordings)
    return [
        _Compared("The reference loop on the same scripts", "reference loop", "agree", "deviate (listed)", reference),
        _Compared("The rules on the recorded runs", "rules", "without findings", "with findings (listed)", rules),
    ]


def _tell(title: str, account: Account) -> None:
    print(title)
    for why, names in account.by_reason.items():
        print(f"  {len(names):3}  {why}")
    for name, observation in account.unexplained:
        print(visible(f"  UNEXPLAINED {name}: {observation.what}\n    {observation.detail}"))
    for line in account.stale:
        print(visible(f"  STALE {line}"))
    if account.absent:
        print(f"  ({len(account.absent)} entries name recordings that are not here)")
    print()


def _totals(compared: _Compared) -> str:
    account = compared.account
    unexplained = len({name for name, _ in account.unexplained})
    stale = f", {len(account.stale)} stale" if account.stale else ""
    return (
        f"{compared.what}: {len(account.quiet)} {compared.quiet}, {len(account.listed)} {compared.listed}, "
        f"{unexplained} unexplained{stale}"
    )
