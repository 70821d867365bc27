"""Processes that a command started and that left its group (``setsid``), found on Linux by a mark in their environment.

This is the best that is possible without privileges: a process that has also emptied its environment is not found.
Without ``/proc`` no process is found.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Final

MARK: Final = "HARNESS_MARK"
"""The variable that every process of a case inherits."""

_PROC: Final = Path("/proc")
_LOOKS: Final = 200
_BETWEEN: Final = 0.01
"""Seconds between two looks at whether a killed process is gone."""


async def end_stragglers(mark: str, leader: int) -> None:
    """Kill every process with this mark, and wait until none is left. ``leader`` was started before all of them."""
    wanted = f"{MARK}={mark}".encode()
    for _ in range(_LOOKS):
        found = [number for number in _younger(leader) if _has(number, wanted)]
        if not found:
            return
        for number in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(number, signal.SIGKILL)
        await asyncio.sleep(_BETWEEN)


def _younger(leader: int) -> Iterator[int]:
    """The processes that were started after ``leader``. A look at all would take longer than a short case."""
    try:
        last = int((_PROC / "loadavg").read_text().split()[-1])
        numbers = [int(name) for name in os.listdir(_PROC) if name.isdecimal()]  # noqa: PTH208 - twice as fast
    except (OSError, ValueError, IndexError):
        return iter(())
    begun_anew = last < leader
    return (number for number in numbers if begun_anew or number > leader)


def _has(number: int, wanted: bytes) -> bool:
    try:
        return wanted in (_PROC / str(number) / "environ").read_bytes().split(b"\0")
    except OSError:
        return False
