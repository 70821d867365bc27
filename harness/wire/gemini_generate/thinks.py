"""The thinking that a Gemini model sends: signatures, and summaries if the request asks for them."""

from __future__ import annotations

from typing import Any, Final

from harness.wire.base import Conversation, Json
from harness.wire.gemini_generate.models import MODELS, SIGNED_CALLS, THINKING_BUDGET
from harness.wire.lenient import members
from harness.wire.models import THINKS
from harness.wire.turn import ThinkingPart

_SPELLINGS: Final = {
    "thinkingBudget": "thinking_budget",
    "thinkingLevel": "thinking_level",
    "includeThoughts": "include_thoughts",
}


def thinks(asked: Conversation, text: str) -> ThinkingPart | None:
    """``Wire.thinks``. The signatures are on the parts that follow, whether the thoughts are shown or not."""
    if not _thinks(asked, unknown=False):
        return None
    shown = _setting(asked.body, "includeThoughts") is True
    return ThinkingPart(text) if shown else ThinkingPart(form="omitted")


def signs(asked: Conversation) -> bool:
    """Whether the model's output carries a signature, which needs thinking.

    Models before Gemini 3 sign only if the request declares functions
    (https://ai.google.dev/gemini-api/docs/thought-signatures; none of 35 recorded texts of gemini-2.5 without them).
    """
    needs_functions = MODELS.value(SIGNED_CALLS, asked.model) is False
    return _thinks(asked, unknown=True) and (bool(asked.tools) or not needs_functions)


def _thinks(asked: Conversation, *, unknown: bool) -> bool:
    """Whether the model thinks. ``unknown``: the assumption for a name that no fact covers."""
    budget, level = _setting(asked.body, "thinkingBudget"), _setting(asked.body, "thinkingLevel")
    if budget == 0:
        return False
    by_itself = MODELS.value(THINKS, asked.model)
    if by_itself is None:
        return unknown
    asked_to = (budget is not None or level is not None) and MODELS.value(THINKING_BUDGET, asked.model) is not None
    return bool(by_itself) or asked_to


def _setting(body: Json, name: str) -> Any:
    """A member of the thinking settings, in either spelling."""
    config = members(body.get("generationConfig", body.get("generation_config")))
    setting = members(config.get("thinkingConfig", config.get("thinking_config")))
    return setting.get(name, setting.get(_SPELLINGS[name]))
