"""The identity gateway: nothing is found in it, and each single fault of it is."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import httpx2
import pytest

from harness.endpoint import Endpoints
from harness.endpoint.server import serving
from harness.runner.execute import Finished
from harness.servers.asking import Asking
from harness.servers.pairs import PairCase, cases_of, chosen_scenarios
from harness.servers.preset import Preset, upstream_of
from harness.servers.running import PairRun
from harness.wire import NATIVE_WIRES, WireName
from tests.servers.identity_gateway import in_a_thread

SAME = [f"{name}={name}" for name in NATIVE_WIRES]


def same_wire_cases(scenarios: Sequence[str] = (), wires: Sequence[WireName] = NATIVE_WIRES) -> list[PairCase]:
    """The cases in which client and model speak the same format; every model thinks."""
    upstreams = tuple(_thinking(name) for name in wires)
    return cases_of(Preset("identity", "", upstreams), chosen_scenarios(scenarios))


def _thinking(name: WireName):  # type: ignore[no-untyped-def]
    from dataclasses import replace

    return replace(upstream_of(name, f"model-{name}"), clients=(name,), thinks=True)


def played(cases: Sequence[PairCase], fault: str = "") -> list[Finished]:
    """The cases, through the identity gateway with this fault."""

    async def run() -> list[Finished]:
        ours = Endpoints()
        async with serving(ours) as base, httpx2.AsyncClient(trust_env=False, timeout=20) as http:
            with in_a_thread(fault, {name: f"{base}/case/{name}" for name in NATIVE_WIRES}) as url:
                run = PairRun("identity", ["harness", "gateway"])
                return [each async for each in run.results(cases, ours, Asking(http, url, 20))]

    return asyncio.run(run())


def found(results: Sequence[Finished]) -> dict[str, set[str]]:
    """The rules that were broken, with the cases."""
    rules: dict[str, set[str]] = {}
    for each in results:
        for finding in each.result.findings:
            rules.setdefault(finding.id, set()).add(each.result.id)
    return rules


def test_nothing_is_found_in_a_gateway_that_passes_everything_on() -> None:
    results = played(same_wire_cases())
    assert len(results) > 100
    assert found(results) == {}
    assert all(each.result.notes == () for each in results)


FAULTS = {
    "drops-the-signature": (["call"], ["anthropic-messages", "gemini-generate"], "SX-SIG"),
    "one-id-for-all-calls": (["parallel-calls"], ["openai-chat", "anthropic-messages"], "SX-ID"),
    "one-index-for-all-calls": (["parallel-calls"], ["openai-chat"], "SC-02"),
    "ends-cleanly-on-a-cut": (["connection-cut", "stream-without-its-end"], ["openai-chat"], "SX-END"),
    "429-is-200": (["rate-limited"], ["openai-chat"], "SX-STATUS"),
    "529-is-500": (["overloaded"], ["openai-chat", "anthropic-messages"], "SX-STATUS"),
    "no-cached-tokens": (["call"], list(NATIVE_WIRES), "SX-USAGE"),
    "cut-arguments-are-empty": (["truncated-call"], ["openai-chat", "openai-responses"], "SX-CUT"),
    "invents-a-search": (["call"], ["anthropic-messages"], "SX-MORE"),
    "invents-a-text": (["bare-call"], ["anthropic-messages"], "SX-MORE"),
    "invents-a-call": (["text", "call"], ["openai-chat"], "SX-MORE"),
    "no-done": (["text"], ["openai-chat"], "SC-10"),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("fault", "case"), FAULTS.items(), ids=list(FAULTS))
def test_a_single_fault_is_found(fault: str, case: tuple[list[str], list[str], str]) -> None:
    scenarios, wires, rule = case
    rules = found(played(same_wire_cases(scenarios, wires), fault))
    assert rule in rules
    assert {each.split(".")[1] for each in rules[rule]} == set(wires)
