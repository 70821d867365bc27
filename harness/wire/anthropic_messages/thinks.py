"""The thinking that a Claude model sends: what the request asks for. Newer models think unasked."""

from __future__ import annotations

from harness.wire.anthropic_messages.models import MODELS
from harness.wire.base import Conversation
from harness.wire.lenient import members
from harness.wire.models import THINKS
from harness.wire.tool_choice import choice_by_name
from harness.wire.turn import ThinkingPart


def thinks(asked: Conversation, text: str) -> ThinkingPart | None:
    """``Wire.thinks``: without the text if the model shows it only on request.

    A model that is forced to call a tool does not think unasked.
    """
    setting = members(asked.body.get("thinking"))
    kind = setting.get("type")
    if kind is None:
        thinks_now = MODELS.holds(THINKS, asked.model) and not choice_by_name(asked.body).required
    else:
        thinks_now = kind in ("enabled", "adaptive")
    if not thinks_now:
        return None
    display = setting.get("display") or ("omitted" if MODELS.holds("omits", asked.model) else "summarized")
    return ThinkingPart(form="omitted") if display == "omitted" else ThinkingPart(text)
