"""What a model sends of its reasoning on Converse: Claude where it is asked to, some makers' models unasked."""

from __future__ import annotations

from harness.wire.base import Conversation
from harness.wire.bedrock_converse.models import CLAUDE, MODELS
from harness.wire.lenient import members
from harness.wire.models import THINKS
from harness.wire.turn import ThinkingPart


def thinks(asked: Conversation, text: str) -> ThinkingPart | None:
    """``Wire.thinks``. Only Claude signs what it has thought."""
    if MODELS.holds(THINKS, asked.model):
        return ThinkingPart(text, signed=MODELS.holds(CLAUDE, asked.model))
    setting = members(members(asked.body.get("additionalModelRequestFields")).get("thinking"))
    if setting.get("type") not in ("enabled", "adaptive"):
        return None
    return ThinkingPart(form="omitted") if setting.get("display") == "omitted" else ThinkingPart(text)
