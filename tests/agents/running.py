"""Runs shipped scenarios of the profile ``coding-agent`` on the reference agent, as it is or with mutants."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from harness.endpoint import Endpoints
from harness.endpoint.server import serving
from harness.runner.execute import execute
from harness.runner.plan import PlannedCase, matrix
from harness.runner.results import CaseResult
from harness.scenario import Scenario
from harness.targets import Target
from harness.targets.file import open_file
from tests.scenarios import shipped_scenarios

AGENT = Path(__file__).with_name("agent.yaml")


def scenarios(*names: str) -> list[Scenario]:
    """The shipped scenarios of the profile, or those with these names."""
    every = shipped_scenarios("coding_agent")
    return [each for each in every if not names or each.name in names]


def reference(folder: Path, mutants: str = "", more: str = "") -> Target:
    """The reference agent, run by this Python, with mutants; ``more`` are lines for its target file."""
    script = AGENT.with_name("agent.py")
    file = folder / "mutant.yaml"
    file.write_text(
        f"target: mutant\nextends: {AGENT}\n"
        f"command: ['{sys.executable}', '{script}', $prompt]\n"
        f"again: ['{sys.executable}', '{script}', --continue, $prompt]\n"
        f"compact: ['{sys.executable}', '{script}', --compact]\n"
        f"environment: {{AGENT_MUTANT: '{mutants}'}}\n{more}",
        encoding="utf-8",
    )
    return open_file(file)


def run(target: Target, planned: Sequence[PlannedCase], jobs: int = 1) -> list[CaseResult]:
    """The results of the cases, in their order."""

    async def driven() -> list[CaseResult]:
        endpoints = Endpoints()
        async with serving(endpoints) as url:
            try:
                finished = await execute(planned, target, endpoints, url, jobs=jobs)
            finally:
                await target.close()
        return [each.result for each in finished]

    return asyncio.run(driven())


def cases(target: Target, wire: str, *names: str) -> list[PlannedCase]:
    """The cases of these scenarios (none: all) on a wire, in one chunking."""
    every = matrix(scenarios(*names), target=target)
    return [each for each in every if each.case.wire == wire and each.case.chunking == "event"]
