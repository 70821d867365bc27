"""What a target says that it cannot do is skipped, with the reason; all else is run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.scenario import Expect, HttpErrorStep, Step, TurnStep
from harness.targets import Capability, Declaration
from harness.targets.declaration import EVERY_CAPABILITY, EVERY_EVENT
from tests.case_tables import from_table, rows_of
from tests.scenarios import shipped_scenarios

UNIVERSAL = {scenario.name: scenario for scenario in shipped_scenarios("universal")}
OTHERS = {scenario.name: scenario for scenario in shipped_scenarios("pydantic_ai", "screenshot_to_code")}


def test_a_target_that_can_do_everything_lacks_nothing() -> None:
    able = Declaration(capabilities=EVERY_CAPABILITY, emits=EVERY_EVENT)
    assert [scenario.name for scenario in (*UNIVERSAL.values(), *OTHERS.values()) if able.lacks(scenario)] == []


def test_a_target_that_declares_nothing_keeps_to_its_providers_api_and_promises_no_more() -> None:
    assert Declaration().capabilities == {"streaming", "non-streaming", "thinking", "parallel"}
    lacking = {name for name, scenario in UNIVERSAL.items() if Declaration().lacks(scenario)}
    of_the_provider = {name for name, scenario in UNIVERSAL.items() if any(map(_uses_tools_of_its_own, scenario.steps))}
    assert len(of_the_provider) >= 25
    of_a_caller = {name for name, scenario in UNIVERSAL.items() if scenario.has_timeline}
    assert lacking - of_the_provider - of_a_caller == set(rows_of(__file__, "beyond what is usual"))
    assert of_the_provider | of_a_caller <= lacking


def _uses_tools_of_its_own(step: Step) -> bool:
    return isinstance(step, TurnStep) and bool(step.turn.natives)


@from_table(__file__, "test_a_scenario_that_needs_what_a_target_cannot_do_is_skipped_with_the_reason")
def test_a_scenario_that_needs_what_a_target_cannot_do_is_skipped_with_the_reason(
    capability: Capability, scenario: str
) -> None:
    without = Declaration(capabilities=EVERY_CAPABILITY - {capability})
    assert f"; declare `{capability}` to run it" in without.lacks((UNIVERSAL | OTHERS)[scenario])
    assert without.lacks(UNIVERSAL["tool-returns"]) == ""


def test_previews_are_needed_where_the_scenario_expects_them() -> None:
    blind = Declaration(emits=EVERY_EVENT - {"setCode"})
    assert "'setCode'" in blind.lacks(OTHERS["create-then-edit"])
    assert blind.lacks(UNIVERSAL["tool-returns"]) == ""
    assert Declaration().lacks(OTHERS["create-then-edit"]) == ""


def test_a_loop_that_does_not_stream_is_run_where_nothing_breaks_a_stream() -> None:
    whole = Declaration(capabilities=EVERY_CAPABILITY - {"streaming"})
    assert whole.lacks(UNIVERSAL["answer"]) == ""
    broken = UNIVERSAL["arguments-cut-off"]
    assert "no JSON" in whole.lacks(broken, "anthropic-messages")
    assert whole.lacks(broken, "openai-chat") == ""
    too_deep = OTHERS["arguments-no-object"]
    assert "no JSON" in whole.lacks(too_deep, "anthropic-messages")
    assert whole.lacks(UNIVERSAL["truncated-call"], "anthropic-messages") == ""


@pytest.mark.parametrize(
    ("status", "expect", "needed"),
    [
        (503, Expect(("failed",), requests=1), False),
        (503, Expect(("failed",), requests=2), True),
        (503, Expect(("completed",)), True),
        (503, Expect(("completed", "failed")), False),
        (408, Expect(("completed",)), True),
        (400, Expect(("completed",)), False),
    ],
)
def test_a_retry_is_needed_where_the_run_is_to_go_on_after_an_error_that_passes(
    status: int, expect: Expect, needed: bool
) -> None:
    scenario = replace(UNIVERSAL["answer"], steps=(HttpErrorStep(status), *UNIVERSAL["answer"].steps), expect=expect)
    assert ("`retry`" in Declaration().lacks(scenario)) is needed


def test_a_switch_to_a_provider_that_the_target_does_not_speak_is_skipped() -> None:
    scenario = UNIVERSAL["switched-from-anthropic-messages-to-openai-chat"]
    able = Declaration(capabilities=EVERY_CAPABILITY, emits=EVERY_EVENT)
    assert able.lacks(scenario) == ""
    alone = replace(able, wires=frozenset({"anthropic-messages"}))
    assert alone.lacks(scenario) == "the target does not speak openai-chat: the scenario switches to it"
