"""``harness lab corpus``: compare the provider sessions and the rules with recorded traffic."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harness.cli import common_options as common
from harness.cli.command import Command
from harness.cli.parser import Parser
from harness.errors import BadInput
from harness.wire import OWN_NATIVE_WIRES

if TYPE_CHECKING:
    from harness.cassette.recordings.recording import RecordedExchange
    from harness.imports.comparison import RecordedComparison
    from harness.wire import NativeWireName
    from harness_lab.recorded.sessions.read_exchange import ReadExchange


def options(command: Parser) -> None:
    """Which folder, which wires, and how streams are split."""
    command.set_defaults(work=work)
    command.add_argument("folder", type=Path, metavar="DIR", help="folder with exchanges.jsonl.gz")
    common.wires(command, OWN_NATIVE_WIRES)
    command.add_argument("--whole", action="store_true", help="do not split the streams at other places a second time")


COMMAND: Final = Command(
    "", "verify provider sessions and rules against recorded traffic", options, "harness lab corpus corpus"
)


def work(options: argparse.Namespace) -> int:
    """``harness lab corpus``. Returns the exit code."""
    from harness.targets.extra import require_reference

    require_reference("harness lab corpus")
    return corpus(options.folder, options.wires, recut=not options.whole)


def corpus(folder: Path, wires: Sequence[NativeWireName], *, recut: bool) -> int:
    """Compare every exchange in ``folder`` (of ``wires`` only, where some are named) with ours, and print it.

    Returns 0 when nothing disagrees, every recorded continuation error is recognised, and no provider's own answer
    breaks a MUST of the rules about servers. A request that was accepted
    against a certain rule is evidence against the rule, and no failure of what was recorded. An interrupted run prints
    what it has. Raises ``BadInput`` for a folder that cannot be read or has nothing to judge.
    """
    import asyncio

    from harness.report.terminal import visible
    from harness_lab.recorded.requests.report import request_report, unrecognised
    from harness_lab.recorded.requests.requests import judge_requests
    from harness_lab.recorded.responses import blamed, judge_responses, response_report
    from harness_lab.recorded.sessions.report import report

    exchanges = _chosen(folder, wires)
    requests = list(judge_requests(exchanges))
    for line in request_report(requests):
        print(visible(line))
    answers = list(judge_responses(exchanges))
    for line in response_report(answers):
        print(visible(line))
    responses: list[RecordedComparison[ReadExchange]] = []
    complete = True
    try:
        asyncio.run(_judge(exchanges, recut, responses))
    except KeyboardInterrupt:
        complete = False
    for line in report(responses):
        print(visible(line))
    if not complete:
        print(f"interrupted after {len(responses)} of {len(exchanges)} exchanges", file=sys.stderr)
        return 130
    unexplained = any(unrecognised(each) for each in requests) or any(map(blamed, answers))
    return 1 if unexplained or any(each.differences for each in responses) else 0


def _chosen(folder: Path, wires: Sequence[NativeWireName]) -> list[RecordedExchange]:
    from harness.cassette.recordings.foreign import read_foreign
    from harness.report.terminal import visible

    recorded = read_foreign(folder)
    for problem in recorded.unread:
        print(visible(f"not read: {problem}"))
    exchanges = recorded.exchanges
    chosen = [exchange for exchange in exchanges if not wires or exchange.wire in wires]
    if not chosen:
        raise BadInput(f"{folder}: none of its {len(exchanges)} exchanges is of {' or '.join(wires)}")
    return chosen


async def _judge(
    exchanges: Sequence[RecordedExchange], recut: bool, responses: list[RecordedComparison[ReadExchange]]
) -> None:
    """Judge one after the other; a line at every tenth of the way shows that it moves."""
    from harness_lab.recorded.sessions.judge import Judge
    from harness_lab.recorded.sessions.replay import Replay

    replay = Replay()
    judge = Judge(replay, recut=recut)
    step = max(1, len(exchanges) // 10)
    print(f"judging {len(exchanges)} exchanges", file=sys.stderr)
    try:
        for exchange in exchanges:
            responses.append(await judge.judge(exchange))
            if len(responses) % step == 0:
                print(f"  {len(responses)}/{len(exchanges)}", file=sys.stderr, flush=True)
    finally:
        await replay.close()
