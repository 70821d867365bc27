"""Arguments that a loop has not parsed: that its tool ran on them is a finding, and no mistake in the protocol."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness.targets import Declaration
from harness.targets.command.target import CommandTarget
from tests.scenarios import shipped_scenarios
from tests.targets.command.running import run

PROGRAM = Path(__file__).with_name("unparsed.py")
SCENARIO = "arguments-cut-off"


@pytest.mark.anyio
async def test_a_tool_that_runs_on_broken_arguments_is_a_finding() -> None:
    declared = Declaration(frozenset({"openai-chat"}), capabilities=frozenset({"non-streaming"}))
    target = CommandTarget("cmd:unparsed", (sys.executable, "-IS", str(PROGRAM)), declared)
    ran = (await run(target, shipped_scenarios(f"universal/{SCENARIO}.yaml")))[SCENARIO]
    assert (ran.result.verdict, ran.result.error) == ("fail", None)
    (finding,) = [each for each in ran.result.findings if each.rule == "execution/arguments"]
    assert finding.got.startswith(r'it ran with "{\"to\": \"landlord\", \"euros\": 950.5, \"month')
