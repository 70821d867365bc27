"""All rules of Chat Completions, and how a request is judged by them."""

from __future__ import annotations

import re
from typing import Final

from harness.finding import Finding
from harness.wire.base import Conversation, IssuedState
from harness.wire.judge import Rulebook
from harness.wire.openai_chat.rules.history import ChatHistory

_SHAPES: Final = ("parameters", "schema", "tools", "messages", "model")
RULES: Final = Rulebook[ChatHistory](__package__, *_SHAPES, "history")
"""A parameter that the model refuses is reported before faults of the schema (recording chat-bad-request). The history
comes last."""


def violations(conversation: Conversation, state: IssuedState) -> list[Finding]:
    """Every rule that the request breaks: first its shape, in the API's order, then the history from its front."""
    history = ChatHistory(conversation.body, state, conversation.server)
    met = sorted(RULES.judge(history, "history"), key=lambda finding: _met_at(history, finding))
    return RULES.judge(history, *_SHAPES) + met


def _met_at(history: ChatHistory, finding: Finding) -> int:
    """The message at which the API meets a fault in the history. It meets a missing result after the results."""
    place = re.match(r"messages\[(\d+)\]", finding.answered.place)
    at = int(place[1]) if place else 0
    return history.ends[at] if finding.id == "OAC-03" else at
