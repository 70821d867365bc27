"""Where the model's answers come from. The script is the first source; cassettes and live recording are others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from harness.scenario import Step
from harness.wire import Conversation

__all__ = ["ScriptSource", "Source"]


class Source(Protocol):
    """Gives the next step of a case, None when there is none left."""

    def next(self, conversation: Conversation) -> Step | None: ...


class ScriptSource:
    """The steps of a scenario, one per request, in order."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = steps
        self._at = 0

    def next(self, conversation: Conversation) -> Step | None:  # noqa: ARG002 - a script does not look at the question
        if self._at >= len(self._steps):
            return None
        self._at += 1
        return self._steps[self._at - 1]
