"""The model endpoint of one pytest process: an event loop in a thread, shared by all tests.

Any test can wait for it: a plain function, or a coroutine on another event loop.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import Future
from contextlib import AsyncExitStack, closing
from types import TracebackType
from typing import Any, Self, TypeVar

from harness.endpoint import CaseEndpoint, Endpoints
from harness.endpoint.server import serving

_T = TypeVar("_T")

_PARTING = 10.0
"""Seconds that what is still running has to end."""


class Endpoint:
    """Serves ``endpoints`` while the block runs; the port is opened when somebody first asks for it."""

    def __init__(self) -> None:
        self.endpoints = Endpoints()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, daemon=True, name="harness")
        self._open = AsyncExitStack()
        self._url: str | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.run(self._open.aclose, _PARTING)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_PARTING)

    def run(self, start: Callable[[], Coroutine[Any, Any, _T]], seconds: float | None = None) -> _T:
        """The result of the coroutine that ``start`` makes, run on this loop. Raises ``TimeoutError`` after
        ``seconds``."""
        running: Future[_T] = asyncio.run_coroutine_threadsafe(start(), self._loop)
        return running.result(seconds)

    def do(self, action: Callable[[], _T]) -> _T:
        """The result of ``action``, called on this loop between two steps of what is served, never in the middle of
        one."""

        async def done() -> _T:
            return action()

        return self.run(done)

    def open(self, case: str, case_endpoint: CaseEndpoint) -> str:
        """Serve a case over loopback HTTP. Returns its base URL, without a version path."""
        return self.run(self.served) + self.do(lambda: self.endpoints.open(case, case_endpoint))

    def close(self, case: str) -> None:
        """Stop serving this case, and end its record."""
        self.do(lambda: self.endpoints.close(case))

    async def served(self) -> str:
        """The address of the endpoint over loopback HTTP. To be awaited on this loop."""
        if self._url is None:
            self._url = await self._open.enter_async_context(serving(self.endpoints))
        return self._url

    def _serve(self) -> None:
        with closing(self._loop) as loop:
            loop.run_forever()
            loop.run_until_complete(_end_tasks(asyncio.all_tasks(loop)))


async def _end_tasks(left: Iterable[asyncio.Task[Any]]) -> None:
    """End tasks that nobody waits for any longer: cases whose loops have blocked their threads."""
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
