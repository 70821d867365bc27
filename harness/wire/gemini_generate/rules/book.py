"""All rules of Gemini, and how a request is judged by them.

A history that the endpoint issued itself is compared with that; any other history is judged only by its shape. Answers
with status 200 are the harness's own: Google accepts such requests, and they say that a loop is careless, not that it
fails.
"""

from __future__ import annotations

from typing import Final

from harness.finding import Finding
from harness.wire.base import Conversation, IssuedState
from harness.wire.gemini_generate.rules.request import Request
from harness.wire.judge import Rulebook

RULES: Final = Rulebook[Request](
    __package__,
    *("json", "model", "members", "values", "together", "settings", "turns", "signatures", "size"),
    *("bypass", "careless"),
)
"""The API reads the JSON, finds the model, checks members by themselves, and then what goes together. What is accepted
and careless comes last."""


def violations(conversation: Conversation, issued: IssuedState) -> list[Finding]:
    """Every rule that the request breaks, in the order in which the API would complain."""
    return RULES.judge(Request(conversation, issued))
