"""What is kept from one judgement of a case to the next, so that each judges only what is new.

A history grows by turns, and its correct beginning stays correct. If a request has the settings of the last one that
broke nothing, and begins with its messages, only what follows them is judged. The last assistant turn before is judged
again if it is not over: if no other assistant turn follows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

from harness.finding import Finding
from harness.wire.anthropic_messages.rules.history import (
    AnthropicHistory,
    Prefix,
    Run,
    Settings,
    is_marked,
    is_server_tool,
    size_of,
)
from harness.wire.anthropic_messages.rules.issued import IssuedReplies
from harness.wire.base import Conversation, IssuedState
from harness.wire.same_json import same_json


@dataclass(frozen=True)
class JudgedSettings:
    """Settings, with the findings about their shape and about their meaning."""

    settings: Settings
    shape: list[Finding]
    values: list[Finding]


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory of one case, kept in ``IssuedState.memory``: a value, except for what was issued, which only grows.

    ``kept`` is the last history that broke nothing. ``generation`` is the generation of the issued replies then.
    """

    issued: IssuedReplies
    judged: JudgedSettings | None = None
    kept: AnthropicHistory | None = None
    generation: int = -1

    @classmethod
    def of(cls, issued: IssuedState) -> Memory:
        """The memory of a case, with everything that was issued by now."""
        memory = issued.memory if isinstance(issued.memory, Memory) else cls(IssuedReplies())
        memory.issued.extend(issued.turns)
        return memory

    def after(self, judged: JudgedSettings, history: AnthropicHistory, *, clean: bool) -> Memory:
        """The memory after a judgement. A history that broke something is not remembered."""
        if clean:
            return Memory(self.issued, judged, history, self.issued.generation)
        return Memory(self.issued, judged, self.kept, self.generation)

    def settings(self, conversation: Conversation) -> Settings:
        """The settings of a request; the same object as before if nothing in them has changed."""
        settings = Settings.of(conversation)
        known = self.judged.settings if self.judged is not None else None
        return known if known is not None and known == settings else settings

    def prefix(self, conversation: Conversation, settings: Settings) -> Prefix:
        """The messages that need not be judged again."""
        kept, messages = self.kept, conversation.body.get("messages")
        if kept is None or kept.settings is not settings or self.generation != self.issued.generation:
            return Prefix()
        length = len(kept.messages)
        if not isinstance(messages, list) or not same_json(messages[:length], kept.messages):
            return Prefix()
        return _all(kept) if _is_over(kept, messages[length:]) else _before_the_last(kept)


def _is_over(history: AnthropicHistory, following: list[Any]) -> bool:
    """Whether the judgement of the last turns is final, because another assistant turn follows.

    It is not final if a server tool may still be running, or after instructions, whose place depends on what follows.
    """
    if not following or not isinstance(following[0], dict) or following[0].get("role") != "assistant":
        return False
    if not history.entries or history.entries[-1].role != "user":
        return False
    return not any(is_server_tool(kind) for run in history.runs for kind in run.kinds)


def _before_the_last(history: AnthropicHistory) -> Prefix:
    """The prefix of everything before the last assistant turn that is not empty."""
    spoken = [at for at, run in enumerate(history.runs) if run.role == "assistant" and run.blocks]
    if not spoken or not (runs := history.runs[: spoken[-1]]):
        return history.prefix
    length, before = history.runs[spoken[-1]].entries[0].number, history.prefix
    blocks = [block for entry in history.entries if entry.number < length for block in entry.blocks]
    natives = [block.native for block in blocks]
    return _behind(
        history,
        runs,
        length=length,
        server_tools=before.server_tools | {block.id for block in blocks if is_server_tool(block.kind)},
        marked=before.marked + sum(map(is_marked, natives)),
        size=before.size + sum(map(size_of, natives)),
    )


def _all(history: AnthropicHistory) -> Prefix:
    """The prefix of a whole finished history, whose new part has no server tool."""
    return _behind(
        history,
        history.runs,
        length=len(history.messages),
        server_tools=history.prefix.server_tools,
        marked=history.marked,
        size=history.size,
    )


def _behind(
    history: AnthropicHistory, runs: list[Run], *, length: int, server_tools: set[str], marked: int, size: int
) -> Prefix:
    """The prefix that ends after these turns, the first of the judged ones."""
    before, number_of = history.prefix, history.issued.number
    calls = {block.id: (block.entry.number, block.index) for run in runs for block in reversed(run.calls)}
    numbers = [number_of(block.native) for run in runs for block in run.thinking]
    return Prefix(
        length=length,
        calls={**calls, **before.calls},
        server_tools=server_tools,
        marked=marked,
        size=size,
        newest=max([before.newest, *(number for number in numbers if number is not None)]),
        loop=reduce(_loop, runs, before.loop),
    )


def _loop(loop: Run | None, run: Run) -> Run | None:
    """The first assistant turn of the tool loop that is open after ``run``."""
    if run.role == "user" and not run.results:
        return None
    return run if loop is None and run.role == "assistant" and run.blocks else loop
