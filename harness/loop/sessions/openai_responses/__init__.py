"""The OpenAI Responses session: the whole history in every request, reasoning encrypted in it."""

from __future__ import annotations

from harness.loop.sessions.openai_responses.session import OpenAIResponsesSession
from harness.loop.sessions.openai_responses.turn import TurnReader, read_response

__all__ = ["OpenAIResponsesSession", "TurnReader", "read_response"]
