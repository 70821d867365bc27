"""Somebody's program that asks the served endpoint: its standard streams stay those of its user."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import sys
from collections.abc import Mapping, Sequence
from typing import Final

from harness.errors import BadInput
from harness.targets.command.stragglers import MARK, end_stragglers
from harness.targets.environment import endpoints, without_own

__all__ = ["GRACE", "Program", "surroundings"]

GRACE: Final = 5.0
"""Seconds between SIGTERM and SIGKILL: a program may have something to save."""

_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
_KEY: Final = "harness"


class Program:
    """A running program. Whoever starts one awaits ``end``, whatever happens.

    It is in the process group of the terminal, if there is one, so that it can read from it; else in a group of its
    own, so that all of it can be ended.
    """

    def __init__(self, process: asyncio.subprocess.Process, mark: str, *, grouped: bool) -> None:
        self._process = process
        self._mark = mark
        self._grouped = grouped

    @classmethod
    async def start(cls, words: Sequence[str], base_url: str) -> Program:
        """Start it with the variables that lead it to the endpoint. Raises ``BadInput`` where that cannot be done."""
        mark = secrets.token_hex(8)
        grouped = sys.stdin is None or not sys.stdin.isatty()
        environment = {**surroundings(base_url, os.environ), MARK: mark}
        try:
            process = await asyncio.create_subprocess_exec(
                *words, env=environment, process_group=0 if grouped else None
            )
        except OSError as error:
            raise BadInput(f"cannot start {error.filename or words[0]}: {error.strerror}") from None
        return cls(process, mark, grouped=grouped)

    async def wait(self) -> int:
        """Its exit code, or minus the number of the signal that ended it."""
        return await self._process.wait()

    async def end(self, hurry: asyncio.Event | None = None) -> None:
        """End it and whatever it has started: SIGTERM, and SIGKILL after a while, at once where ``hurry`` is set."""
        if self._process.returncode is None:
            self._signal(signal.SIGTERM)
            await self._exited(hurry or asyncio.Event())
        self._signal(signal.SIGKILL)
        await self._process.wait()
        await end_stragglers(self._mark, self._process.pid)

    async def _exited(self, hurry: asyncio.Event) -> None:
        tasks = [asyncio.ensure_future(self._process.wait()), asyncio.ensure_future(hurry.wait())]
        try:
            await asyncio.wait(tasks, timeout=GRACE, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if self._grouped:
                os.killpg(self._process.pid, number)
            else:
                self._process.send_signal(number)


def surroundings(base_url: str, own: Mapping[str, str]) -> dict[str, str]:
    """The environment of the program; ``own`` is what it would have by itself.

    Every official SDK in it finds the endpoint, and no API key of the user reaches it: a program that asks the provider
    itself must not cost anything.
    """
    direct = ",".join(filter(None, (own.get("NO_PROXY") or own.get("no_proxy"), *_LOOPBACK)))
    return {
        **without_own(own, _KEY),
        **endpoints(base_url, _KEY),
        "HARNESS_CASE_BASE_URL": base_url,
        "NO_PROXY": direct,
        "no_proxy": direct,
    }
