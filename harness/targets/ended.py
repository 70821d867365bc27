"""Tools of a scenario that end only after another one (``finishes_after``), so that results come in another order."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable

from harness.scenario import Tool

LONGEST_WAIT = 3.0
"""Seconds for which a tool waits for another one. A loop that runs the calls of a turn one by one never ends that."""

_MOMENT = 20
"""Rounds of the event loop that a loop may take from the end of a call until it emits the result."""


class EndedTools:
    """Those of the ``tools`` of a case of which a call has ended, for those that must end after another.

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
        """Wait until the tool may end: a call of the other one has ended, and its result could be reported, because two
        that end in the same moment have no order.

        After ``LONGEST_WAIT`` seconds in vain that is noted, and nobody waits any more.
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
