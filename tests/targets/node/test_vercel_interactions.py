"""Vercel's AI SDK on Gemini Interactions: all steps in each request, and a run from the interaction before."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from harness.runner.execute import Finished
from harness.trace import Failure
from tests.targets.drivers.driving import told
from tests.targets.node.driving import Case, broken, driven, driven_by_one_process, found, opened

pytestmark = pytest.mark.anyio

WIRE = "gemini-interactions"
WHOLE, CHAINED = "vercel-ai:interactions", "vercel-ai:interactions-chained"
ASKED_AGAIN, APPROVED = "another-question-after-the-answer", "approved-in-a-later-run"
RIGHT = ("parallel-calls-one-raises", "thinking-in-every-turn", "tool-returns-not-streamed", ASKED_AGAIN, APPROVED)


@pytest.fixture(scope="module")
def whole() -> Mapping[Case, Finished]:
    return driven_by_one_process([(scenario, WIRE) for scenario in (*RIGHT, "content-filter")], opened(WHOLE))


@pytest.fixture(scope="module")
def chained() -> Mapping[Case, Finished]:
    return driven_by_one_process(
        [(scenario, WIRE) for scenario in (*RIGHT[:3], ASKED_AGAIN, APPROVED)], opened(CHAINED)
    )


@pytest.mark.sampled(5)
@pytest.mark.parametrize("scenario", RIGHT)
def test_every_request_has_all_steps(scenario: str, whole: Mapping[Case, Finished]) -> None:
    finished = whole[scenario, WIRE]
    assert found(finished) == set()
    asked = [json.loads(exchange.request.body) for exchange in finished.trace.exchanges]
    assert all("previous_interaction_id" not in body for body in asked)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("scenario", RIGHT[:3])
def test_a_single_run_is_the_same_where_runs_are_chained(scenario: str, chained: Mapping[Case, Finished]) -> None:
    assert found(chained[scenario, WIRE]) == set()


def test_a_call_that_has_waited_is_dropped_with_its_result(chained: Mapping[Case, Finished]) -> None:
    finished = chained[APPROVED, WIRE]
    assert found(finished) == {"INT-05", "history/results", "expect/sent"}
    asked = json.loads(finished.trace.exchanges[-1].request.body)
    assert [step["type"] for step in asked["input"]] == ["user_input"]
    assert b"function_result" not in finished.trace.exchanges[-1].request.body


def test_what_the_interaction_has_is_sent_again(chained: Mapping[Case, Finished]) -> None:
    assert "history/no-other-results" in found(chained[ASKED_AGAIN, WIRE])


def test_a_blocked_answer_is_an_error(whole: Mapping[Case, Finished]) -> None:
    finished = whole["content-filter", WIRE]
    assert found(finished) == set()
    (failure,) = told(finished, Failure)
    assert failure.kind == "stream"


async def test_a_driver_that_chains_nothing_shows_nothing_of_it(tmp_path: Path) -> None:
    unchained = broken(CHAINED, tmp_path, "CHAINED && interaction", "false")
    assert found(await driven(APPROVED, unchained, WIRE)) == set()
