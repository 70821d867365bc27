"""The thinking of a Gemini model on Interactions: a signed step, with a summary if the request asks for it."""

from __future__ import annotations

from harness.wire.base import Conversation
from harness.wire.gemini_interactions.models import MODELS
from harness.wire.lenient import members
from harness.wire.models import THINKS
from harness.wire.turn import ThinkingPart


def thinks(asked: Conversation, text: str) -> ThinkingPart | None:
    """``Wire.thinks``: the step comes with every setting of summaries."""
    if not MODELS.holds(THINKS, asked.model):
        return None
    shown = members(asked.body.get("generation_config")).get("thinking_summaries") == "auto"
    return ThinkingPart(text) if shown else ThinkingPart(form="omitted")
