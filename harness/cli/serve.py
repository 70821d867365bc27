"""``harness serve``: scripted models on a loopback port, for a loop that runs elsewhere on this machine."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from harness.gateway import Desk, Enforcement, Gateway, Refusing, Rounds, ScriptSource
from harness.gateway.server import serving
from harness.report.terminal import visible
from harness.rules import Selection, judge
from harness.runner.judging import judging
from harness.runner.plan import case_of
from harness.scenario import Scenario, load
from harness.trace import Case, Trace
from harness.wire import WireName

__all__ = ["serve"]


def serve(
    paths: Sequence[Path], wires: Sequence[WireName], *, port: int, seed: int, refuse: Refusing, without: Sequence[str]
) -> int:
    """Serve until Ctrl-C, then tell what was asked and what was wrong with it. 1 when something was.

    ``refuse`` and ``without`` say which wrong requests are refused; those of ``without`` are not told either.
    """
    judged = judging(without=without, refuse=refuse)
    gateway = Gateway()
    served: list[tuple[str, Rounds]] = []
    for scenario in load(list(paths)):
        for wire in scenario.wires:
            if not wires or wire in wires:
                served.append(_open(gateway, scenario, wire, seed, judged.enforcement))
    try:
        asyncio.run(_serve(gateway, port, served))
    except KeyboardInterrupt:
        print("")
    return 1 if _tell(served, judged.rules) else 0


def _open(
    gateway: Gateway, scenario: Scenario, wire: WireName, seed: int, enforcement: Enforcement
) -> tuple[str, Rounds]:
    case = f"{scenario.name}.{wire}"

    def desk(round_: int) -> Desk:
        told = replace(case_of(scenario, wire, "event", target="served", seed=seed), id=f"{case}.{round_}")
        return Desk(told, ScriptSource(scenario.steps), clock=time.perf_counter, enforcement=enforcement)

    rounds = Rounds(desk)
    return gateway.open(case, rounds), rounds


async def _serve(gateway: Gateway, port: int, served: Sequence[tuple[str, Rounds]]) -> None:
    async with serving(gateway, port) as base:
        for prefix, rounds in served:
            _announce(base + prefix, rounds.desks[0].case)
        print("serving; Ctrl-C ends it and tells what was asked", flush=True)
        await asyncio.Event().wait()


def _announce(url: str, case: Case) -> None:
    print(f"{case.scenario} on {case.wire}")
    for name, value in _environment(url, case.wire):
        print(f"  export {name}={value}")


def _environment(url: str, wire: str) -> Iterator[tuple[str, str]]:
    """The variables that the provider's official SDKs read."""
    if wire == "anthropic-messages":
        yield from (("ANTHROPIC_BASE_URL", url), ("ANTHROPIC_API_KEY", "harness"))
    elif wire == "gemini-generate":
        yield from (("GOOGLE_GEMINI_BASE_URL", url), ("GEMINI_API_KEY", "harness"))
    else:
        yield from (("OPENAI_BASE_URL", f"{url}/v1"), ("OPENAI_API_KEY", "harness"))


def _tell(served: Sequence[tuple[str, Rounds]], rules: Selection) -> int:
    found = 0
    for _, rounds in served:
        for desk in rounds.desks:
            trace = desk.recorder.trace()
            if trace.exchanges:
                found += _tell_round(trace, rules)
    print(f"{found} findings")
    return found


def _tell_round(trace: Trace, rules: Selection) -> int:
    statuses = ", ".join(str(item.response.status) if item.response else "open" for item in trace.exchanges)
    print(f"{trace.case.id}: {len(trace.exchanges)} requests ({statuses})")
    findings = judge(trace, rules)
    for finding in findings:
        name = f"{finding.rule} ({finding.reference})" if finding.reference else finding.rule
        print(f"  {name} {finding.level} {finding.klass}")
        print(f"    expected  {visible(finding.expected)}")
        print(f"    got       {visible(finding.got)}")
    return len(findings)
