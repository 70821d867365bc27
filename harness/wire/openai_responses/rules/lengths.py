"""OAI-LENGTH: texts and lists that are longer than OpenAI takes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.finding import Finding
from harness.wire.openai_models import KNOWN, OPENAI_MODELS, REASONING
from harness.wire.openai_responses.rules.asked import Asked
from harness.wire.openai_responses.rules.table import OAI_LENGTH

_LONGEST_KEY: Final = 64


def nothing_is_too_long(asked: Asked) -> Iterator[Finding]:
    """OAI-LENGTH, for names of OpenAI's models: other servers have limits, and reasoning, of their own."""
    key = asked.body.get("prompt_cache_key")
    if isinstance(key, str) and len(key) > _LONGEST_KEY and OPENAI_MODELS.holds(KNOWN, asked.model):
        param, length = "prompt_cache_key", len(key)
        yield OAI_LENGTH.broken(
            param,
            expected=f"at most {_LONGEST_KEY} characters",
            got=f"{length} characters",
            param=param,
            limit=_LONGEST_KEY,
            length=length,
        )
    if OPENAI_MODELS.holds(REASONING, asked.model):
        yield from _reasoning_content(asked)


def _reasoning_content(asked: Asked) -> Iterator[Finding]:
    for entry in asked.entries:
        content = entry.raw.get("content")
        if entry.kind == "reasoning" and isinstance(content, list) and content:
            yield OAI_LENGTH.broken(
                entry.at,
                expected="reasoning without content",
                got=f"content of {len(content)} parts",
                template="content",
                param=f"{entry.at}.content",
                length=len(content),
            )
