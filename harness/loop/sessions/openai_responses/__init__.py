"""The OpenAI Responses session: the whole history in every request, reasoning encrypted in it."""

from __future__ import annotations

from typing import Final

from harness.loop.sessions.on_sdk import SessionOnSdk, without_skills
from harness.loop.sessions.openai_responses.reader import ResponsesReader
from harness.loop.sessions.openai_responses.session import OpenAIResponsesSession
from harness.loop.sessions.openai_sdk import lending_client

__all__ = ["SESSION", "OpenAIResponsesSession", "ResponsesReader"]

SESSION: Final = SessionOnSdk("openai", lending_client, without_skills(OpenAIResponsesSession))
