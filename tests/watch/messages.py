"""Messages of made-up runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from harness.trace import Event
from harness.watch.messages import Message, event_message

CASE: Message = {
    "case": {"scenario": "made-up", "wire": "openai-chat", "target": "t", "profile": "universal", "turn_limit": None},
    "summary": "A made-up run.",
    "prompt": [{"role": "user", "text": "Do it."}],
}
PASSED: Message = {"verdict": "pass", "requests": 1, "seconds": 0.1, "findings": [], "error": None}


def failed(text: str, event: int | None = None) -> Message:
    """A verdict whose every text is ``text``."""
    finding = dict.fromkeys(("name", "severity", "expected", "got", "detail"), text)
    return {**PASSED, "verdict": "fail", "findings": [{**finding, "event": event}], "error": text}


def performing(
    events: Sequence[Event], last: Message | None = PASSED
) -> Callable[[Callable[[Message], None]], Awaitable[None]]:
    """A run that tells these events; without a ``last`` message it breaks off."""

    async def perform(tell: Callable[[Message], None]) -> None:
        for message in (CASE, *map(event_message, events), *([last] if last else [])):
            tell(message)

    return perform
