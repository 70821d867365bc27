"""All rules of the text protocol, and how a request is judged by them.

What the Chat API refuses is refused here, too, under its own ids (``OAC-01``).
"""

from __future__ import annotations

from typing import Final

from harness.finding import Finding
from harness.wire.base import Conversation, IssuedState, Json
from harness.wire.judge import Rulebook
from harness.wire.openai_chat.rules.book import violations as violations_of_chat
from harness.wire.openai_chat.rules.models import OAC_02
from harness.wire.text_tags.rules.turn import ReturnedTurn, returned

BODY: Final = Rulebook[Json](__package__, "native")
"""The rules about a request's body."""

TURNS: Final = Rulebook[ReturnedTurn](__package__, "turn")
"""The rules about each turn that a request continues."""


def violations(conversation: Conversation, issued: IssuedState) -> list[Finding]:
    """What the request breaks: what the Chat API refuses, then what confuses the model, from front to back.

    Models that need this protocol are served under any name, so no name counts as unknown.
    """
    found = [finding for finding in violations_of_chat(conversation, issued) if finding.id != OAC_02.id]
    found += BODY.judge(conversation.body)
    for turn in returned(conversation, issued):
        found += TURNS.judge(turn)
    return found
