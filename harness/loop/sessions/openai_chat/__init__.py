"""The Chat Completions session and the reader that it is built on."""

from __future__ import annotations

from typing import Final

from harness.loop.sessions.on_sdk import SessionOnSdk, without_skills
from harness.loop.sessions.openai_chat.reader import ChatReader
from harness.loop.sessions.openai_chat.session import OpenAIChatSession
from harness.loop.sessions.openai_sdk import lending_client

__all__ = ["SESSION", "ChatReader", "OpenAIChatSession"]

SESSION: Final = SessionOnSdk(lending_client, without_skills(OpenAIChatSession))
