"""The reasoning that a model sends on Converse: Claude sends it on request, some makers' models always."""

from __future__ import annotations

from harness.wire.base import Conversation
from harness.wire.bedrock_converse.models import CLAUDE, MODELS
from harness.wire.lenient import members
from harness.wire.models import THINKS
from harness.wire.turn import ThinkingPart


def thinks(asked: Conversation, text: str) -> ThinkingPart | None:
    """``Wire.thinks``. Only Claude signs its reasoning."""
    if MODELS.holds(THINKS, asked.model):
        return ThinkingPart(text, signed=MODELS.holds(CLAUDE, asked.model))
    setting = members(members(asked.body.get("additionalModelRequestFields")).get("thinking"))
    if setting.get("type") not in ("enabled", "adaptive"):
        return None
    return ThinkingPart(form="omitted") if setting.get("display") == "omitted" else ThinkingPart(text)
