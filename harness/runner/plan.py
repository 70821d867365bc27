"""The matrix: which cases a run consists of, in a fixed order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.errors import BadInput
from harness.runner.selection import selector
from harness.scenario import Scenario
from harness.trace import Case
from harness.wire import WireName

__all__ = ["PlannedCase", "plan"]

_TURN_LIMITS = {"screenshot-to-code": 20}
"""The turn limit that a profile's contract states, for scenarios that set none."""


@dataclass(frozen=True, slots=True)
class PlannedCase:
    """A case to run and the scenario that it comes from."""

    case: Case
    scenario: Scenario


def plan(
    scenarios: Sequence[Scenario],
    *,
    target: str,
    target_wires: frozenset[WireName],
    wires: Sequence[WireName] = (),
    expression: str = "",
    seed: int = 0,
) -> list[PlannedCase]:
    """Scenario x wire x chunking, in that order. Raises ``BadInput`` when the selection leaves nothing to run."""
    wanted = selector(expression)
    planned = [
        PlannedCase(_case(scenario, wire, chunking, target, seed), scenario)
        for scenario in scenarios
        for wire in scenario.wires
        if wire in target_wires and (not wires or wire in wires)
        for chunking in scenario.chunkings
    ]
    selected = [item for item in planned if wanted(item.case.id)]
    if not selected:
        raise BadInput(
            f"no case is left of {len(planned)}: relax -k {expression!r} or --wire; 'harness list' shows the scenarios"
        )
    return selected


def _case(scenario: Scenario, wire: WireName, chunking: str, target: str, seed: int) -> Case:
    return Case(
        id=f"{scenario.name}.{wire}.{chunking}",
        scenario=scenario.name,
        wire=wire,
        target=target,
        source="script",
        profile=scenario.profile,
        chunking=chunking,
        seed=seed,
        turn_limit=scenario.turn_limit or _TURN_LIMITS.get(scenario.profile),
    )
