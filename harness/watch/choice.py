"""Chooses the case that is watched."""

from __future__ import annotations

import difflib
from pathlib import Path

from harness.endpoint import Endpoints
from harness.errors import BadInput
from harness.runner.opening import open_target
from harness.runner.plan import PlannedCase, in_dialects, plan
from harness.scenario import Scenario, load, outline, shipped
from harness.targets import Target
from harness.wire import WireName


async def chosen_case(subject: str, *, wire: WireName | None, target: str, dialect: str = "") -> PlannedCase:
    """The one case to watch: ``subject`` is the name of a shipped scenario, or a file.

    ``wire`` None is the first wire of the scenario that the target speaks. The chunking is ``event``, as providers
    send, if the scenario has it. ``dialect`` is a dialect of the wire, empty for the provider's own form. Raises
    ``BadInput`` for anything unknown.
    """
    scenario = _scenario(subject)
    opened = open_target(target, Endpoints())
    try:
        _fitting(scenario, wire, opened)
        planned = plan([scenario], target=opened, wires=[] if wire is None else [wire])
        planned = in_dialects([dialect], planned) if dialect else planned
    finally:
        await opened.close()
    return next((item for item in planned if item.case.chunking == "event"), planned[0])


def _fitting(scenario: Scenario, wire: WireName | None, target: Target) -> None:
    """Raises ``BadInput`` unless the target has the scenario's profile and both know the wire."""
    if scenario.profile not in target.declaration.profiles:
        kept = ", ".join(sorted(target.declaration.profiles))
        raise BadInput(f"--target {target.name} keeps {kept}; scenario {scenario.name} is of {scenario.profile}")
    wires = [each for each in scenario.wires if each in target.declaration.wires]
    if not wires or (wire is not None and wire not in wires):
        asked = f"--wire {wire}: " if wire else ""
        raise BadInput(f"{asked}{scenario.name} on {target.name} runs on {', '.join(wires) or 'no wire'}")


def _scenario(subject: str) -> Scenario:
    path = Path(subject)
    if path.is_dir():
        raise BadInput(f"{subject}: a folder; expected one scenario, by its name or its file")
    if not path.is_file():
        path = _shipped_path(subject)
    (scenario,) = load([path])
    return scenario


def _shipped_path(name: str) -> Path:
    paths = {scenario.name: scenario.path for scenario in outline([shipped()])}
    if name in paths:
        return paths[name]
    close = difflib.get_close_matches(name, paths, n=3)
    hint = f"did you mean {' or '.join(close)}?" if close else "'harness list' shows the scenarios"
    raise BadInput(f"no scenario and no file is called {name!r}; {hint}")
