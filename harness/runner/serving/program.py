"""The user's program, which asks the served endpoint. It keeps the user's standard streams."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from harness.errors import BadInput
from harness.runner.serving.reporting import reporting
from harness.sealing.errors import CannotStart
from harness.targets.command.running import Running, Start, start_openly
from harness.targets.environment import endpoints, wins_over_endpoints, without_own

if TYPE_CHECKING:
    from harness.sealing.commands import Place

GRACE: Final = 5.0
"""Seconds between SIGTERM and SIGKILL: a program may have something to save."""

_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
_KEY: Final = "harness"


class Program:
    """A running program. Whoever starts one must await ``end``, whatever happens.

    If there is a terminal, the program is in its process group, so that it can read from it. Otherwise it has a
    separate group, so that all of it can be ended.
    """

    def __init__(self, running: Running) -> None:
        self._running = running

    @classmethod
    async def start(
        cls,
        words: Sequence[str],
        base_url: str,
        start: Start = start_openly,
        passes: Iterable[str] = (),
        streams: tuple[int, int, int] = (0, 1, 2),
    ) -> Program:
        """Start it in its ``surroundings``, with ``reporting`` and these standard streams. Raises ``BadInput`` if that
        fails."""
        place: Place = "terminal" if in_terminal() else "group"
        try:
            environment = reporting(surroundings(base_url, os.environ, passes))
            program = cls(start(words, environment, None, streams, place))
            await program._wait_for_start()
        except CannotStart as problem:
            raise BadInput(f"cannot start {problem.name}: {problem.why}") from None
        return program

    async def wait(self) -> int:
        """Wait for its exit code, or minus the number of the signal that ended it."""
        return await asyncio.shield(self._running.exited)

    async def end(self, hurry: asyncio.Event | None = None) -> None:
        """End it and everything that it started: SIGTERM, and later SIGKILL (at once if ``hurry`` is set)."""
        if not self._running.exited.done():
            self._running.signal(signal.SIGTERM)
            await self._wait_for_exit(hurry or asyncio.Event())
        await self._running.end()

    async def _wait_for_start(self) -> None:
        try:
            await asyncio.shield(self._running.started)
        except BaseException:
            await self._running.end()
            raise

    async def _wait_for_exit(self, hurry: asyncio.Event) -> None:
        hurried = asyncio.ensure_future(hurry.wait())
        try:
            either: list[asyncio.Future[Any]] = [self._running.exited, hurried]
            await asyncio.wait(either, timeout=GRACE, return_when=asyncio.FIRST_COMPLETED)
        finally:
            hurried.cancel()


def in_terminal() -> bool:
    """Whether the program can read from the user's terminal."""
    return sys.stdin is not None and sys.stdin.isatty()


def surroundings(base_url: str, own: Mapping[str, str], passes: Iterable[str] = ()) -> dict[str, str]:
    """The environment of the program; ``own`` is the one that it would have otherwise.

    Every official SDK in the program finds the endpoint. Of the user's secrets it gets only the variables in
    ``passes``: a program that asks the provider itself must not cost anything, and its output is stored.
    """
    direct = ",".join(filter(None, (own.get("NO_PROXY") or own.get("no_proxy"), *_LOOPBACK)))
    return {
        **without_own(own, _KEY, passes),
        **endpoints(base_url, _KEY),
        **wins_over_endpoints(own, passes),
        "HARNESS_CASE_BASE_URL": base_url,
        "NO_PROXY": direct,
        "no_proxy": direct,
    }
