"""What the caller of a loop does while it runs and when a run has ended, declared by causes and not by clocks.

A case may consist of several *runs* of the loop in one conversation: the first has the scenario's prompt, each other
one begins with what the user says next, or with what becomes of the calls that wait for approval.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from harness.scenario.callers import Round
from harness.wire import WireName


@dataclass(frozen=True, slots=True)
class When:
    """A moment of a run. Turns, calls and requests of the main conversation are counted from 1, over all runs.

    With ``request``: it has arrived, and nothing of its answer was sent. With ``characters``: so many of the text of
    turn ``turn``, or of the arguments of its call ``call``, have been sent; with ``thinking``: so many of the turn's
    thinking. With ``file``: a file of this path is in the work directory. Else: call ``call`` of turn ``turn`` has
    begun to run, or, if ``ended``, has ended.
    """

    request: int = 0
    turn: int = 0
    call: int = 0
    characters: int = 0
    ended: bool = False
    thinking: int = 0
    file: str = ""

    def __str__(self) -> str:
        if self.file:
            return f"the file {self.file} is there"
        if self.request:
            return f"request {self.request} has arrived"
        of = f"call {self.call} of turn {self.turn}" if self.call else f"turn {self.turn}"
        if self.thinking:
            return f"{self.thinking} characters of the thinking of {of} have arrived"
        if self.characters:
            return f"{self.characters} characters of {of} have arrived"
        return f"{of} has {'ended' if self.ended else 'begun'}"


@dataclass(frozen=True, slots=True)
class CallerAct:
    """What the caller does while a run goes on: it cancels the run, or the user says ``text``."""

    when: When
    does: Literal["cancel", "say"]
    text: str = ""


@dataclass(frozen=True, slots=True)
class NextRun:
    """Once a run has ended, the user ``says`` something, or ``resolves`` the calls that wait, and the loop runs again.

    ``compacted``: before that, the loop is asked to compact its history. ``resumed``: the process of the run before is
    gone, and the loop goes on from what it has stored. ``model`` and ``wire`` belong to the run; empty: unchanged.
    ``key``: the user's key is another one from then on.
    """

    says: str
    compacted: bool = False
    resumed: bool = False
    model: str = ""
    wire: WireName = ""
    resolves: Round = field(default_factory=dict)
    key: bool = False
