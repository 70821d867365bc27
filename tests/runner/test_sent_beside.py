"""What a scenario expects of the requests of a conversation beside the main one."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.endpoint import Endpoints
from harness.finding import Finding
from harness.loop import Agent
from harness.runner.execute import execute
from harness.runner.plan import PlannedCase, case_of
from harness.scenario import load
from harness.targets.wire_only import wire_only
from harness.wire import NATIVE_WIRES, WireName

pytestmark = pytest.mark.anyio

SCENARIO = """\
scenario: asks-for-a-summary
profile: universal
suite: situations
summary: What the loop asks for when it compacts is compared with what the scenario expects.
prompt: Where do we hide the spare key of the shed?
timeline:
  - {when: end, do: {say: Where was it?, compact: true}}
side:
  - says: nobody says this
    model: [{text: Never.}]
    sent: [{request: 1, contains: nothing at all}]
  - says: ummar
    model: [{text: Beside the water butt.}]
    sent:
      - SENT
model:
  - text: Beside the water butt.
  - text: There.
expect: {outcome: completed, requests: 2}
"""
SAID = "{request: 1, once: [the spare key of the shed, Beside the water butt], without: [tools]}"


async def found(tmp_path: Path, sent: str, wire: WireName = "openai-chat") -> list[Finding]:
    path = tmp_path / "asks-for-a-summary.yaml"
    path.write_text(SCENARIO.replace("SENT", sent), encoding="utf-8")
    (scenario,) = load([path])
    endpoints = Endpoints()
    target = wire_only(endpoints)
    case = PlannedCase(case_of(scenario, wire, "event", target=target.name), scenario)
    (finished,) = await execute([case], target, endpoints, "http://harness")
    await target.close()
    return list(finished.result.findings)


@pytest.mark.parametrize("wire", NATIVE_WIRES)
async def test_nothing_is_found_where_it_says_so_nor_of_one_that_does_not_begin(tmp_path: Path, wire: WireName) -> None:
    assert await found(tmp_path, SAID, wire) == []


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ("{request: 1, lacks: the spare key}", "request 1 without 'the spare key'"),
        ("{request: 1, contains: a ladder}", "request 1 with 'a ladder'"),
        ("{request: 2, contains: key}", "request 2"),
    ],
)
async def test_anything_else_is_found_in_that_conversation_at_the_line_of_its_script(
    tmp_path: Path, sent: str, expected: str
) -> None:
    (finding,) = await found(tmp_path, sent)
    assert (finding.rule, finding.expected, finding.line) == ("expect/sent", expected, 12)
    assert finding.conversation
    assert (finding.at is None) is (expected == "request 2")


async def test_a_loop_that_sums_up_nothing_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Agent.summary

    async def summary(agent: Agent, model: str, texts: list[str]) -> str:
        return await whole(agent, model, texts[:1])

    monkeypatch.setattr(Agent, "summary", summary)
    (finding,) = await found(tmp_path, SAID)
    assert finding.expected == "request 1 with 'Beside the water butt' exactly once"
