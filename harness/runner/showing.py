"""What the user of a loop sees of an answer while it arrives."""

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
"""Seconds in which a loop is expected to show what has arrived. One that shows it later is waited for once."""


class Showing:
    """Waits until a loop has shown what has arrived of an answer, so that its caller acts on what is to be seen.

    Events come from the thread of the loop, at their own pace: without this it would be chance how much of an answer
    is shown when the caller cancels it.
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
        """Another answer arrives."""
        with self._counting:
            self._characters = 0
            self._wanted = None

    def emitted(self, event: Event) -> None:
        """The loop shows a piece of the answer, if the event is one."""
        if isinstance(event, Assistant | Thinking):
            with self._counting:
                self._characters += len(event.text)
                if self._wanted is not None and self._characters >= self._wanted.characters:
                    self._wanted.shown.set_result(None)
                    self._wanted = None

    def whole(self, read: Callable[[], Reply]) -> Awaitable[bool] | None:
        """What waits until all is shown that has arrived; None where it is, or where that was waited for in vain."""
        characters = self._arrived(read) if self._is_patient else 0
        with self._counting:
            if self._characters >= characters:
                return None
            self._wanted = _Wanted(characters, self._gave_up)
            return self._wanted

    def _arrived(self, read: Callable[[], Reply]) -> int:
        """The characters that have arrived of what the loop shows; none of what cannot be read yet."""
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
    """Waits until so many characters are shown, once it is awaited: who cannot wait need not."""

    characters: int
    gave_up: Callable[[], None]
    shown: Future[None] = field(default_factory=Future)

    def __await__(self) -> Generator[None, None, bool]:
        return self._wait().__await__()

    async def _wait(self) -> bool:
        """False: whoever takes the answer is still there."""
        await asyncio.wait({asyncio.wrap_future(self.shown)}, timeout=_PATIENCE)
        if not self.shown.done():
            self.gave_up()
        return False
