"""An event loop in its own thread. A loop in Python runs case after case there."""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
import weakref
from collections.abc import Callable, Coroutine
from contextlib import closing
from typing import Any, TypeVar

_T = TypeVar("_T")

_PARTING = 5.0
"""Seconds within which a thread must end."""

_STEPS = 20
"""Steps of an event loop within which a garbage-collected client closes its connections."""

if sys.platform == "win32":
    _SystemEventLoop = asyncio.ProactorEventLoop
else:
    _SystemEventLoop = asyncio.SelectorEventLoop


class _EventLoop(_SystemEventLoop):
    """An event loop that knows which of its connections are open.

    An SDK client that nobody has closed closes itself when it is garbage-collected: its sockets at once, and asyncio's
    transports in a task, by the numbers of their descriptors. By then another connection may have such a number, and
    would never be read again. So clients are collected, and those tasks run, while there is no other connection.
    """

    def __init__(self) -> None:
        super().__init__()
        self._connected: weakref.WeakSet[asyncio.BaseTransport] = weakref.WeakSet()
        self._kept = 0

    async def create_connection(self, *args: Any, **options: Any) -> Any:
        transport, protocol = await super().create_connection(*args, **options)
        self._connected.add(transport)
        return transport, protocol

    async def close_what_was_left(self) -> None:
        """Close the connections whose clients nobody can reach.

        A full collection is slow if memory is full of objects, so the youngest objects are collected first. Nothing is
        collected if no more connections are open than somebody kept the last time.
        """
        for generation in (1, 2):
            if self._open() <= self._kept:
                return
            gc.collect(generation)
            for _ in range(_STEPS):
                await asyncio.sleep(0)
        self._kept = self._open()

    def _open(self) -> int:
        return sum(not each.is_closing() for each in self._connected)


class LoopThread:
    """An event loop in a thread, started when it is first needed."""

    def __init__(self) -> None:
        self._loop: _EventLoop | None = None
        self._thread = threading.Thread(target=self._serve, daemon=True, name="target")

    async def run(self, start: Callable[[], Coroutine[Any, Any, _T]]) -> _T:
        """Run the coroutine there. If this is cancelled, the coroutine is cancelled there, and this waits for it."""
        here = asyncio.get_running_loop()
        there = self._loop or self._start()
        done: asyncio.Future[asyncio.Task[_T]] = here.create_future()
        begun: list[asyncio.Task[_T]] = []

        def begin() -> None:
            begun.append(there.create_task(start()))
            begun[0].add_done_callback(lambda task: here.call_soon_threadsafe(done.set_result, task))

        there.call_soon_threadsafe(begin)
        try:
            task = await asyncio.shield(done)
        except asyncio.CancelledError:
            there.call_soon_threadsafe(lambda: begun[0].cancel())
            await done
            raise
        return task.result()

    async def close_what_was_left(self) -> None:
        """Close the connections of clients that a run has left behind, before another run begins."""
        if self._loop is not None:
            await self.run(self._loop.close_what_was_left)

    def close(self) -> None:
        """End the thread. A loop that blocks it goes on until the process ends."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(_PARTING)

    def _start(self) -> _EventLoop:
        self._loop = _EventLoop()
        self._thread.start()
        return self._loop

    def _serve(self) -> None:
        assert self._loop is not None  # noqa: S101 - it is made before the thread is started
        with closing(self._loop) as loop:
            loop.run_forever()
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.run_until_complete(loop.shutdown_default_executor())
