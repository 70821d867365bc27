"""What is kept from one judgement of a case to the next, so that each judges only what is new.

A history grows by turns, and its correct beginning stays correct. If a request has the settings of the last one that
broke nothing, and begins with its messages, only what follows them is judged. The last assistant turn before is judged
again if it is not over: if no other assistant turn follows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from harness.finding import Finding
from harness.wire.anthropic_messages.rules.book import HISTORY_RULES
from harness.wire.anthropic_messages.rules.history import (
    AnthropicHistory,
    HistoryPart,
    Prefix,
    Settings,
    is_server_tool,
)
from harness.wire.anthropic_messages.rules.issued import IssuedReplies, Key
from harness.wire.base import Conversation, IssuedState
from harness.wire.issued import CaseMemory, memory_of
from harness.wire.same_json import same_json


@dataclass(frozen=True)
class JudgedSettings:
    """Settings, with the findings about their shape and about their meaning."""

    settings: Settings
    shape: list[Finding]
    values: list[Finding]


@dataclass(frozen=True, slots=True)
class JudgedBefore:
    """What is kept of a case: a value, except for ``missed`` (``IssuedReplies``), which only grows.

    ``kept`` is the last history that broke nothing, ``turns`` how many turns had been issued then.
    """

    judged: JudgedSettings | None = None
    kept: AnthropicHistory | None = None
    turns: int = 0
    missed: set[Key] = field(default_factory=set)

    @classmethod
    def of(cls, state: IssuedState) -> JudgedBefore:
        """What is kept of a case."""
        judged = memory_of(state).judged
        return judged if isinstance(judged, JudgedBefore) else cls()

    def keep(self, state: IssuedState, judged: JudgedSettings, history: AnthropicHistory, *, clean: bool) -> None:
        """Remember a judgement. A history that broke something is not remembered."""
        kept, turns = (history, len(state.turns)) if clean else (self.kept, self.turns)
        memory = memory_of(state)
        state.memory = CaseMemory(memory.turns, memory.tables, JudgedBefore(judged, kept, turns, self.missed))

    def settings(self, conversation: Conversation) -> Settings:
        """The settings of a request; the same object as before if nothing in them has changed."""
        settings = Settings.of(conversation)
        known = self.judged.settings if self.judged is not None else None
        return known if known is not None and known == settings else settings

    def prefix(self, conversation: Conversation, settings: Settings, issued: IssuedReplies) -> Prefix:
        """The messages that need not be judged again."""
        kept, messages = self.kept, conversation.body.get("messages")
        if kept is None or kept.settings is not settings or issued.change_judgements(self.turns):
            return Prefix()
        length = len(kept.messages)
        if not isinstance(messages, list) or not same_json(messages[:length], kept.messages):
            return Prefix()
        if _is_over(kept, messages[length:]):
            return Prefix(length, {each: kept.through(each) for each in HISTORY_RULES.carried})
        length = _last_turn(kept)
        part = HistoryPart([entry for entry in kept.entries if entry.number < length], issued)
        return Prefix(length, {each: each.add(kept.before(each), part) for each in HISTORY_RULES.carried})


def _is_over(history: AnthropicHistory, following: list[Any]) -> bool:
    """Whether the judgement of the last turns is final, because another assistant turn follows.

    It is not final if a server tool may still be running, or after instructions, whose place depends on what follows.
    """
    if not following or not isinstance(following[0], dict) or following[0].get("role") != "assistant":
        return False
    if not history.entries or history.entries[-1].role != "user":
        return False
    return not any(is_server_tool(kind) for run in history.runs for kind in run.kinds)


def _last_turn(history: AnthropicHistory) -> int:
    """Where the last assistant turn begins that is not empty; where the judged messages begin if none is before it."""
    spoken = [at for at, run in enumerate(history.runs) if run.role == "assistant" and run.blocks]
    return history.runs[spoken[-1]].entries[0].number if spoken and spoken[-1] else history.prefix.length
