"""The images of one call: requests to the image service, and their part of the result.

A call asks for several images. Each is made, fails and is reported by itself: the engine that this loop
follows reports a call as a success also when none of its images could be made (``docs/deviations.md``).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from harness.loop.tools.tool import Arguments, ToolError
from harness.trace import JsonValue
from harness.wire.characters import sendable

_AT_ONCE = 20
_MOST_IMAGES = 100


class ImageFailed(Exception):
    """One image cannot be made. The message is for the model and the user."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """The result of one image: a ``reference``, or an ``error``. ``asked`` is the prompt or reference in the call."""

    asked: str
    reference: str | None = None
    error: str = "The image service gave no image."

    @property
    def result_fields(self) -> dict[str, JsonValue]:
        """The status for the result, with the ``error`` if there is one."""
        return {"status": "ok"} if self.reference else {"status": "error", "error": self.error}


async def attempted(make: Callable[[str], Awaitable[str]], asked: Sequence[str]) -> list[Attempt]:
    """Make the images, twenty at a time. The result has the order of ``asked``."""
    free = asyncio.Semaphore(_AT_ONCE)

    async def attempt(each: str) -> Attempt:
        async with free:
            return await _attempt(make, each)

    return await asyncio.gather(*map(attempt, asked))


async def _attempt(make: Callable[[str], Awaitable[str]], asked: str) -> Attempt:
    try:
        return Attempt(asked, sendable(await make(asked)))
    except Exception as error:  # noqa: BLE001 - an injected service may raise anything, and its other images go on
        words = str(error) if isinstance(error, ImageFailed) else f"{type(error).__name__}: {error}"
        return Attempt(asked, error=sendable(words))


# --- arguments ---------------------------------------------------------------------------------------------


def wanted(arguments: Arguments, key: str, *, tool: str, noun: str) -> list[str]:
    """The texts listed under ``key``, trimmed, each once, without blank ones.

    Raises ``ToolError`` if that is no list, if an item is no text, or if the list is empty or too long. The engine that
    this loop follows silently skips items that are no text.
    """
    texts = arguments.get(key)
    if not isinstance(texts, list) or not texts:
        raise ToolError(f"{tool} requires a non-empty {key} list", f"Missing {key}")
    if not all(isinstance(text, str) for text in texts):
        raise ToolError(f"each of {key} must be a string", f"Invalid {key}")
    unique = list(dict.fromkeys(text.strip() for text in listed(arguments, key) if text.strip()))
    if not unique:
        raise ToolError(f"No valid {noun} provided", f"No valid {key}")
    if len(unique) > _MOST_IMAGES:
        raise ToolError(f"at most {_MOST_IMAGES} {key} in one call", f"Too many {key}")
    return unique


def listed(arguments: Arguments, key: str) -> list[str]:
    """The texts under ``key``, for a summary; empty if there are none."""
    texts = arguments.get(key)
    return [text for text in texts if isinstance(text, str)] if isinstance(texts, list) else []
