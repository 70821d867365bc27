"""A command as a target."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from harness.targets.base import Assignment, Placement
from harness.targets.command.given import case_line
from harness.targets.command.output import Lines, TargetFailed
from harness.targets.command.process import Process
from harness.targets.command.surroundings import GUARDED, surroundings
from harness.targets.command.telling import Telling
from harness.targets.declaration import Declaration
from harness.targets.tail import Tail

__all__ = ["CommandTarget"]

_SILENT: Final = (
    "It has said nothing. Does it read its standard input to the end? The case is the first line; the results of calls "
    "come after it, so it stays open."
)


@dataclass(frozen=True)
class CommandTarget:
    """A program that runs the loop: started once for every case, never by a shell.

    ``command`` is the program with its arguments, ``environment`` what is set for it beside the user's own variables,
    ``directory`` where it runs (None: where the harness does).
    """

    name: str
    command: tuple[str, ...]
    declaration: Declaration = field(default_factory=Declaration)
    environment: Mapping[str, str] = field(default_factory=dict)
    directory: Path | None = None
    placement: Placement = "command"

    async def run(self, assignment: Assignment) -> None:
        """Drive the loop once. Raises ``TargetFailed`` where the program does not keep to the protocol."""
        told, errors = Telling(assignment), _Errors(assignment.stray)
        environment = surroundings(assignment, {**os.environ, **self.environment})
        process = Process(self.command, environment, self.directory, told.feed, errors.feed)
        told.answer = process.write
        try:
            process.write(case_line(assignment))
            await process.over()
        except asyncio.CancelledError as late:
            late.add_note(_last_words(told, errors) or _SILENT)
            raise
        except TargetFailed as failed:
            raise TargetFailed(f"{failed}\n{_last_words(told, errors)}".strip()) from None
        finally:
            told.stop()
            await process.end()
        told.ended(process.code, _last_words(told, errors))

    async def close(self) -> None:
        """Nothing is open between cases."""


class _Errors:
    """What the program says on standard error: its end for people, and what the guard has refused."""

    def __init__(self, stray: Callable[[str], None]) -> None:
        self.tail = Tail()
        self._stray = stray
        self._lines = Lines("standard error", self._line)

    def feed(self, data: bytes) -> None:
        self.tail.feed(data)
        self._lines.feed(data)

    def _line(self, line: bytes) -> None:
        if line.startswith(GUARDED):
            self._stray(line.removeprefix(GUARDED).decode("utf-8", "replace"))


def _last_words(told: Telling, errors: _Errors) -> str:
    """Of the program for its user: on standard error, or, where it is silent there, on standard output."""
    return str(errors.tail) or told.printed
