"""Serving without a scenario: the automatic model answers whatever is asked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from harness.gateway import AutomaticModel
from harness.runner.sources import Opened
from harness.scenario import Expect, Scenario
from harness.trace import Case
from harness.wire import WireName, native_wires
from harness.wire import wire as wire_named

__all__ = ["AUTOMATIC", "AutomaticAnswers"]

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
"""What is served where no scenario is given. It is in no file, and nobody knows the prompt."""


@dataclass(frozen=True, slots=True)
class AutomaticAnswers:
    """The automatic model as the source of every case (``runner.sources.Sources``)."""

    name: str = "automatic"

    @property
    def words(self) -> tuple[str, ...]:
        """No options: nothing selects the same answers again."""
        return ()

    def variations(self, scenario: Scenario, wire: WireName) -> Sequence[str]:  # noqa: ARG002 - it has no script
        """One on every wire: a chunk for each event."""
        return ["event"]

    @asynccontextmanager
    async def opened(self, case: Case, scenario: Scenario) -> AsyncIterator[Opened]:  # noqa: ARG002 - the same for all
        """A model that answers by itself, for the case. It has nothing to open or close."""
        yield Opened(AutomaticModel, wire_named(case.wire).default_model, scripted=False)
