"""The Anthropic Messages session and the reader that it is built on."""

from __future__ import annotations

from harness.loop.sessions.anthropic_messages.reader import TurnReader, read_message
from harness.loop.sessions.anthropic_messages.session import AnthropicMessagesSession

__all__ = ["AnthropicMessagesSession", "TurnReader", "read_message"]
