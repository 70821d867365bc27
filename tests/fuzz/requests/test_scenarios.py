"""Examples as scenarios: they load, and the reference loop plays them without a finding."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from harness.fuzz.requests.campaign import CAMPAIGN
from harness.fuzz.requests.example import RequestExample
from harness.fuzz.requests.scenario import scenario
from harness.fuzz.strategies.damage import Gone
from harness.fuzz.strategies.requests import shaped
from harness.scenario import TurnStep
from harness.wire import Call, FinishReason, Text, Turn
from tests.fuzz.adopted import SUMMARY, results, unlike_pass, written

CHAT = RequestExample("openai-chat", "chat-one-call", (shaped("think text call call"), shaped("refuse")))
EXAMPLES = [each for each in islice(CAMPAIGN.enumerated(), 0, None, 13) if not each.change][:20]


@pytest.mark.anyio
async def test_the_reference_loop_plays_them(tmp_path: Path) -> None:
    scenarios = written(CAMPAIGN, tmp_path, EXAMPLES)
    found = await results(scenarios)
    assert unlike_pass(found) == {}
    assert len(found) == len(scenarios) > 12


def test_what_was_said_is_said(tmp_path: Path) -> None:
    (loaded,) = written(CAMPAIGN, tmp_path, [CHAT])
    assert (loaded.name, loaded.summary, loaded.wires) == ("found-0", SUMMARY, ("openai-chat",))
    assert [step.turn.parts for step in loaded.steps if isinstance(step, TurnStep)] == [
        turn.parts for turn in CHAT.turns
    ]
    assert loaded.expect.outcome == ("refused",)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(CAMPAIGN.examples())
def test_any_loads_or_is_none(tmp_path_factory: pytest.TempPathFactory, example: RequestExample) -> None:
    whole = replace(example, change="", damage=())
    for loaded in written(CAMPAIGN, tmp_path_factory.mktemp("found"), [whole]):
        assert len(loaded.steps) - len(example.turns) in (0, 1)


@pytest.mark.parametrize(
    "example",
    [
        replace(CHAT, change="chat-result-twice"),
        replace(CHAT, damage=(Gone(("model",)),)),
        replace(CHAT, turns=(shaped("text"), shaped("text"))),
        replace(CHAT, turns=(Turn((Text("a"),), FinishReason.PAUSE),)),
        replace(CHAT, turns=(Turn((Call("other", "{}"),), FinishReason.TOOL_CALLS),)),
        replace(CHAT, turns=(Turn((Text("\ud800"),)),)),
    ],
)
def test_what_no_loop_can_be_made_to_send_is_none(example: RequestExample) -> None:
    assert scenario(example, "found", "Found.") is None
