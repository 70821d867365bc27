"""All rules of Interactions, and how a request is judged by them."""

from __future__ import annotations

from typing import Final

from harness.finding import Finding
from harness.wire.base import Conversation, IssuedState
from harness.wire.gemini_interactions.rules.request import InteractionRequest
from harness.wire.judge import Rulebook

RULES: Final = Rulebook[InteractionRequest](__package__, "request", "steps", "history", "model", "issued", "harm")
"""First the API checks what it is asked for, then each step, then the history, then what the model demands. What is
accepted and does harm comes last. In what order it names several faults was not seen."""


def violations(conversation: Conversation, issued: IssuedState) -> list[Finding]:
    """Every rule that the request breaks, in the order in which the API would complain."""
    return RULES.judge(InteractionRequest(conversation, issued))
