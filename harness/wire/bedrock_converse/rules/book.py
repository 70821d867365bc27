"""All rules of Converse, and how a request is judged by them."""

from __future__ import annotations

from typing import Final

from harness.finding import Finding
from harness.wire.base import Conversation, IssuedState
from harness.wire.bedrock_converse.rules.request import ConverseRequest
from harness.wire.judge import Rulebook

RULES: Final = Rulebook[ConverseRequest](__package__, "members", "messages", "conversation", "model", "maker")
"""First the service checks members by themselves, then the conversation, then what the model does not support; what the
model's own API refuses comes last. The order in which it names several faults is unknown."""


def violations(conversation: Conversation, issued: IssuedState) -> list[Finding]:
    """Every rule that the request breaks, in the order in which the service would complain."""
    return RULES.judge(ConverseRequest(conversation, issued))
