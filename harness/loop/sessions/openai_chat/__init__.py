"""The Chat Completions session and the reader that it is built on."""

from __future__ import annotations

from harness.loop.sessions.openai_chat.reader import TurnReader, read_completion
from harness.loop.sessions.openai_chat.session import OpenAIChatSession

__all__ = ["OpenAIChatSession", "TurnReader", "read_completion"]
