"""Refusals of servers that speak a provider's wire but differ from the provider, and changes by a recorder.

The rules are the provider's own, and know which requests other makers' models accept. A request that was accepted
against a certain rule shows that the rule is wrong, unless it is no longer the request that was sent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from harness.imports.comparison import Reason
from harness_lab.recorded.requests.judged import REFUSAL, JudgedRequest

_MAKERS = ("openai", "anthropic", "gemini")


def _refuses(words: str) -> Callable[[JudgedRequest], Iterator[str]]:
    """Another server's refusal in these words."""

    def explains(judged: JudgedRequest) -> Iterator[str]:
        if judged.exchange.provider not in _MAKERS and re.search(words, judged.message):
            yield REFUSAL

    return explains


def _has_replaced_ids(judged: JudgedRequest) -> Iterator[str]:
    if judged.exchange.fidelity == "normalised":
        yield from ("OAI-07", "OAC-07", "ANT-23")


_OTHER_SERVERS: tuple[Reason[JudgedRequest], ...] = (
    Reason("DeepSeek wants a result right behind its call", _refuses(r"No tool output found for tool call")),
    Reason(
        "the model takes text only",
        _refuses(r"unknown variant `(?:input_audio|image_url|file)`|messages\[\d+\]\.content must be a string"),
    ),
)
REASONS = (Reason("an id that the recorder replaced", _has_replaced_ids), *_OTHER_SERVERS)
"""Why a request was accepted against a certain rule, or refused although no rule says so."""


def refused_by_another(judged: JudgedRequest) -> bool:
    """Whether another server refused what the provider accepts."""
    return any(True for reason in _OTHER_SERVERS for _ in reason.explains(judged))
