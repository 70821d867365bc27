"""An example of the campaign: a script, and how it is played."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from harness.fuzz.strategies.edits import Edits
from harness.fuzz.strategies.scripts import DrawnScript
from harness.scenario import CallerAct, Expect, NextRun, Outcome, Scenario, TurnStep
from harness.wire import WireName
from harness.wire.chunking import Chunking

NAME: Final = "fuzzed"
"""The name of an example's scenario while it is played."""

EVERY_END: Final[tuple[Outcome, ...]] = ("completed", "truncated", "refused", "failed", "turn-limit", "deferred")
"""A run may end in each of these ways; the rules decide which is right."""


@dataclass(frozen=True, slots=True)
class Play:
    """``script`` on each of ``wires``, its bytes cut in each of ``chunkings``, by the contract of ``profile``.

    ``dialect`` is the dialect in which the one wire streams, empty for the provider's own form. ``acts`` are the
    caller's actions while the loop runs, ``runs`` the runs after the first, and ``edits`` the caller's changes to the
    history between turns.
    """

    script: DrawnScript
    wires: tuple[WireName, ...]
    chunkings: tuple[Chunking, ...] = ("event",)
    profile: str = "universal"
    dialect: str = ""
    acts: tuple[CallerAct, ...] = ()
    runs: tuple[NextRun, ...] = ()
    edits: Edits = ()

    @property
    def turns(self) -> int:
        """How many answers of the script are turns of the model."""
        return sum(isinstance(step, TurnStep) for step in self.script.steps)


def scenario_of(play: Play) -> Scenario:
    """The scenario that says ``play``, as the loader would compile it."""
    script = play.script
    return Scenario(
        name=NAME,
        profile=play.profile,
        summary="Made by the fuzzer.",
        wires=play.wires,
        prompt=script.prompt,
        tools=script.tools,
        steps=script.steps,
        expect=Expect(EVERY_END),
        path=Path(f"{NAME}.yaml"),
        chunkings=play.chunkings,
        dialects=(play.dialect,) if play.dialect else (),
        stream=script.stream,
        turn_limit=script.turn_limit,
        acts=play.acts,
        runs=play.runs,
        caller=dict(play.edits),
    )


def sdk_is_asked(play: Play) -> bool:
    """Whether the reference loop plays it on the providers' SDKs, too. Only for them it matters how bytes are cut, or
    what the caller does while they arrive."""
    return play.chunkings != ("event",) or bool(play.acts)
