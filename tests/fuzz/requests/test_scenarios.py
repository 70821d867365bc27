"""Examples as scenarios: they load, and the reference loop plays them without a finding."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from harness.endpoint import Endpoints
from harness.fuzz.requests.campaign import CAMPAIGN
from harness.fuzz.requests.example import RequestExample
from harness.fuzz.requests.scenario import scenario
from harness.fuzz.strategies.damage import Gone
from harness.fuzz.strategies.requests import shaped
from harness.runner.execute import execute
from harness.runner.opening import open_target
from harness.runner.plan import plan
from harness.scenario import TurnStep, load
from harness.wire import Call, FinishReason, Text, Turn

CHAT = RequestExample("openai-chat", "chat-one-call", (shaped("think text call call"), shaped("refuse")))
EXAMPLES = [each for each in islice(CAMPAIGN.enumerated(), 0, None, 13) if not each.change][:20]


def written(example: RequestExample, folder: Path) -> Path | None:
    """The scenario in its file."""
    files = CAMPAIGN.scenario(example, "found", "Found by fuzzing.")
    if files is None:
        return None
    ((name, text),) = files.items()
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


async def verdicts(path: Path) -> list[str]:
    endpoints = Endpoints()
    target = open_target("reference", endpoints)
    try:
        planned = plan(load([path]), target=target)
        finished = await execute(planned, target, endpoints, "http://harness.local")
    finally:
        await target.close()
    return [each.result.verdict for each in finished]


@pytest.mark.anyio
async def test_the_reference_loop_plays_them(tmp_path: Path) -> None:
    played = 0
    for example in EXAMPLES:
        if (path := written(example, tmp_path)) is not None:
            assert await verdicts(path) == ["pass"], example
            played += 1
    assert played > 12


def test_what_was_said_is_said(tmp_path: Path) -> None:
    path = written(CHAT, tmp_path)
    assert path is not None
    (loaded,) = load([path])
    assert (loaded.name, loaded.summary, loaded.wires) == ("found", "Found by fuzzing.", ("openai-chat",))
    assert [step.turn.parts for step in loaded.steps if isinstance(step, TurnStep)] == [
        turn.parts for turn in CHAT.turns
    ]
    assert loaded.expect.outcome == ("refused",)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(CAMPAIGN.examples())
def test_any_loads_or_is_none(tmp_path_factory: pytest.TempPathFactory, example: RequestExample) -> None:
    path = written(replace(example, change="", damage=()), tmp_path_factory.mktemp("found"))
    if path is not None:
        (loaded,) = load([path])
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
