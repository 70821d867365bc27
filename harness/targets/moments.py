"""The moments of a tool: what a run of it asks of its case while it runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from harness.trace import Event
from harness.wire import Call

ToolMoment = Literal["begun", "returned", "failed"]

AtTool = Callable[[int, int, ToolMoment], Awaitable[object] | None]
"""Takes the turn and the number of a call, from 1, and what its tool has done just now. What it returns must be awaited
before the tool goes on; a tool that cannot wait ends there."""


def no_moment(_turn: int, _call: int, _moment: ToolMoment) -> Awaitable[object] | None:
    """Nothing happens while a tool runs."""
    return None


@dataclass(frozen=True, slots=True)
class Moments:
    """What the tools of one case ask of it; the members are those of ``harness.targets.base.CaseRun``."""

    observe: Callable[[Event], bool]
    at_tool: AtTool
    issued: Callable[[], Sequence[Sequence[Call]]]
    note_waited: Callable[[str], None]
