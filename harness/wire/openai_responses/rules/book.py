"""All rules of the Responses API, and how a request is judged by them."""

from __future__ import annotations

from typing import Final

from harness.finding import Finding
from harness.wire.base import Conversation, IssuedState
from harness.wire.judge import Rulebook
from harness.wire.openai_responses.rules.asked import Asked

COMPACT: Final = "compact"
"""What ``POST /responses/compact`` asks for instead of an answer (``Route.aside``)."""

_STAGES: Final = (
    *("request", "members", "ids", "pairs", "reasoning", "functions", "history"),
    *("content", "numbers", "tools", "model", "growth", "forms"),
)
"""First required members, then the members of items, then what belongs together in a history, then settings."""

RULES: Final = Rulebook[Asked](__package__, *_STAGES, COMPACT)


def violations(conversation: Conversation, state: IssuedState) -> list[Finding]:
    """``Wire.violations``; its time is linear in the case's requests and responses."""
    return RULES.judge(Asked(conversation, state), *([COMPACT] if conversation.aside == COMPACT else _STAGES))
