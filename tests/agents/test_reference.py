"""The profile ``coding-agent``: an honest agent passes every scenario, and each scenario finds a mutant of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agents.running import cases, reference, run, scenarios
from tests.case_tables import from_table, rows_of

WIRES = ("anthropic-messages", "gemini-generate", "openai-chat", "openai-responses")


@pytest.mark.exhaustive
@pytest.mark.parametrize("wire", WIRES)
def test_the_reference_agent_passes_every_scenario(tmp_path: Path, wire: str) -> None:
    """On the first wire, and on one of the others in turn."""
    target = reference(tmp_path)
    planned = cases(target, wire)
    if wire != WIRES[0]:
        planned = planned[WIRES.index(wire) - 1 :: len(WIRES) - 1]
    results = run(target, planned)
    assert {each.id: each.findings or each.error for each in results if each.verdict != "pass"} == {}
    assert len(results) > (25 if wire == WIRES[0] else 8)


def test_each_scenario_has_a_mutant() -> None:
    assert {name for name, *_ in rows_of(__file__, "test_a_mutant_is_found")} == {each.name for each in scenarios()}


@pytest.mark.sampled(5)
@from_table(__file__, "test_a_mutant_is_found")
def test_a_mutant_is_found(tmp_path: Path, name: str, does: str, wire: str) -> None:
    target = reference(tmp_path, does)
    (result,) = run(target, cases(target, wire, name))
    assert result.verdict == "fail", result


@pytest.mark.exhaustive
def test_a_run_that_goes_on_in_spite_of_ctrl_c_is_found(tmp_path: Path) -> None:
    target = reference(tmp_path, "ignores-interrupts")
    (result,) = run(target, cases(target, WIRES[0], "agent-interrupted-while-a-command-runs"))
    assert result.verdict == "error"
    assert result.error is not None
    assert "has not ended" in result.error
