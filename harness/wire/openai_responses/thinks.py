"""The reasoning that a model sends on Responses. It depends on the effort and on what the request asks to see."""

from __future__ import annotations

from typing import Final

from harness.wire.base import Conversation
from harness.wire.lenient import entries, members
from harness.wire.models import THINKS
from harness.wire.openai_models import (
    ALWAYS_ENCRYPTED,
    DEFAULT_EFFORT,
    OPENAI_MODELS,
    REASONING,
    SHOWN_REASONING,
)
from harness.wire.turn import ThinkingPart

_ENCRYPTED: Final = "reasoning.encrypted_content"
"""A request includes this to get reasoning in a form that the client can send back."""

_NO_ITEM: Final = ("none", "minimal")
"""Efforts at which a response has no reasoning item."""


def thinks(asked: Conversation, text: str) -> ThinkingPart | None:
    """``Wire.thinks``: with a summary, or in a form to send back, only if the request asks for it."""
    if not _reasons(asked):
        return None
    setting = members(asked.body.get("reasoning"))
    wants_summary = bool(setting.get("summary") or setting.get("generate_summary"))
    shown = wants_summary or OPENAI_MODELS.holds(SHOWN_REASONING, asked.model)
    encrypted = _ENCRYPTED in entries(asked.body.get("include")) or OPENAI_MODELS.holds(ALWAYS_ENCRYPTED, asked.model)
    return ThinkingPart(text, signed=encrypted) if shown else ThinkingPart(form="omitted", signed=encrypted)


def _reasons(asked: Conversation) -> bool:
    """Whether the model reasons: by the requested effort, else by its default. An unknown model has no default."""
    setting, model = asked.body.get("reasoning"), asked.model
    effort = members(setting).get("effort") or OPENAI_MODELS.value(DEFAULT_EFFORT, model)
    off = effort in _NO_ITEM or members(asked.body.get("thinking")).get("type") == "disabled"
    reasons = OPENAI_MODELS.value(REASONING, model)
    if off or reasons is not None:
        return bool(reasons) and not off
    return OPENAI_MODELS.holds(THINKS, model) or isinstance(setting, dict)
