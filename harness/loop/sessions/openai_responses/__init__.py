"""The OpenAI Responses session: the whole history in every request, reasoning encrypted in it."""

from __future__ import annotations

from harness.loop.sessions.openai_responses.reader import TurnReader, read_response
from harness.loop.sessions.openai_responses.session import OpenAIResponsesSession

__all__ = ["OpenAIResponsesSession", "TurnReader", "read_response"]
