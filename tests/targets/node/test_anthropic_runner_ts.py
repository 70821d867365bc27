"""The real tool runner of Anthropic's SDK for TypeScript: its threads, its caller, and what it is known to do wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from harness.runner.execute import Finished
from tests.case_tables import from_table, rows_of
from tests.targets.node.driving import Case, broken, driven, driven_by_one_process, found, opened

pytestmark = pytest.mark.anyio

TARGET = "anthropic-runner-ts"
WIRE = "anthropic-messages"


@pytest.fixture(scope="module")
def played() -> Mapping[Case, Finished]:
    scenarios = (*(scenario for scenario, _ in rows_of(__file__, "test_what_the_runner_does")), "untouched-run")
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


@from_table(__file__, "test_what_the_runner_does")
def test_what_the_runner_does(scenario: str, rules: list[str], played: Mapping[Case, Finished]) -> None:
    this = found(played[scenario, WIRE])
    assert set(rules) <= this if rules else this == set()


@pytest.mark.sampled(3)
@from_table(__file__, "test_a_mutilated_driver_is_found")
async def test_a_mutilated_driver_is_found(old: str, new: str, scenario: str, rule: str, tmp_path: Path) -> None:
    assert rule in found(await driven(scenario, broken(TARGET, tmp_path, old, new)))
