"""What servers that speak a provider's wire refuse otherwise than that provider, and what a recorder has changed.

The rules are the provider's own, and know what other makers' models take otherwise. A request that was accepted against
a certain rule shows that the rule is wrong, unless it is no longer the request that was sent.
"""

from __future__ import annotations

import re

from harness_lab.corpus.exchanges import Recorded

__all__ = ["REDACTED", "changed_since", "other_refusal"]

REDACTED = "an id that the recorder replaced"

_REFUSALS = (
    (r"No tool output found for tool call", "DeepSeek wants a result right behind its call"),
    (r"unknown variant `input_audio`|messages\[0\]\.content must be a string", "the model takes text only"),
)


def changed_since(exchange: Recorded, rule: str) -> bool:
    """Whether a request breaks a rule only because its recorder has replaced the ids in it (``REDACTED``)."""
    return rule == "OAI-07" and exchange.fidelity == "normalised"


def other_refusal(exchange: Recorded, message: str) -> str:
    """Why another server refused what the provider takes; ``""`` where that is not known."""
    if not _is_another(exchange):
        return ""
    return next((reason for words, reason in _REFUSALS if re.search(words, message)), "")


def _is_another(exchange: Recorded) -> bool:
    return exchange.provider not in ("openai", "anthropic", "gemini")
