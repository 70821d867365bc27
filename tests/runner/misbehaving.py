"""A target that a worker process can open, and that ends its process, blocks it, or answers."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from harness.endpoint import Endpoints
from harness.runner.execute import Finished
from harness.runner.opening import open_target
from harness.runner.plan import PlannedCase, plan
from harness.scenario import PROFILES, load
from harness.targets import CaseRun, Declaration, Isolation, Target
from harness.trace import Assistant, Final, TurnStart
from harness.wire import WIRES

SCENARIO = """\
scenario: {name}
profile: universal
summary: A short answer.
wires: [anthropic-messages]
prompt: Say hello.
model:
  - text: Hello.
expect: {{outcome: completed}}
"""

WAITS = "wait for the killer"
MEETING = "meeting"
"""A named pipe of a test, in which a case that waits for its killer says which process it runs in."""


@dataclass
class Misbehaving:
    """Does what ``does`` says for the scenario of a case, and notes in ``folder`` which scenario it ran when.

    It also notes that it was closed, unless it has run nothing, because it was only asked what it is.
    """

    folder: Path
    does: Mapping[str, str]
    endpoints: Endpoints
    name: str = "misbehaving"
    declaration: Declaration = field(default_factory=lambda: Declaration(frozenset(WIRES), frozenset(PROFILES)))
    isolation: Isolation = "in-process"
    has_run: bool = False

    async def run(self, case_run: CaseRun) -> None:
        self.has_run = True
        scenario = case_run.base_url.rpartition("/")[2].partition(".")[0]
        seen = scenario in runs(self.folder)
        with (self.folder / "runs").open("a", encoding="utf-8") as notes:
            notes.write(f"{scenario}\n")
        _do(self.does.get(scenario, "answer"), seen, self.folder / MEETING)
        for event in (TurnStart(1), Assistant("Hello.", "a"), Final("", text="Hello.")):
            case_run.emit(event)

    async def close(self) -> None:
        if not self.has_run:
            return
        with (self.folder / "closed").open("a", encoding="utf-8") as notes:
            notes.write("closed\n")


def _do(what: str, seen: bool, meeting: Path) -> None:
    match what:
        case _ if what == WAITS and not seen:
            meeting.write_text(f"{os.getpid()}\n", encoding="utf-8")
            threading.Event().wait()
        case "kill the parent":
            os.kill(os.getppid(), signal.SIGKILL)
            threading.Event().wait()
        case "killed once" if not seen:
            os.kill(os.getpid(), signal.SIGKILL)
        case "kill the worker of the cluster":
            import psutil

            psutil.Process().parents()[1].kill()
            threading.Event().wait()
        case "os._exit":
            os._exit(7)
        case "sys.exit":
            sys.exit(5)
        case "exit after it" if not seen:
            asyncio.get_running_loop().call_soon(os._exit, 9)
        case "block":
            threading.Event().wait()


def numbered(folder: Path, count: int) -> list[PlannedCase]:
    """Cases ``case-00`` and so on, on one wire."""
    scenarios = folder / "scenarios"
    scenarios.mkdir()
    for number in range(count):
        text = SCENARIO.format(name=f"case-{number:02}")
        (scenarios / f"{number:02}.yaml").write_text(text, encoding="utf-8")
    return plan(load([scenarios]), target=Misbehaving(folder, {}, Endpoints()))


def runs(folder: Path) -> list[str]:
    """The scenarios that were run, in order."""
    notes = folder / "runs"
    return notes.read_text(encoding="utf-8").splitlines() if notes.exists() else []


def keep_nothing(finished: Finished) -> None:
    """Traces are not kept."""


def no_room(finished: Finished) -> None:
    """The disk is full."""
    raise OSError(28, "No space left on device")


@contextmanager
def killing(folder: Path, kill: Callable[[int], None]) -> Iterator[None]:
    """While the block runs, ``kill`` is given the process of a case that waits for its killer, once it is there."""
    os.mkfifo(folder / MEETING)

    def meet() -> None:
        kill(int((folder / MEETING).read_text(encoding="utf-8")))

    with ThreadPoolExecutor(1) as pool:
        met = pool.submit(meet)
        try:
            yield
        finally:
            if not met.done():  # nobody has come: who waits at the pipe is sent home
                with suppress(OSError):
                    os.close(os.open(folder / MEETING, os.O_WRONLY | os.O_NONBLOCK))
        met.result()


# --- what a worker imports ----------------------------------------------------------------------------------


class Telling:
    """The reference target, which notes in ``folder`` at its end which SDKs its process has imported.

    One that has run no case, because it was only asked what it is, notes nothing.
    """

    def __init__(self, folder: Path, endpoints: Endpoints) -> None:
        self._folder = folder
        self._has_run = False
        self._target: Target = open_target("reference", endpoints)
        self.name, self.declaration, self.isolation = (
            self._target.name,
            self._target.declaration,
            self._target.isolation,
        )

    async def run(self, case_run: CaseRun) -> None:
        self._has_run = True
        await self._target.run(case_run)

    async def close(self) -> None:
        await self._target.close()
        if not self._has_run:
            return
        sdks = [name for name in ("anthropic", "google.genai", "openai") if name in sys.modules]
        (self._folder / f"{os.getpid()}.json").write_text(json.dumps(sdks), encoding="utf-8")
