"""The marks of cases: plain names for all there is, and no family is missing that has something to say."""

from __future__ import annotations

import pytest

from harness import pytest_plugin
from harness.gateway import Gateway
from harness.mutants.loops import LOOPS
from harness.rules import FAMILIES
from harness.runner.execute import execute
from harness.runner.opening import open_target, plan_for
from harness.runner.plan import plan
from harness.scenario import PROFILES, load, shipped
from harness.testing.marks import MARKS, marks
from harness.wire import WIRES


def test_there_is_a_mark_for_every_wire_profile_and_family() -> None:
    assert len(MARKS) == 1 + len(WIRES) + len(PROFILES) + len(FAMILIES)
    assert all(mark.isidentifier() for mark in MARKS)


def test_the_plugin_knows_the_wires() -> None:
    assert tuple(WIRES) == pytest_plugin._WIRES


def test_every_mark_is_that_of_a_shipped_case_and_not_of_all() -> None:
    cases = [set(marks(item)) for item in plan_for("reference", load([shipped()]))]
    assert set().union(*cases) <= set(MARKS)
    assert set(MARKS) - set().union(*cases) == set()
    chosen = {mark for mark in MARKS if 0 < sum(mark in case for case in cases) < len(cases)}
    assert {f"harness_rule_{family}" for family in ("preview", "execution", "guardrail", "history", "retry")} <= chosen


@pytest.mark.anyio
@pytest.mark.parametrize("mutant", LOOPS)
async def test_no_family_has_something_to_say_of_a_case_without_its_mark(mutant: str) -> None:
    """Whatever is broken in a loop: in the scenarios that are known to find it, and in one without a call."""
    names = {*LOOPS[mutant].scenarios, "answer"}
    scenarios = [scenario for scenario in load([shipped()]) if scenario.name in names]
    gateway = Gateway()
    target = open_target(f"mutant:{mutant}", gateway)
    planned = plan(scenarios, target=target, expression="event")
    try:
        finished = await execute(planned, target, gateway, "http://harness")
    finally:
        await target.close()
    found = [{evidence.rule.partition("/")[0] for evidence in each.result.evidence} for each in finished]
    assert any(found)
    for item, families in zip(planned, found, strict=True):
        assert {f"harness_rule_{family}" for family in families & set(FAMILIES)} <= set(marks(item)), item.case.id
