"""A case that can be run any number of times, each time with somebody listening."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

from harness.finding import Finding
from harness.gateway import Gateway
from harness.runner.cases import endpoint
from harness.runner.execute import execute
from harness.runner.opening import open_target
from harness.runner.plan import PlannedCase
from harness.targets import CaseRun, Declaration, Isolation, Target
from harness.trace import Event
from harness.watch.forms import HARNESS, MessageForm
from harness.watch.messages import Message

__all__ = ["Performance"]


@dataclass(frozen=True, slots=True)
class Performance:
    """``item`` run on the target called ``target``, as ``harness run`` runs and judges it.

    ``severity`` gives severity and category of a finding in words, ``form`` what is sent of the run.
    """

    item: PlannedCase
    target: str
    severity: Callable[[Finding], str]
    form: MessageForm = HARNESS

    async def __call__(self, send: Callable[[Message], None]) -> None:
        """Run the case once, with a gateway and a target of its own, and send every message as it comes."""
        here = asyncio.get_running_loop()

        def listen(event: Event) -> None:
            for message in self.form.event(event):
                here.call_soon_threadsafe(send, message)  # the loop may run in a thread of its own

        for message in self.form.first(self.item):
            send(message)
        gateway = Gateway()
        target = open_target(self.target, gateway)
        try:
            async with endpoint(target, gateway) as base_url:
                (finished,) = await execute([self.item], _Overheard(target, listen), gateway, base_url, jobs=1)
        finally:
            await target.close()
        await asyncio.sleep(0)  # what is on its way is told first
        for message in self.form.last(finished, self.severity):
            send(message)


@dataclass(frozen=True, slots=True)
class _Overheard:
    """A target whose events are also passed to somebody else, after they are recorded."""

    target: Target
    listen: Callable[[Event], None]

    @property
    def name(self) -> str:
        return self.target.name

    @property
    def declaration(self) -> Declaration:
        return self.target.declaration

    @property
    def isolation(self) -> Isolation:
        return self.target.isolation

    async def run(self, case_run: CaseRun) -> None:
        def emit(event: Event) -> None:
            case_run.emit(event)
            self.listen(event)

        def observe(event: Event) -> bool:
            was_observed = case_run.observe(event)
            if was_observed:
                self.listen(event)
            return was_observed

        await self.target.run(replace(case_run, emit=emit, observe=observe))

    async def close(self) -> None:
        await self.target.close()
