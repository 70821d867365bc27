"""Implementations of tools, and the outcomes of running them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from harness.loop.policy import LoopPolicy
from harness.trace import JsonValue

Arguments = Mapping[str, JsonValue]

PLAIN = LoopPolicy("plain")
"""Content is kept unchanged, and diffs can be applied."""


@dataclass(slots=True)
class FileState:
    """The one file of a run, in memory. ``content`` is None until a file has been created."""

    path: str = ""
    content: str | None = None


class ImageService(Protocol):
    """Makes images. An image is known by its reference: the address under which a page shows it.

    Up to twenty calls run at once. An exception of a method is reported for that one image; ``ImageFailed`` with its
    own text. References come from the model unchanged: the service decides which of them it serves.
    """

    async def generate(self, prompt: str) -> str:
        """Make an image of ``prompt``, and return its reference."""

    async def remove_background(self, reference: str) -> str:
        """Make a copy of the image with a transparent background, and return the copy's reference."""


@dataclass(frozen=True, slots=True)
class Workbench:
    """What the tools of one run work with.

    ``options`` are the codes from which the user could choose; the model counts them from 1. ``deps`` is an object of
    the surrounding program for its own tools, such as a connection; the loop ignores it. ``policy`` decides how tools
    for files behave where loops differ.
    """

    file: FileState
    images: ImageService
    options: Sequence[str] = ()
    deps: Any = None
    policy: LoopPolicy = PLAIN


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """The outcome of running a call.

    ``result`` goes to the model, ``summary`` to the user. ``code`` is the whole file if the call changed it.
    ``extra`` is more text for the model, after all results of the turn. ``retry``: the call failed for a reason that
    the model can correct, so that it may be asked to retry. ``metadata`` is for the surrounding program, which finds it
    in the history of the run; the model never reads it.
    """

    result: JsonValue
    summary: JsonValue
    ok: bool = True
    code: str | None = None
    extra: str = ""
    retry: bool = False
    metadata: Any = None


class ToolError(Exception):
    """A call cannot be carried out. The model gets the reason as its result: ``{"error": error, **details}``.

    ``summary`` is the short form for the user, by default the same text. ``retry`` False: another call would fail, too.
    """

    def __init__(self, error: str, summary: str | None = None, *, retry: bool = True, **details: JsonValue) -> None:
        super().__init__(error)
        self.outcome = failed(error, summary or error, retry=retry, **details)


@dataclass(frozen=True, slots=True)
class Implementation:
    """The code of a tool, and what the user sees of its arguments.

    ``run`` gets the workbench of the run and parsed arguments of any shape; it raises ``ToolError`` for those that
    it cannot use. ``summary`` must accept arguments of any shape, even when only some have arrived. ``previewed``: the
    string under ``content`` is shown as code while it arrives.
    """

    run: Callable[[Workbench, Arguments], Awaitable[ToolOutcome]]
    summary: Callable[[Arguments], JsonValue]
    previewed: bool = False


def failed(error: str, summary: str, *, retry: bool = False, **details: JsonValue) -> ToolOutcome:
    """Return the outcome of a call that was not carried out: ``error`` for the model, ``summary`` for the user."""
    return ToolOutcome({"error": error, **details}, {"error": summary, **details}, ok=False, retry=retry)


def crashed(error: Exception) -> ToolOutcome:
    """Return the outcome of a tool that raised: the run goes on, and the model gets the error as result."""
    words = f"{type(error).__name__}: {error}"
    return failed(words, words)


def shortened(text: str, limit: int) -> str:
    """``text``, or its first ``limit`` characters and ``...``."""
    return text if len(text) <= limit else text[:limit] + "..."
