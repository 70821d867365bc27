"""A case that can be run any number of times, each time with a listener."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from harness.endpoint import Endpoints
from harness.errors import HarnessError
from harness.finding import Finding
from harness.runner.cases import CaseWork
from harness.runner.execute import Finished
from harness.runner.live import performed
from harness.runner.opening import open_target
from harness.runner.plan import PlannedCase
from harness.sealing.allowed import Sealing
from harness.targets import Isolation
from harness.trace import Event, Trace
from harness.watch.forms import HARNESS, MessageForm
from harness.watch.messages import Message


@dataclass(frozen=True, slots=True)
class Performance:
    """Runs ``item`` on the target called ``target``, and judges it, as ``harness run`` does.

    ``severity`` returns severity and category of a finding in words, ``form`` the messages of the run. ``sealing`` says
    whether the loop is sealed off.
    """

    item: PlannedCase
    target: str
    severity: Callable[[Finding], str]
    form: MessageForm = HARNESS
    sealing: Sealing = "possible"

    async def __call__(self, send: Callable[[Message], None]) -> None:
        """Run the case once, with a gateway and a target of its own, and send every message as it comes."""
        here = asyncio.get_running_loop()

        def listen(event: Event) -> None:
            for message in self.form.event(event):
                here.call_soon_threadsafe(send, message)  # the loop may run in a thread of its own

        for message in self.form.first(self.item):
            send(message)
        work = CaseWork(partial(open_target, self.target), _kept_by_nobody, sealing=self.sealing)
        try:
            finished = await performed(work, self.item, await self._isolation(), listen)
        except HarnessError as problem:  # the loop cannot be imported, or not be sealed off
            finished = Finished(work.failed(self.item, str(problem)), Trace(self.item.case))
        await asyncio.sleep(0)  # what is on its way is sent first
        for message in self.form.last(finished, self.severity):
            send(message)

    async def _isolation(self) -> Isolation:
        target = open_target(self.target, Endpoints())
        try:
            return target.isolation
        finally:
            await target.close()


def _kept_by_nobody(finished: Finished) -> None:
    """Keep nothing: a watched case leaves no trace."""
