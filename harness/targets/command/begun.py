"""Work that begins at once, and becomes a task only where it has to wait."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Generator
from typing import Any


def begun(work: Coroutine[Any, Any, None]) -> asyncio.Task[None] | None:
    """Run ``work`` until it first waits, and the rest in a task. Returns the task, or None if ``work`` has ended.

    So its reports stay in order with later reports. (Python 3.12 can make tasks like that.)
    Its first step is in no task, so it must not ask for the current task, as ``asyncio.timeout`` does.
    """
    try:
        waits_for = work.send(None)
    except StopIteration:
        return None
    return asyncio.get_running_loop().create_task(_rest(_Begun(work, waits_for)))


async def _rest(work: _Begun) -> None:
    await work


class _Begun:
    """A coroutine that has run to its first wait."""

    def __init__(self, work: Coroutine[Any, Any, None], waits_for: Any) -> None:
        self._work = work
        self._waits_for = waits_for

    def __await__(self) -> Generator[Any, Any, None]:
        try:
            yield self._waits_for
        except BaseException as error:  # what ends its task
            self._work.throw(error)
            raise
        yield from self._work.__await__()
