"""What is kept from one judgement of a case to the next, so that each looks only at what is new.

A history grows by a turn, and what was in order stays so. Where a request has the settings of the last one that broke
nothing, and begins with its messages, only what follows its last assistant turn is judged, and that turn with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from harness.wire.anthropic_messages.rules.history import Block, Entry, History, Prefix, Run, Settings
from harness.wire.anthropic_messages.rules.issued import THINKING, Issued
from harness.wire.anthropic_messages.rules.limits import is_marked, size_of
from harness.wire.base import Conversation, Sent, Violation

__all__ = ["JudgedSettings", "Memory"]


@dataclass(frozen=True)
class JudgedSettings:
    """Settings, and what is wrong with them: with their shape, and with what they mean."""

    settings: Settings
    shape: list[Violation]
    meaning: list[Violation]


class Memory:
    """The memory of one case; kept in ``Sent.memory``."""

    def __init__(self) -> None:
        self.issued = Issued()
        self.judged: JudgedSettings | None = None
        self._messages: list[Any] = []
        self._prefix = Prefix()
        self._holds_under: tuple[Settings, int] | None = None

    @classmethod
    def of(cls, sent: Sent) -> Memory:
        """That of a case, with all that was sent by now."""
        memory = sent.memory if isinstance(sent.memory, Memory) else cls()
        memory.issued.extend(sent.turns)
        sent.memory = memory
        return memory

    def settings(self, conversation: Conversation) -> Settings:
        """The settings of a request; the same object as before where nothing in them has changed."""
        known, body = self.judged.settings if self.judged is not None else None, conversation.body
        if known is None or known.headers != conversation.headers:
            return Settings.of(conversation)
        same = len(body) == len(known.body) + ("messages" in body)
        if same and all(body.get(name) == value and name in body for name, value in known.body.items()):
            return known
        return Settings.of(conversation)

    def prefix(self, conversation: Conversation, settings: Settings) -> Prefix:
        """What of the messages need not be judged again."""
        messages = conversation.body.get("messages")
        if self._holds_under != (settings, self.issued.generation) or not isinstance(messages, list):
            return Prefix()
        return self._prefix if messages[: len(self._messages)] == self._messages else Prefix()

    def keep(self, history: History) -> None:
        """Remember a history that broke nothing."""
        self._prefix = _advanced(history)
        self._messages = history.messages
        self._holds_under = (history.settings, self.issued.generation)


def _advanced(history: History) -> Prefix:
    """What the next judgement has to know of all before the last assistant turn that says something."""
    prefix = history.prefix
    spoken = [run for run in history.runs if run.role == "assistant" and run.blocks]
    if not spoken:
        return prefix
    length = spoken[-1].entries[0].number
    for entry in history.entries:
        if entry.number < length:
            for block in entry.blocks:
                _note(prefix, entry, block)
    for run in history.runs:
        if run.entries[0].number < length:
            prefix.loop = _loop(prefix.loop, run)
            numbers = [history.issued.number(block.native) for block in run.of(*THINKING)]
            prefix.newest = max([prefix.newest, *(number for number in numbers if number is not None)])
    prefix.length = length
    return prefix


def _note(prefix: Prefix, entry: Entry, block: Block) -> None:
    if block.kind == "tool_use" and block.id:
        prefix.calls.setdefault(block.id, (entry.number, block.index))
    elif block.kind in ("server_tool_use", "mcp_tool_use"):
        prefix.server_tools.add(block.id)
    prefix.marked += is_marked(block.native)
    prefix.size += size_of(block.native)


def _loop(loop: Run | None, run: Run) -> Run | None:
    """The first assistant turn of the tool loop that is open behind ``run``."""
    if run.role == "user" and not run.of("tool_result"):
        return None
    return run if loop is None and run.role == "assistant" and run.blocks else loop
