"""``harness serve``: scripted, recorded or real models on a loopback port, for a loop that runs elsewhere."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from pathlib import Path

from harness.errors import BadInput
from harness.gateway import Desk, Enforcement, Gateway, Refusing, Rounds
from harness.gateway.server import serving
from harness.report.terminal import visible
from harness.rules import Selection, judge
from harness.runner.conversations import conversations_of, counted
from harness.runner.judging import judging
from harness.runner.notes import notes_of
from harness.runner.plan import PlannedCase, case_of
from harness.runner.results import conversation_name
from harness.runner.sources import SCRIPTED, Opened, Sources
from harness.scenario import load
from harness.targets.environment import environment
from harness.trace import Case
from harness.wire import WireName

__all__ = ["serve"]


def serve(
    paths: Sequence[Path],
    wires: Sequence[WireName],
    *,
    port: int,
    seed: int,
    refuse: Refusing,
    without: Sequence[str],
    sources: Sources = SCRIPTED,
) -> int:
    """Serve until Ctrl-C, then tell what was asked and what was wrong with it. 1 when something was.

    ``refuse`` and ``without`` say which wrong requests are refused; those of ``without`` are not told either. What is
    recorded takes its place at the end.
    """
    judged = judging(without=without, refuse=refuse)
    cases = _cases(paths, wires, seed, sources)
    served: list[tuple[str, Rounds]] = []
    gateway = Gateway()
    try:
        asyncio.run(_serve(cases, port, sources, judged.enforcement, gateway, served))
    except KeyboardInterrupt:  # came before there was anything to end
        return 130
    _tell_not_served(gateway, [prefix.rpartition("/")[2] for prefix, _ in served])
    return 1 if _tell(served, judged.rules) else 0


def _cases(paths: Sequence[Path], wires: Sequence[WireName], seed: int, sources: Sources) -> list[PlannedCase]:
    cases = [
        PlannedCase(case_of(scenario, wire, "event", target="served", seed=seed, source=sources.name), scenario)
        for scenario in load(list(paths))
        for wire in scenario.wires
        if (not wires or wire in wires) and sources.variations(scenario, wire)
    ]
    if not cases:
        raise BadInput("nothing is left to serve: these scenarios have no answers on the chosen wires")
    return cases


async def _serve(
    cases: Sequence[PlannedCase],
    port: int,
    sources: Sources,
    enforcement: Enforcement,
    gateway: Gateway,
    served: list[tuple[str, Rounds]],
) -> None:
    """Until Ctrl-C; ``served`` is told each case when it is open."""
    async with AsyncExitStack() as stack:
        for item in cases:
            opened = await stack.enter_async_context(sources.opened(item.case, item.scenario))
            served.append(_open(gateway, item, opened, enforcement))
        base = await stack.enter_async_context(serving(gateway, port))
        for prefix, rounds in served:
            _announce(base + prefix, rounds.desks[0].case)
        print("serving; Ctrl-C ends it and tells what was asked", flush=True)
        with suppress(asyncio.CancelledError):  # Ctrl-C is how it ends, and no reason to drop what was recorded
            await asyncio.Event().wait()
    print("")


def _open(gateway: Gateway, item: PlannedCase, opened: Opened, enforcement: Enforcement) -> tuple[str, Rounds]:
    name = f"{item.scenario.name}.{item.case.wire}"

    def desk(round_: int) -> Desk:
        told = replace(item.case, id=f"{name}.{round_}")
        apart = conversations_of(item, given=False)
        return Desk(told, opened.source(), clock=time.perf_counter, enforcement=enforcement, apart=apart)

    rounds = Rounds(desk)
    return gateway.open(name, rounds, opened.model), rounds


def _announce(url: str, case: Case) -> None:
    print(f"{case.scenario} on {case.wire}")
    for name, value in environment(case.wire, url).items():
        print(f"  export {name}={value}")


def _tell(served: Sequence[tuple[str, Rounds]], rules: Selection) -> int:
    found = 0
    for _, rounds in served:
        for desk in rounds.desks:
            if desk.recorder.trace().exchanges:
                found += _tell_round(desk, rules)
    print(f"{found} findings")
    return found


def _tell_not_served(gateway: Gateway, cases: Sequence[str]) -> None:
    asked: Counter[str] = Counter(gateway.not_served(None))
    for case in cases:
        asked.update(gateway.not_served(case))
    for what, count in asked.most_common():
        print(f"not served: {visible(what)} x{count}")


def _tell_round(desk: Desk, rules: Selection) -> int:
    trace = desk.recorder.trace()
    statuses = ", ".join(str(item.response.status) if item.response else "open" for item in trace.exchanges)
    print(f"{trace.case.id}: {len(trace.exchanges)} requests ({statuses})")
    for each in counted(desk):
        print(f"  {each.name}: {each.requests} request{'' if each.requests == 1 else 's'}: {visible(each.begins)}")
    if not desk.apart.main.requests:
        print(f"  the script was not played: {desk.apart.why_not_main}")
        return 1
    for note in notes_of(desk, desk.case.returns):
        print(f"  note: {visible(note)}")
    findings = judge(trace, rules)
    for finding in findings:
        name = f"{finding.rule} ({finding.reference})" if finding.reference else finding.rule
        beside = conversation_name(finding.conversation)
        print(f"  {name} {finding.level} {finding.klass}{beside and f'  {beside}'}")
        print(f"    expected  {visible(finding.expected)}")
        print(f"    got       {visible(finding.got)}")
    return len(findings)
