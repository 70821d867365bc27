"""The source of a script's answers, adapted to the tools of an agent that brings its own."""

from __future__ import annotations

from collections.abc import Sequence

from harness.gateway import ScriptSource, Source
from harness.scenario import Scenario, Step
from harness.scenario.agent_tools import completed

__all__ = ["script_source"]


def script_source(scenario: Scenario, steps: Sequence[Step], then: Source | None = None) -> ScriptSource:
    """Answers by ``steps`` of the scenario, and after the last one by ``then``."""
    return ScriptSource(steps, then, completed if scenario.is_of_agent else None)
