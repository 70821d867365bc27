"""A target that a worker process can open, and that ends its process, blocks it, or answers."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from harness.gateway import Gateway
from harness.runner.execute import Finished
from harness.runner.opening import open_target
from harness.scenario import PROFILES
from harness.targets import Assignment, Declaration, Placement, Target
from harness.trace import Assistant, Final, TurnStart
from harness.wire import WIRES


@dataclass
class Misbehaving:
    """Does what ``does`` says for the scenario of a case, and notes in ``folder`` which scenario it ran when."""

    folder: Path
    does: Mapping[str, str]
    gateway: Gateway
    name: str = "misbehaving"
    declaration: Declaration = field(default_factory=lambda: Declaration(frozenset(WIRES), frozenset(PROFILES)))
    placement: Placement = "in-process"

    async def run(self, assignment: Assignment) -> None:
        scenario = assignment.base_url.rpartition("/")[2].partition(".")[0]
        seen = scenario in runs(self.folder)
        with (self.folder / "runs").open("a", encoding="utf-8") as notes:
            notes.write(f"{scenario}\n")
        _do(self.does.get(scenario, "answer"), seen)
        for event in (TurnStart(1), Assistant("Hello.", "a"), Final("", text="Hello.")):
            assignment.emit(event)

    async def close(self) -> None:
        with (self.folder / "closed").open("a", encoding="utf-8") as notes:
            notes.write("closed\n")


def _do(what: str, seen: bool) -> None:
    match what:
        case "killed once" if not seen:
            os.kill(os.getpid(), signal.SIGKILL)
        case "os._exit":
            os._exit(7)
        case "sys.exit":
            sys.exit(5)
        case "exit after it" if not seen:
            asyncio.get_running_loop().call_soon(os._exit, 9)
        case "block":
            threading.Event().wait()


def runs(folder: Path) -> list[str]:
    """The scenarios that were run, in order."""
    notes = folder / "runs"
    return notes.read_text(encoding="utf-8").splitlines() if notes.exists() else []


def keep_nothing(finished: Finished) -> None:
    """Traces are not kept."""


def no_room(finished: Finished) -> None:
    """The disk is full."""
    raise OSError(28, "No space left on device")


# --- what a worker imports ----------------------------------------------------------------------------------


class Telling:
    """The reference target, which notes in ``folder`` at its end which SDKs its process has imported."""

    def __init__(self, folder: Path, gateway: Gateway) -> None:
        self._folder = folder
        self._target: Target = open_target("reference", gateway)
        self.name, self.declaration, self.placement = (
            self._target.name,
            self._target.declaration,
            self._target.placement,
        )

    async def run(self, assignment: Assignment) -> None:
        await self._target.run(assignment)

    async def close(self) -> None:
        await self._target.close()
        sdks = [name for name in ("anthropic", "google.genai", "openai") if name in sys.modules]
        (self._folder / f"{os.getpid()}.json").write_text(json.dumps(sdks), encoding="utf-8")
