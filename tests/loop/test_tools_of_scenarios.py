"""The image names that scenarios write into their pages are those that the default service gives."""

from __future__ import annotations

import re

import pytest

from harness.loop import ToolCall, ToolRuntime
from harness.loop.tools import PlaceholderImages
from harness.scenario import Scenario, TurnStep
from harness.wire import Call
from tests.scenarios import shipped_scenarios

_REFERENCE = re.compile(r"assets/[a-z0-9-]+\.png")
_MAKING = {"generate_images", "remove_background"}


def calls(scenario: Scenario) -> list[Call]:
    turns = [step.turn for step in scenario.steps if isinstance(step, TurnStep)]
    return [part for turn in turns for part in turn.parts if isinstance(part, Call)]


def shown(scenario: Scenario) -> set[str]:
    """The images in what the scenario expects of the finished page."""
    final = scenario.expect.final
    return set(_REFERENCE.findall(" ".join([final.equals or "", *final.contains]))) if final else set()


WITH_IMAGES = [each for each in shipped_scenarios() if shown(each) and _MAKING & {call.name for call in calls(each)}]


@pytest.mark.parametrize("scenario", WITH_IMAGES, ids=lambda scenario: scenario.name)
@pytest.mark.anyio
async def test_every_image_of_the_finished_page_was_made(scenario: Scenario) -> None:
    images = PlaceholderImages()
    tools = ToolRuntime(scenario.tools, images=images, options=scenario.options)
    for number, call in enumerate(calls(scenario)):
        await tools.run(ToolCall(str(number), call.name, call.arguments))
    assert shown(scenario) <= set(images.assets)


def test_there_are_such_scenarios() -> None:
    assert len(WITH_IMAGES) >= 4
