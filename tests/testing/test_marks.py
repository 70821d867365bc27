"""The marks of cases: plain names for all there is. tests/mutants/test_loops.py looks for one that is missing."""

from __future__ import annotations

import pytest

from harness.rules import FAMILIES
from harness.runner.opening import plan_for
from harness.scenario import PROFILES
from harness.testing.marks import MARKS, marks
from harness.wire import OWN_WIRES, WIRES
from tests.scenarios import shipped_scenarios
from tests.testing.running import run


def test_there_is_a_mark_for_every_wire_profile_and_family() -> None:
    assert len(MARKS) == 1 + len(OWN_WIRES) + len(PROFILES) + len(FAMILIES)
    assert all(mark.isidentifier() for mark in MARKS)


def test_every_mark_is_that_of_a_shipped_case_and_not_of_all() -> None:
    cases = [set(marks(item)) for item in plan_for("reference", shipped_scenarios())]
    assert set().union(*cases) <= set(MARKS)
    on_request = {f"harness_wire_{name.replace('-', '_')}" for name in OWN_WIRES if name not in WIRES}
    over_websockets = {"harness_rule_socket"}  # planned where they are asked for
    of_agents = {"harness_profile_coding_agent"}  # the reference loop is none
    assert set(MARKS) - set().union(*cases) == on_request | over_websockets | of_agents
    chosen = {mark for mark in MARKS if 0 < sum(mark in case for case in cases) < len(cases)}
    assert {f"harness_rule_{family}" for family in ("preview", "execution", "guardrail", "history", "retry")} <= chosen


def test_pytest_lists_all_marks_without_a_target(pytester: pytest.Pytester) -> None:
    listed = run(pytester, "--markers").stdout.str()
    assert [mark for mark in MARKS if f"@pytest.mark.{mark}: " not in listed] == []
