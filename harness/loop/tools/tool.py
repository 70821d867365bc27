"""What a tool does, and what running one gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from harness.trace import JsonValue

__all__ = ["Arguments", "FileState", "Implementation", "ToolError", "ToolOutcome", "shortened"]

Arguments = Mapping[str, JsonValue]


@dataclass(slots=True)
class FileState:
    """The one file of a run, in memory. ``content`` is None until a file has been created."""

    path: str = ""
    content: str | None = None


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What running a call gave.

    ``result`` goes to the model, ``summary`` to the user. ``code`` is the whole file where the call changed it.
    """

    result: JsonValue
    summary: JsonValue
    ok: bool = True
    code: str | None = None


class ToolError(Exception):
    """A call cannot be carried out, and the model is told why: ``{"error": error, **details}``.

    ``summary`` is the short form for the user, by default the same words.
    """

    def __init__(self, error: str, summary: str | None = None, **details: JsonValue) -> None:
        super().__init__(error)
        self.outcome = ToolOutcome(
            result={"error": error, **details}, summary={"error": summary or error, **details}, ok=False
        )


@dataclass(frozen=True, slots=True)
class Implementation:
    """What a tool does, and what the user is told of its arguments.

    ``run`` gets the file of the run and parsed arguments of any shape; it raises ``ToolError`` for those that it
    cannot use. ``summary`` must take arguments of any shape, also when only some have arrived. ``previewed``: the
    string under ``content`` is shown as code while it arrives.
    """

    run: Callable[[FileState, Arguments], ToolOutcome]
    summary: Callable[[Arguments], JsonValue]
    previewed: bool = False


def shortened(text: str, limit: int) -> str:
    """``text``, or its first ``limit`` characters and ``...``."""
    return text if len(text) <= limit else text[:limit] + "..."
