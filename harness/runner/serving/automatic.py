"""Serving without a scenario: the automatic model answers every request."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from harness.endpoint import BEHAVIOURS, PARALLEL, AutomaticModel, Behaviour
from harness.runner.sources import Opened
from harness.scenario import Expect, Scenario
from harness.trace import Case
from harness.wire import WireName, native_wires
from harness.wire import wire as wire_named

AUTOMATIC: Final = Scenario(
    name="automatic",
    profile="universal",
    summary="The model calls the tools that it is offered, and answers with text after that.",
    wires=native_wires(),
    prompt=(),
    tools=(),
    steps=(),
    expect=Expect(("completed",)),
    path=Path(),
)
"""The scenario that is served by default. It is in no file, and the prompt is unknown."""


def behaving(behaviour: Behaviour) -> Scenario:
    """The scenario of the round with this behaviour. It has the round's name, unless the behaviour is the plain one."""
    if behaviour is PARALLEL:
        return AUTOMATIC
    return replace(AUTOMATIC, name=f"{AUTOMATIC.name}-{behaviour.name}", summary=behaviour.summary)


_BY_SCENARIO: Final = {behaving(each).name: each for each in BEHAVIOURS}


def behaviour_of(scenario: Scenario) -> Behaviour:
    """The behaviour with which ``scenario`` is served; for scenarios of a file the plain one."""
    return PARALLEL if scenario.path.name else _BY_SCENARIO[scenario.name]


@dataclass(frozen=True, slots=True)
class AutomaticAnswers:
    """The automatic model as the source of every case (``runner.sources.Sources``), with its round's behaviour."""

    name: str = "automatic"

    @property
    def words(self) -> tuple[str, ...]:
        """No options: no option selects the same answers again."""
        return ()

    def variations(self, scenario: Scenario, wire: WireName) -> Sequence[str]:  # noqa: ARG002 - it has no script
        """One on every wire: a chunk for each event."""
        return ["event"]

    @asynccontextmanager
    async def opened(self, case: Case, scenario: Scenario) -> AsyncIterator[Opened]:
        """A model that answers by itself, for the case. It has nothing to open or close."""
        model = partial(AutomaticModel, _BY_SCENARIO[scenario.name])
        yield Opened(model, wire_named(case.wire).default_model, scripted=False)
