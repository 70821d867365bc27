"""A real model, recorded, gone, and replayed: needs its server, and so is skipped where there is none.

    python scripts/local-model/serve.py --port 8080 &
    LOCAL_MODEL=http://127.0.0.1:8080 python -m pytest tests/cassette/test_local_model.py

Takes some minutes. What is replayed asks nobody, whether the server still runs or not; ``scripts/local-model/record``
stops it before.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from harness.endpoint import Endpoints
from harness.runner.execute import Finished, execute
from harness.runner.judging import judging
from harness.runner.opening import open_target
from harness.runner.plan import plan
from harness.runner.sources import Cassettes, Recording, Sources, cassette_of
from harness.trace import canonical
from harness.wire import WireName
from tests.cassette.plain_vcr import replayed
from tests.scenarios import shipped_scenarios

URL = os.environ.get("LOCAL_MODEL", "")
WIRES: Sequence[WireName] = ("openai-responses", "openai-chat", "anthropic-messages", "text-tags")
DEADLINE = 300.0

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not URL, reason="no model is at hand: LOCAL_MODEL does not name the URL of its server"),
]


async def run(sources: Sources) -> list[Finished]:
    endpoints = Endpoints()
    target = open_target("reference", endpoints)
    planned = plan(shipped_scenarios("recorded"), target=target, wires=WIRES, sources=sources)
    rules = judging(refuse="nothing" if sources.name == "live" else "must")
    try:
        return await execute(
            planned, target, endpoints, "http://harness", jobs=1, judging=rules, sources=sources, deadline=DEADLINE
        )
    finally:
        await target.close()


async def test_what_a_model_said_replays_to_the_same_traces_twice_and_through_plain_vcrpy(tmp_path: Path) -> None:
    live = await run(Recording(tmp_path, "all", URL, "smollm2-135m-instruct-q4_1"))
    assert [item.result.error for item in live if item.result.verdict == "error"] == []
    assert {item.result.wire for item in live} == set(WIRES)
    for _ in range(2):
        again = await run(Cassettes(tmp_path))
        assert {item.result.verdict for item in again} == {"pass"}
        for first, other in zip(live, again, strict=True):
            assert canonical(other.trace) == canonical(first.trace), other.result.id
    for item in live:
        bodies = [exchange.response.body for exchange in item.trace.exchanges if exchange.response is not None]
        assert replayed(cassette_of(tmp_path, item.result.scenario, item.result.wire)) == bodies
