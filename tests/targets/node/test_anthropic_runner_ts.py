"""The real tool runner of Anthropic's SDK for TypeScript: its threads, its caller, and what it is known to do wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from harness.runner.execute import Finished
from tests.case_tables import from_table
from tests.targets.node.driving import Case, broken, driven, driven_by_one_process, found, opened

pytestmark = pytest.mark.anyio

TARGET = "anthropic-runner-ts"
WIRE = "anthropic-messages"

TAKES_A_HAND = (
    "response-edited",
    "error-softened",
    "turn-pushed-alone",
    "thinking-twice-in-a-turn",
    "answer-not-streamed",
)

KNOWN = {
    "arguments-cut-off": {"execution/arguments"},
    "turn-and-note-pushed": {"ANT-01", "history/results"},
    "response-edited-after-it-was-pushed": {"ANT-04", "order/tool-start-once"},
    "limit-of-one": {"execution/unnecessary"},
    "no-turn-at-all": {"guardrail/turn-limit"},
    "answer-in-half-characters": {"preview/half-character"},
}

ENDS = (
    "refusal",
    "truncated-text",
    "stream-without-its-end",
    "connection-cut",
    "turn-limit",
    "limit-before-the-caller",
    "answer-in-the-last-turn",
)


@pytest.fixture(scope="module")
def played() -> Mapping[Case, Finished]:
    scenarios = (*TAKES_A_HAND, *KNOWN, *ENDS, "untouched-run")
    return driven_by_one_process(((each, WIRE) for each in scenarios), opened(TARGET))


def bodies(finished: Finished) -> list[Mapping[str, Any]]:
    return [json.loads(exchange.request.body) for exchange in finished.trace.exchanges]


@from_table(__file__, "test_the_history_is_a_thread_unless_its_user_or_the_server_wants_none")
async def test_the_history_is_a_thread_unless_its_user_or_the_server_wants_none(
    variant: str, threads: list[str | None], sent: list[int], played: Mapping[Case, Finished]
) -> None:
    finished = await driven("untouched-run", opened(TARGET + variant)) if variant else played["untouched-run", WIRE]
    assert found(finished) == set()
    assert [body.get("thread", {}).get("type") for body in bodies(finished)] == threads
    assert [len(body["messages"]) for body in bodies(finished)] == sent


@pytest.mark.parametrize("scenario", TAKES_A_HAND)
def test_the_caller_takes_a_hand_and_its_user_is_told_what_the_model_says(
    scenario: str, played: Mapping[Case, Finished]
) -> None:
    assert found(played[scenario, WIRE]) == set()


@pytest.mark.parametrize("scenario", KNOWN)
def test_what_the_runner_is_known_to_do_is_found(scenario: str, played: Mapping[Case, Finished]) -> None:
    assert KNOWN[scenario] <= found(played[scenario, WIRE])


@pytest.mark.parametrize("scenario", ENDS)
def test_how_the_run_ended_is_told(scenario: str, played: Mapping[Case, Finished]) -> None:
    assert found(played[scenario, WIRE]) == set()


@pytest.mark.sampled(3)
@from_table(__file__, "test_a_mutilated_driver_is_found")
async def test_a_mutilated_driver_is_found(old: str, new: str, scenario: str, rule: str, tmp_path: Path) -> None:
    assert rule in found(await driven(scenario, broken(TARGET, tmp_path, old, new)))
