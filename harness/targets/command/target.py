"""A command as a target."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from harness.targets.base import Assignment, Placement
from harness.targets.command.given import case_line
from harness.targets.command.output import Tail, TargetFailed
from harness.targets.command.process import Process
from harness.targets.command.surroundings import surroundings
from harness.targets.command.telling import Telling
from harness.targets.declaration import Declaration

__all__ = ["CommandTarget"]


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
        errors = Tail()
        told = Telling(assignment)
        environment = surroundings(assignment, {**os.environ, **self.environment})
        process = Process(self.command, environment, self.directory, told.feed, errors.feed)
        told.answer = process.write
        try:
            process.write(case_line(assignment))
            await process.over()
        except asyncio.CancelledError as late:
            late.add_note(_said(errors, told.printed))
            raise
        except TargetFailed as failed:
            raise TargetFailed(f"{failed}\n{_said(errors, told.printed)}".strip()) from None
        finally:
            told.stop()
            await process.end()
        told.ended(process.code, _said(errors, told.printed))

    async def close(self) -> None:
        """Nothing is open between cases."""


def _said(errors: Tail, printed: Tail) -> str:
    """The last words of the program: those on standard error, or, where there are none, its other printing."""
    return str(errors) or str(printed)
