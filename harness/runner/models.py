"""Which model a case asks for: the target's, if that model can play the script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.scenario import Scenario
from harness.trace import Case
from harness.wire import wire

if TYPE_CHECKING:
    from harness.runner.sources import Opened
    from harness.targets import Declaration


def model_of(case: Case, scenario: Scenario, opened: Opened, declaration: Declaration) -> tuple[str, tuple[str, ...]]:
    """The model that the case asks for, and a note if it is not the one that the target file names."""
    wanted = next((model for wire, model in declaration.models if wire == case.wire), opened.model)
    if wanted == opened.model:
        return wanted, ()
    why = _why_not(case, scenario, wanted)
    if not why:
        return wanted, ()
    return opened.model, (f"asks for the model {opened.model} in place of {wanted}: {why}",)


def _why_not(case: Case, scenario: Scenario, model: str) -> str:
    """Why the model cannot play this case; empty if it can."""
    if case.source != "script":
        return "its answers are recorded" if case.source in ("cassette", "live") else "its answers are not scripted"
    if scenario.plays:
        return "the scenario plays a model of its own"
    if not scenario.thinks:
        return ""
    if wire(case.wire).thinking_model:
        return "the scripted model thinks, and on Chat Completions it must be one whose thinking is sent back"
    return "the scripted model thinks, and this one never does" if wire(case.wire).never_thinks(model) else ""
