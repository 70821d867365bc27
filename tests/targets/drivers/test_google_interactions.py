"""A loop on google-genai's ``client.interactions``: what the SDK leaves to it, and that the driver lacks nothing."""

from __future__ import annotations

from typing import Any

import pytest

from harness.runner.execute import Finished
from harness.targets.drivers import google_interactions
from harness.trace import Final, Thinking
from tests.targets.drivers.driving import found, ran, request, told

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning"),  # of google-genai
]


async def played(scenario: str) -> Finished:
    return await ran("google-genai:interactions", scenario, "gemini-interactions")


@pytest.mark.parametrize(
    "scenario", ["parallel-calls-one-raises", "tool-returns-not-streamed", "thinking-in-every-turn"]
)
async def test_each_turn_goes_on_from_the_interaction_before(scenario: str) -> None:
    finished = await played(scenario)
    assert found(finished) == set()
    (final,) = told(finished, Final)
    assert final.outcome == "completed"
    assert "previous_interaction_id" in request(finished, 1)


async def test_thoughts_are_shown() -> None:
    finished = await played("thinking-before-text")
    assert found(finished) == set()
    assert told(finished, Thinking)


async def test_the_sdk_asks_five_times() -> None:
    finished = await played("retries-run-out")
    assert (len(finished.trace.exchanges), found(finished)) == (5, set())


@pytest.mark.parametrize(
    ("changed", "scenario", "rule"),
    [({"name": None}, "tool-returns", "INT-07"), ({"is_error": False}, "tool-raises", "history/result-error")],
)
async def test_what_a_result_lacks_is_found(
    changed: dict[str, Any], scenario: str, rule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = google_interactions._result

    async def lacking(*arguments: Any) -> dict[str, Any]:
        result = {**await whole(*arguments), **changed}
        return {name: value for name, value in result.items() if value is not None}

    monkeypatch.setattr(google_interactions, "_result", lacking)
    assert rule in found(await played(scenario))
