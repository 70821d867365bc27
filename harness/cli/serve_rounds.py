"""The rounds of ``harness serve``: a command that is played several times, each time with another automatic model."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from harness.endpoint import PARALLEL, Behaviour, CaseEndpoint, behaviours
from harness.errors import BadInput
from harness.runner.serving import Served
from harness.runner.serving.printed import repeated


@dataclass(frozen=True, slots=True)
class Played:
    """What was served in a round, and the command's exit code: None if there was no command, or it was ended.

    ``ended``: nothing shows that the loop still runs. ``printed`` counts the tags of answers in what the loop has
    printed, and ``answered`` the tags of all answers.
    """

    served: Sequence[Served]
    exit_code: int | None = None
    ended: bool = True
    printed: Mapping[str, int] = field(default_factory=dict)
    answered: Mapping[str, int] = field(default_factory=dict)

    def printed_again(self, endpoint: CaseEndpoint) -> Iterator[str]:
        """A note on each answer of a conversation that was printed more than once."""
        return repeated(endpoint.replies.values(), self.printed, self.answered)


class Input:
    """Standard input. If it is a file, a command reads it from the same place on in each round."""

    def __init__(self) -> None:
        self._start: int | None = None
        with suppress(OSError, ValueError, AttributeError):  # a terminal, a pipe, none at all
            self._start = os.lseek(sys.stdin.fileno(), 0, os.SEEK_CUR)

    def rewind(self) -> None:
        """Go back to where it was."""
        if self._start is not None:
            os.lseek(sys.stdin.fileno(), self._start, os.SEEK_SET)


def chosen(words: str, paths: Sequence[Path], command: Sequence[str] | None) -> Sequence[Behaviour]:
    """The behaviours that ``--rounds`` asks for, the plain one if it asks for none.

    Raises ``BadInput`` if they cannot be played: with a scenario in ``paths``, or without a command.
    """
    if not words:
        return (PARALLEL,)
    if paths:
        raise BadInput("--rounds is for the automatic model: a scenario says itself what its model does; leave one out")
    if command is None:
        raise BadInput("--rounds starts a command several times: expected it behind --, as in serve --rounds 3 -- ...")
    return behaviours(words)
