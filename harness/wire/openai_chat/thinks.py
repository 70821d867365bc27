"""The thinking that a model sends on Chat: ``reasoning_content``, which OpenAI's own models never have."""

from __future__ import annotations

from harness.wire.base import Conversation, Json
from harness.wire.lenient import members
from harness.wire.models import THINKS
from harness.wire.openai_chat.models import MODELS, REASONING_WANTED
from harness.wire.turn import ThinkingPart


def thinks(asked: Conversation, text: str) -> ThinkingPart | None:
    """``Wire.thinks``: the model's default, unless the request switches thinking on or off in its maker's words."""
    switched = _thinking_switch(asked.body)
    if switched is None:
        return ThinkingPart(text) if MODELS.holds(THINKS, asked.model) else None
    can = MODELS.value(THINKS, asked.model) is not None or MODELS.value(REASONING_WANTED, asked.model) is not None
    return ThinkingPart(text) if switched and can else None


def _thinking_switch(body: Json) -> bool | None:
    """Whether a request switches thinking on or off; None if it leaves that to the model."""
    kind = members(body.get("thinking")).get("type")
    if kind in ("enabled", "disabled"):
        return bool(kind == "enabled")
    if body.get("reasoning_effort") == "none":
        return False
    for settings in (body, members(body.get("chat_template_kwargs"))):
        if isinstance(on := settings.get("enable_thinking"), bool):
            return on
    return None
