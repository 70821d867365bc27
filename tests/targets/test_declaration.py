"""What a target says that it cannot do is skipped, with the reason; all else is run."""

from __future__ import annotations

import pytest

from harness.scenario import Scenario, load, shipped
from harness.targets import CAPABILITIES, Capability, Declaration
from harness.targets.declaration import EVERYTHING_TOLD

UNIVERSAL = {scenario.name: scenario for scenario in load([shipped() / "universal"])}
OTHERS = {scenario.name: scenario for scenario in load([shipped() / "pydantic_ai", shipped() / "screenshot_to_code"])}


def test_a_target_that_can_do_everything_lacks_nothing() -> None:
    assert [
        s.name for s in (*UNIVERSAL.values(), *OTHERS.values()) if Declaration(tells=EVERYTHING_TOLD).lacks(s)
    ] == []


@pytest.mark.parametrize(
    ("capability", "scenario"),
    [
        ("whole", UNIVERSAL["answer-not-streamed"]),
        ("streaming", UNIVERSAL["connection-cut"]),
        ("streaming", UNIVERSAL["error-in-the-stream"]),
        ("streaming", UNIVERSAL["stream-without-its-end"]),
        ("thinking", UNIVERSAL["thinking-redacted"]),
        ("parallel", UNIVERSAL["parallel-calls"]),
        ("limit", OTHERS["request-limit-of-two"]),
        ("server-tools", UNIVERSAL["paused-turn"]),
    ],
)
def test_a_scenario_that_needs_what_a_target_cannot_do_is_skipped_with_the_reason(
    capability: Capability, scenario: Scenario
) -> None:
    without = Declaration(capabilities=frozenset(CAPABILITIES) - {capability})
    assert f"'{capability}' ({CAPABILITIES[capability]})" in without.lacks(scenario)
    assert without.lacks(UNIVERSAL["tool-returns"]) == ""


def test_previews_are_needed_where_the_scenario_expects_them() -> None:
    blind = Declaration(tells=EVERYTHING_TOLD - {"setCode"})
    assert "'setCode'" in blind.lacks(OTHERS["create-then-edit"])
    assert blind.lacks(UNIVERSAL["tool-returns"]) == ""
    assert Declaration().lacks(OTHERS["create-then-edit"]) == ""


def test_a_loop_that_does_not_stream_is_run_where_nothing_breaks_a_stream() -> None:
    whole = Declaration(capabilities=frozenset(CAPABILITIES) - {"streaming"})
    assert whole.lacks(UNIVERSAL["answer"]) == ""
