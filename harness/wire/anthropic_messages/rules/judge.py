"""How a request is judged: its shape first, then what it means.

Settings are judged again only if they change. Only the new part of a history is judged if the rest is known to break
nothing (``memory``), and only by the checks that can find something in blocks of its types.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from harness.finding import Finding
from harness.wire.anthropic_messages.read import BEDROCK
from harness.wire.anthropic_messages.rules.book import (
    HISTORY_RULES,
    HISTORY_SHAPE,
    HISTORY_VALUES,
    SETTINGS_RULES,
    SETTINGS_SHAPE,
    SETTINGS_VALUES,
)
from harness.wire.anthropic_messages.rules.history import AnthropicHistory, Settings
from harness.wire.anthropic_messages.rules.issued import IssuedReplies
from harness.wire.anthropic_messages.rules.memory import JudgedBefore, JudgedSettings
from harness.wire.anthropic_messages.rules.threads import continuation
from harness.wire.base import Conversation, IssuedState


def violations(conversation: Conversation, issued: IssuedState, *, threads_kept: bool) -> list[Finding]:
    """Every rule that a resolved request breaks, given what was sent before it."""
    if _is_a_text_completion(conversation):
        return []
    lost = list(continuation(conversation, issued, threads_kept=threads_kept))
    if lost:
        return lost
    before = JudgedBefore.of(issued)
    judged, replies = _judged_settings(conversation, before), IssuedReplies(issued, before.missed)
    prefix = before.prefix(conversation, judged.settings, replies)
    history = AnthropicHistory(conversation, judged.settings, replies, prefix)
    found = _judged_history(history, judged.values)
    before.keep(issued, judged, history, clean=len(found) == len(judged.values))
    return [*judged.shape, *found]


def _judged_history(history: AnthropicHistory, of_settings: list[Finding]) -> list[Finding]:
    """The findings of a history. The findings of the settings come after the findings of its shape."""
    if not of_settings:
        return HISTORY_RULES.judge(history, kinds=history.kinds)
    shape = HISTORY_RULES.judge(history, *HISTORY_SHAPE, kinds=history.kinds)
    return [*shape, *of_settings, *HISTORY_RULES.judge(history, *HISTORY_VALUES, kinds=history.kinds)]


def _is_a_text_completion(conversation: Conversation) -> bool:
    """Whether it is a request of the API before this one, which old models have on Bedrock, at the same path."""
    body = conversation.body
    return conversation.collection == BEDROCK and "prompt" in body and "messages" not in body


def _judged_settings(conversation: Conversation, before: JudgedBefore) -> JudgedSettings:
    asked = before.settings(conversation)
    if before.judged is not None and before.judged.settings is asked:
        return before.judged
    return _judged_alike(asked) if asked.length <= _SHORT else _judgement(asked)


def _judgement(asked: Settings) -> JudgedSettings:
    shape = SETTINGS_RULES.judge(asked, *SETTINGS_SHAPE)
    return JudgedSettings(asked, shape, SETTINGS_RULES.judge(asked, *SETTINGS_VALUES))


_SHORT: Final = 64 * 1024
"""The largest settings, in bytes, that are kept after their conversation."""

_judged_alike = lru_cache(maxsize=32)(_judgement)
"""A loop that is run again has the settings that it had before."""
