"""Tools of a scenario that end only after another one (``finishes_after``), so that results come in another order."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable

from harness.scenario import Tool

LONGEST_WAIT = 3.0
"""Seconds for which a tool waits for another one. In a loop that runs calls one by one, it always waits in vain."""

_MOMENT = 20
"""Rounds of the event loop that a loop may need from the end of a call until it emits the result."""


class EndedTools:
    """Which of the ``tools`` of a case have ended a call. Tools that must end after another wait for it here.

    ``note_waited`` is called with the name of a tool that has waited in vain.
    """

    def __init__(self, tools: Iterable[Tool], note_waited: Callable[[str], None]) -> None:
        self._after = {tool.declaration.name: tool.finishes_after for tool in tools if tool.finishes_after}
        self._events: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self._note_waited = note_waited

    def add(self, name: str) -> None:
        """A call of this tool has ended."""
        self._events[name].set()

    async def wait_for_those_before(self, name: str) -> None:
        """Wait until the tool may end: a call of the other tool has ended, and there was time to report its result. Two
        that end at the same moment would have no order.

        After ``LONGEST_WAIT`` seconds in vain this is noted, and no tool waits any more.
        """
        if name not in self._after or (other := self._events[self._after[name]]).is_set():
            return
        try:
            async with asyncio.timeout(LONGEST_WAIT):
                await other.wait()
        except TimeoutError:
            self._after.clear()
            self._note_waited(name)
            return
        for _ in range(_MOMENT):
            await asyncio.sleep(0)
