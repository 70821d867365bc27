"""The real tool runner of Anthropic's SDK for TypeScript: its threads, its caller, and what it is known to do wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from harness.runner.execute import Finished
from tests.targets.node.driving import broken, driven, found, opened

pytestmark = pytest.mark.anyio

TARGET = "anthropic-runner-ts"


def bodies(finished: Finished) -> list[Mapping[str, Any]]:
    return [json.loads(exchange.request.body) for exchange in finished.trace.exchanges]


@pytest.mark.parametrize(
    ("variant", "threads", "sent"),
    [
        ("", ["create", "continue", "continue"], [1, 1, 1]),
        (":unthreaded", [None, None, None], [1, 3, 5]),
        (":declined", ["create", None, None, None], [1, 1, 3, 5]),
    ],
)
async def test_the_history_is_a_thread_unless_its_user_or_the_server_wants_none(
    variant: str, threads: list[str | None], sent: list[int]
) -> None:
    finished = await driven("untouched-run", opened(TARGET + variant))
    assert found(finished) == set()
    assert [body.get("thread", {}).get("type") for body in bodies(finished)] == threads
    assert [len(body["messages"]) for body in bodies(finished)] == sent


@pytest.mark.parametrize(
    "scenario",
    ["response-edited", "error-softened", "turn-pushed-alone", "thinking-twice-in-a-turn", "answer-not-streamed"],
)
async def test_the_caller_takes_a_hand_and_its_user_is_told_what_the_model_says(scenario: str) -> None:
    assert found(await driven(scenario, opened(TARGET))) == set()


@pytest.mark.parametrize(
    ("scenario", "rules"),
    [
        ("arguments-cut-off", {"execution/arguments"}),
        ("turn-and-note-pushed", {"ANT-01", "history/results"}),
        ("response-edited-after-it-was-pushed", {"ANT-04", "order/tool-start-once"}),
        ("limit-of-one", {"execution/unnecessary"}),
        ("no-turn-at-all", {"guardrail/turn-limit"}),
        ("answer-in-half-characters", {"preview/half-character"}),
    ],
)
async def test_what_the_runner_is_known_to_do_is_found(scenario: str, rules: set[str]) -> None:
    assert rules <= found(await driven(scenario, opened(TARGET)))


@pytest.mark.parametrize(
    "scenario",
    [
        "refusal",
        "truncated-text",
        "stream-without-its-end",
        "connection-cut",
        "turn-limit",
        "limit-before-the-caller",
        "answer-in-the-last-turn",
    ],
)
async def test_how_the_run_ended_is_told(scenario: str) -> None:
    assert found(await driven(scenario, opened(TARGET))) == set()


@pytest.mark.parametrize(
    ("old", "new", "scenario", "rule"),
    [
        ("text: delta.text", "text: delta.text.trim()", "answer", "stream/text"),
        ("task.caller?.[turn] ?? []", "[]", "response-edited", "expect/sent"),
        ("OUTCOMES[stop_reason] ?? 'completed'", "'completed'", "truncated-text", "final/outcome"),
        ("changed ||= CHANGES.includes(does)", "", "limit-before-the-caller", "expect/outcome"),
        ("spent: turn === task.turn_limit", "spent: false", "limit-before-the-caller", "expect/outcome"),
        ("asText(await run(input, toolUse.id))", "asText(input)", "tool-returns-any-json", "expect/sent"),
    ],
)
async def test_a_mutilated_driver_is_found(old: str, new: str, scenario: str, rule: str, tmp_path: Path) -> None:
    assert rule in found(await driven(scenario, broken(TARGET, tmp_path, old, new)))
