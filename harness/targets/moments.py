"""The moments of a tool: what a tool reports to its case, and asks of it, while it runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from harness.trace import Event
from harness.wire import Call

ToolMoment = Literal["begun", "returned", "failed"]

AtTool = Callable[[int, int, ToolMoment], Awaitable[object] | None]
"""Takes the turn and the number of a call, both from 1, and what its tool has just done. The tool must await the result
before it goes on; a tool that cannot wait ends there."""


def no_moment(_turn: int, _call: int, _moment: ToolMoment) -> Awaitable[object] | None:
    """Nothing happens while a tool runs."""
    return None


@dataclass(frozen=True, slots=True)
class Moments:
    """The functions of one case that its tools call. ``harness.targets.base.CaseRun`` describes the members."""

    observe: Callable[[Event], bool]
    at_tool: AtTool
    issued: Callable[[], Sequence[Sequence[Call]]]
    note_waited: Callable[[str], None]
