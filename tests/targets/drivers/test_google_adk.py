"""Google's Agent Development Kit itself, where it is installed: it wants another google-genai than ours."""

from __future__ import annotations

import pytest

from harness.runner.execute import Finished
from harness.trace import Final, Thinking, ToolResult, ToolStart
from tests.sdks import needs
from tests.targets.drivers.driving import found, ran, told

pytestmark = [pytest.mark.anyio, needs("google.adk", "google-adk is not installed")]


async def played(scenario: str) -> Finished:
    return await ran("google-adk:interactions", scenario, "gemini-interactions")


async def test_tools_are_run_and_reported() -> None:
    finished = await played("parallel-calls")
    assert found(finished) == set()
    assert [len(told(finished, kind)) for kind in (ToolStart, ToolResult)] == [4, 4]


async def test_the_signature_of_a_thought_with_a_summary_is_lost() -> None:
    finished = await played("thinking-at-the-second-call-only")
    assert found(finished) == {"history/model-text"}
    assert told(finished, Thinking)


async def test_an_error_behind_which_the_run_goes_on_is_not_its_end() -> None:
    """It tells of arguments that are no JSON as an error, runs the tool without any, and asks the model again."""
    finished = await played("arguments-cut-off")
    assert found(finished) == set()
    assert isinstance(told(finished, Final)[-1], Final)
