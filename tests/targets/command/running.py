"""Runs cases of a command as ``harness run`` does, and looks at what processes they leave."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from harness.endpoint import Endpoints
from harness.endpoint.server import serving
from harness.runner.execute import execute
from harness.runner.judging import judging
from harness.runner.plan import plan
from harness.runner.results import CaseResult
from harness.scenario import Scenario, load
from harness.targets import Declaration, Target
from harness.targets.command.target import CommandTarget
from harness.trace import Event, Trace
from tests.commands import write_hello

PROGRAM = Path(__file__).with_name("program.py")
ANTHROPIC = Declaration(frozenset({"anthropic-messages"}))


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of one case."""

    result: CaseResult
    trace: Trace

    @property
    def events(self) -> list[Event]:
        return [told.event for _, told in self.trace.events]

    @property
    def found(self) -> list[str]:
        return [finding.name for finding in self.result.findings]


def scenarios(folder: Path, count: int = 3) -> list[Scenario]:
    """``case-0`` and so on: one answer each."""
    write_hello(folder, *(f"case-{number}" for number in range(count)))
    return load([folder])


def program(does: str, environment: Mapping[str, str], declaration: Declaration = ANTHROPIC) -> CommandTarget:
    command = (sys.executable, "-IS", str(PROGRAM), does)
    return CommandTarget(f"cmd:{does}", command, declaration, environment)


async def run(target: Target, given: list[Scenario], *, deadline: float = 30.0, jobs: int = 2) -> dict[str, Ran]:
    """By scenario. ``jobs`` cases at a time, judged by what the scenario expects and one family of rules."""
    try:
        return await run_open(target, given, deadline=deadline, jobs=jobs)
    finally:
        await target.close()


async def run_open(target: Target, given: list[Scenario], *, deadline: float = 30.0, jobs: int = 2) -> dict[str, Ran]:
    """The same; the target may run other cases afterwards."""
    endpoints = Endpoints()
    planned = plan(given, target=target)
    async with serving(endpoints) as base_url:
        finished = await execute(planned, target, endpoints, base_url, jobs=jobs, judging=judging(), deadline=deadline)
    return {each.result.scenario: Ran(each.result, each.trace) for each in finished}


_LEFT: Final[set[int]] = set()
"""Dead children of this process that other tests have left: these are not to blame for them."""


def forget_the_dead() -> None:
    """Dead children that are there now were left by the tests before."""
    _LEFT.update(alive("a mark that no process has"))


def alive(mark: str) -> list[int]:
    """The processes whose environment has ``mark``, and children of this process that nobody has waited for."""
    folders = [folder for folder in Path("/proc").iterdir() if folder.name.isdecimal()]
    return [int(folder.name) for folder in folders if int(folder.name) not in _LEFT and _counts(folder, mark)]


def ended(number: int) -> bool:
    """Whether the process ends within some seconds."""
    try:
        watched = os.pidfd_open(number)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([watched], [], [], 5.0)[0])
    finally:
        os.close(watched)


def _counts(folder: Path, mark: str) -> bool:
    try:
        state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
        return (state == "Z" and int(parent) == os.getpid()) or mark.encode() in (folder / "environ").read_bytes()
    except OSError:
        return False
