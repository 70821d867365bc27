"""What servers that speak a provider's wire take or refuse otherwise than that provider, with what shows it.

The rules are the provider's own. Each liberty here is of other servers only: a request that the provider itself took
against a certain rule shows that the rule is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from harness.corpus.exchanges import Recorded

__all__ = ["LIBERTIES", "REDACTED", "other_refusal", "other_rule"]

LIBERTIES: Mapping[str, str] = {
    "OAC-07": "servers that issue call ids of more than 40 characters take them back",
    "OAC-08": "Mistral takes an assistant message with an empty list of calls",
    "OAI-07": "DeepSeek issues ids of its own and takes them back",
}
"""The rules of OpenAI that a server behind the same wire does not have."""

REDACTED = "an id that the recorder replaced"

_REFUSALS = (
    (r"No tool output found for tool call", "DeepSeek wants a result right behind its call"),
    (r"unknown variant `input_audio`|messages\[0\]\.content must be a string", "the model takes text only"),
)


def other_rule(exchange: Recorded, rule: str) -> str:
    """Why a request may break a rule where it was recorded; ``""`` where it may not."""
    if not _is_another(exchange):
        return ""
    if rule == "OAI-07" and exchange.fidelity == "normalised":
        return REDACTED
    return LIBERTIES.get(rule, "")


def other_refusal(exchange: Recorded, message: str) -> str:
    """Why another server refused what the provider takes; ``""`` where that is not known."""
    if not _is_another(exchange):
        return ""
    return next((reason for words, reason in _REFUSALS if re.search(words, message)), "")


def _is_another(exchange: Recorded) -> bool:
    return exchange.provider not in ("openai", "anthropic", "gemini")
