"""``harness corpus``: hold the provider sessions and the rules of the wires against recorded traffic."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from harness.errors import BadInput
from harness.report.terminal import visible
from harness.wire import NativeWireName
from harness_lab.corpus import (
    Judge,
    Outcome,
    Recorded,
    Replay,
    judge_requests,
    read_corpus,
    report,
    request_report,
    wire_of,
)

__all__ = ["corpus"]


def corpus(folder: Path, wires: Sequence[NativeWireName], *, recut: bool) -> int:
    """Judge every exchange in ``folder`` (of ``wires`` only, where some are named) and tell what came of it.

    Returns 0 when nothing disagrees, no request was accepted against a certain rule, and every recorded continuation
    error is recognised. An interrupted run tells what it has. Raises ``BadInput`` for a folder that
    cannot be read or has nothing to judge.
    """
    exchanges = _chosen(folder, wires)
    requests = list(judge_requests(exchanges))
    for line in request_report(requests):
        print(visible(line))
    outcomes: list[Outcome] = []
    complete = True
    try:
        asyncio.run(_judge(exchanges, recut, outcomes))
    except KeyboardInterrupt:
        complete = False
    for line in report(outcomes):
        print(visible(line))
    if not complete:
        print(f"interrupted after {len(outcomes)} of {len(exchanges)} exchanges", file=sys.stderr)
        return 130
    wrong = any(request.wrongly_refused or request.unrecognised for request in requests)
    return 1 if wrong or any(outcome.verdict == "disagreed" for outcome in outcomes) else 0


def _chosen(folder: Path, wires: Sequence[NativeWireName]) -> list[Recorded]:
    exchanges = read_corpus(folder)
    chosen = [exchange for exchange in exchanges if not wires or wire_of(exchange) in wires]
    if not chosen:
        raise BadInput(f"{folder}: none of its {len(exchanges)} exchanges is of {' or '.join(wires)}")
    return chosen


async def _judge(exchanges: Sequence[Recorded], recut: bool, outcomes: list[Outcome]) -> None:
    """Judge one after the other; a line at every tenth of the way shows that it moves."""
    replay = Replay()
    judge = Judge(replay, recut=recut)
    step = max(1, len(exchanges) // 10)
    print(f"judging {len(exchanges)} exchanges", file=sys.stderr)
    try:
        for exchange in exchanges:
            outcomes.append(await judge.judge(exchange))
            if len(outcomes) % step == 0:
                print(f"  {len(outcomes)}/{len(exchanges)}", file=sys.stderr, flush=True)
    finally:
        await replay.close()
