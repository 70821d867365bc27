"""The profile ``coding-agent``: an honest agent passes every scenario, and each scenario finds a mutant of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agents.running import cases, reference, run, scenarios

WIRES = ("anthropic-messages", "gemini-generate", "openai-chat", "openai-responses")

KILLED = {
    "agent-arguments-cut-off": "repairs-arguments",
    "agent-arguments-cut-off-beside-a-good-call": "repairs-arguments",
    "agent-asks-the-user": "answers-for-the-user",
    "agent-calls-without-ids": "swaps-results",
    "agent-compacted": "parts-results-from-calls",
    "agent-content-filter-with-a-call": "runs-a-filtered-turn",
    "agent-edit-after-read": "edits-the-whole-file",
    "agent-error-after-the-results": "hides-errors",
    "agent-error-in-the-stream": "ignores-errors-in-the-stream,takes-a-stream-without-its-end",
    "agent-failed-read-beside-a-good-one": "answers-one-call",
    "agent-failing-command": "loses-standard-error",
    "agent-id-used-again": "takes-ids-twice",
    "agent-interrupted-while-a-command-runs": "stores-calls-without-results",
    "agent-long-output": "chokes-on-length",
    "agent-one-call": "reads-nothing",
    "agent-one-id-for-two-calls": "takes-ids-twice",
    "agent-output-in-control-characters": "chokes-on-bytes",
    "agent-overloaded-between-turns": "runs-twice",
    "agent-parallel-reads": "swaps-results",
    "agent-redacted-thinking": "drops-thinking",
    "agent-refusal": "asks-again-after-a-refusal",
    "agent-resumed": "forgets-the-session",
    "agent-resumed-with-thinking": "stores-no-thinking",
    "agent-search": "finds-everything",
    "agent-side-requests": "needs-a-title-of-one-line",
    "agent-sixty-turns": "forgets-the-beginning",
    "agent-steered": "ignores-what-the-user-says",
    "agent-stream-broken-after-a-whole-call": "takes-a-stream-without-its-end",
    "agent-stream-without-its-end": "takes-a-stream-without-its-end",
    "agent-sub-agent": "does-not-delegate",
    "agent-text-between-calls": "drops-texts-beside-calls",
    "agent-thinking-in-every-turn": "drops-thinking",
    "agent-truncated-after-a-whole-call": "goes-on-behind-a-cut-call",
    "agent-truncated-call": "runs-a-cut-turn,repairs-arguments",
    "agent-twenty-turns": "stops-after-ten-turns",
    "agent-unicode-and-escapes": "writes-escapes",
    "agent-unknown-tool": "ends-at-an-unknown-tool",
    "agent-write-a-file": "writes-no-folders",
    "agent-wrong-arguments": "ends-at-wrong-arguments",
}
"""A mutant of the reference agent that the scenario finds."""

ON = {"agent-calls-without-ids": "gemini-generate", "agent-refusal": "openai-chat"}
"""The wire on which a mutant is tried, where it is not the first one."""


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
    assert KILLED.keys() == {each.name for each in scenarios()}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", KILLED)
def test_a_mutant_is_found(tmp_path: Path, name: str) -> None:
    target = reference(tmp_path, KILLED[name])
    (result,) = run(target, cases(target, ON.get(name, WIRES[0]), name))
    assert result.verdict == "fail", result


@pytest.mark.exhaustive
def test_a_run_that_goes_on_in_spite_of_ctrl_c_is_found(tmp_path: Path) -> None:
    target = reference(tmp_path, "ignores-interrupts")
    (result,) = run(target, cases(target, WIRES[0], "agent-interrupted-while-a-command-runs"))
    assert result.verdict == "error"
    assert result.error is not None
    assert "has not ended" in result.error
