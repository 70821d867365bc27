"""Waits for files of a work directory. They show a case from outside how far a command of an agent has got."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from typing import Final

from harness.targets.agent.folders import Workspace

_BETWEEN: Final = 0.02
"""Seconds between two looks."""


async def watch(workspace: Workspace, paths: Collection[str], appeared: Callable[[str], object]) -> None:
    """Call ``appeared`` once with each path when its file exists. Ends when all files exist."""
    left = list(paths)
    while left:
        there = [path for path in left if workspace.has(path)]
        left = [path for path in left if path not in there]
        for path in there:
            appeared(path)
        await asyncio.sleep(_BETWEEN)
