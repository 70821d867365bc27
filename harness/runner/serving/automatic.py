"""Serving without a scenario: the automatic model answers whatever is asked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast, get_args

from harness.gateway import AutomaticModel
from harness.runner.sources import Opened
from harness.scenario import Expect, Scenario
from harness.targets.base import MODELS
from harness.trace import Case
from harness.wire import NativeWireName, WireName

__all__ = ["AUTOMATIC", "AutomaticAnswers"]

AUTOMATIC: Final = Scenario(
    name="automatic",
    profile="universal",
    summary="The model calls the tools that it is offered, and answers with text after that.",
    wires=get_args(NativeWireName),
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
        return ()

    def variations(self, scenario: Scenario, wire: WireName) -> Sequence[str]:  # noqa: ARG002 - it has no script
        return ["event"]

    @asynccontextmanager
    async def opened(self, case: Case, scenario: Scenario) -> AsyncIterator[Opened]:  # noqa: ARG002 - the same for all
        yield Opened(AutomaticModel, MODELS[cast(WireName, case.wire)], scripted=False)
