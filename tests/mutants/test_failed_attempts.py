"""A loop that asks once more after a failed attempt, and one that goes on with less, are right: no rule finds them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.endpoint import Endpoints
from harness.endpoint.transport import EndpointTransport
from harness.loop import LoopPolicy
from harness.targets.reference import Seams
from harness.wire import NATIVE_WIRES, WIRES
from harness_lab.mutants.failed_attempts import GoesOnWithLessWhenTooLong
from harness_lab.mutants.loops import LoopMutant
from harness_lab.selftest.stage import Part, run, scenarios

pytestmark = pytest.mark.anyio

ASKS_AGAIN = (
    "compaction-in-a-turn-that-broke",
    "connection-lost-after-a-call-whose-id-comes-again",
    "connection-lost-after-a-paused-turn",
    "connection-lost-after-a-whole-call",
    "connection-lost-after-signed-thinking",
    "connection-lost-between-two-calls",
    "connection-lost-twice-in-a-turn",
    "connection-reset-after-two-calls",
    "context-too-long-in-the-stream",
    "overloaded-in-the-stream-after-signed-thinking",
    "overloaded-in-the-stream-of-a-later-turn",
    "stream-ends-early-after-signed-thinking",
)
TOO_LONG = ("context-too-long-at-a-later-turn", "context-too-long-not-streamed", "context-too-long-in-the-stream")


def asks_whole(policy: LoopPolicy) -> LoopPolicy:
    return replace(policy, broken_stream="ask-whole")


async def findings(seams: Seams, parts: list[Part], *, sdk: bool) -> dict[str, object]:
    loop = LoopMutant("right", "Nothing is broken here.", (), (), seams)
    endpoints = Endpoints()
    target = loop.build(EndpointTransport(endpoints)) if sdk else loop.build_wire_only(endpoints)
    ended = await run(parts, target, endpoints)
    assert len(ended) == len(parts) > 0
    found = {each.result.id: (each.result.error, each.result.findings) for each in ended.values()}
    return {id: what for id, what in found.items() if what != (None, ())}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("sdk", [True, False])
@pytest.mark.parametrize("name", ASKS_AGAIN)
async def test_a_loop_may_ask_once_more_without_a_stream(name: str, sdk: bool) -> None:
    wires = WIRES if sdk else NATIVE_WIRES
    parts = [(name, wire) for wire in scenarios()[name].wires if wire in wires]
    assert await findings(Seams(policy=asks_whole), parts, sdk=sdk) == {}


@pytest.mark.parametrize("name", TOO_LONG)
async def test_a_loop_may_go_on_with_less_where_the_history_is_too_long(name: str) -> None:
    """On Responses it is information that the model's turns are missing."""
    parts = [(name, wire) for wire in scenarios()[name].wires if wire in NATIVE_WIRES and wire != "openai-responses"]
    assert await findings(Seams(session=GoesOnWithLessWhenTooLong), parts, sdk=True) == {}
