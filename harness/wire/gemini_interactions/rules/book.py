"""All rules of Interactions, and how a request is judged by them."""

from __future__ import annotations

from typing import Final

from harness.finding import Finding
from harness.wire.base import Conversation, IssuedState
from harness.wire.gemini_interactions.rules.request import InteractionRequest
from harness.wire.judge import Rulebook

RULES: Final = Rulebook[InteractionRequest](__package__, "request", "steps", "history", "model", "issued", "harm")
"""First the API checks the settings, then each step, then the history, then what the model demands. What is accepted
but does harm comes last. The order in which it names several faults is unknown."""


def violations(conversation: Conversation, issued: IssuedState) -> list[Finding]:
    """Every rule that the request breaks, in the order in which the API would complain."""
    return RULES.judge(InteractionRequest(conversation, issued))
