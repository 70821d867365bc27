"""``harness import-trace`` and ``harness golden``: recorded runs of a real loop."""

from __future__ import annotations

import asyncio
from pathlib import Path

from harness.errors import BadInput
from harness.golden import Account, against_reference, against_rules, read_recordings, traces_of
from harness.report.terminal import visible
from harness.trace import dump

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


def golden(folder: Path) -> int:
    """Hold the reference loop and the rules against recordings; 0 when nothing is unexplained and nothing stale."""
    recordings = read_recordings(folder)
    reference = asyncio.run(against_reference(recordings))
    rules = against_rules(recordings)
    _tell("The reference loop on the same scripts", reference)
    _tell("The rules on the recorded runs", rules)
    print(_totals("reference loop", reference, "agree", "deviate (listed)"))
    print(_totals("rules", rules, "without findings", "with findings (listed)"))
    return 0 if reference.holds and rules.holds else 1


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


def _totals(what: str, account: Account, quiet: str, listed: str) -> str:
    unexplained = len({name for name, _ in account.unexplained})
    stale = f", {len(account.stale)} stale" if account.stale else ""
    return f"{what}: {len(account.quiet)} {quiet}, {len(account.listed)} {listed}, {unexplained} unexplained{stale}"
