"""The Anthropic Messages session and the reader that it is built on."""

from __future__ import annotations

from typing import Final

from harness.loop.sessions.anthropic_messages.reader import MessagesReader
from harness.loop.sessions.anthropic_messages.session import AnthropicMessagesSession, lending_client
from harness.loop.sessions.on_sdk import SessionOnSdk, without_skills

__all__ = ["SESSION", "AnthropicMessagesSession", "MessagesReader"]

SESSION: Final = SessionOnSdk(lending_client, without_skills(AnthropicMessagesSession))
