"""Which part of an arriving answer the user of a loop has seen."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Collection, Generator
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Final

from harness.trace import Assistant, Event, Thinking
from harness.wire import Reply, ThinkingPart

_PATIENCE: Final = 0.5
"""Seconds within which a loop should show what has arrived. A slower loop is waited for only once."""


class Showing:
    """Waits until a loop has shown the arrived part of an answer, so that its caller acts on a visible state.

    Events come from the thread of the loop, at their own pace. Without waiting, chance would decide how much of an
    answer is shown when the caller cancels it.
    """

    def __init__(self, emits: Collection[str] | None = None) -> None:
        """``emits`` are the kinds of the events that the loop emits; None for all."""
        self._shows_text = emits is None or "assistant" in emits
        self._shows_thinking = emits is None or "thinking" in emits
        self._characters = 0
        self._wanted: _Wanted | None = None
        self._is_patient = True
        self._counting = threading.Lock()

    def begin(self) -> None:
        """Note that another answer begins to arrive."""
        with self._counting:
            self._characters = 0
            self._wanted = None

    def emitted(self, event: Event) -> None:
        """Count an event that shows a piece of the answer; ignore any other."""
        if isinstance(event, Assistant | Thinking):
            with self._counting:
                self._characters += len(event.text)
                if self._wanted is not None and self._characters >= self._wanted.characters:
                    self._wanted.shown.set_result(None)
                    self._wanted = None

    def whole(self, read: Callable[[], Reply]) -> Awaitable[bool] | None:
        """An awaitable until everything that arrived is shown; None if it is, or if an earlier wait was in vain."""
        characters = self._arrived_characters(read) if self._is_patient else 0
        with self._counting:
            if self._characters >= characters:
                return None
            self._wanted = _Wanted(characters, self._gave_up)
            return self._wanted

    def _arrived_characters(self, read: Callable[[], Reply]) -> int:
        """The number of arrived characters that the loop should show, without those that cannot be parsed yet."""
        try:
            turn = read().turn
        except ValueError:
            return 0
        thoughts = sum(len(part.text) for part in turn.parts if isinstance(part, ThinkingPart))
        return len(turn.text) * self._shows_text + thoughts * self._shows_thinking

    def _gave_up(self) -> None:
        with self._counting:
            self._wanted = None
            self._is_patient = False


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Waits, once it is awaited, until a number of characters is shown. A caller that cannot wait need not."""

    characters: int
    gave_up: Callable[[], None]
    shown: Future[None] = field(default_factory=Future)

    def __await__(self) -> Generator[None, None, bool]:
        return self._wait().__await__()

    async def _wait(self) -> bool:
        """Wait. Returns False: the client that takes the answer is still there."""
        await asyncio.wait({asyncio.wrap_future(self.shown)}, timeout=_PATIENCE)
        if not self.shown.done():
            self.gave_up()
        return False
