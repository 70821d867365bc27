"""The session on google-genai's ``client.interactions`` and the reader that it is built on."""

from __future__ import annotations

from typing import Final

from harness.loop.sessions.gemini_interactions.reader import InteractionReader
from harness.loop.sessions.gemini_interactions.session import GeminiInteractionsSession
from harness.loop.sessions.on_sdk import SessionOnSdk, without_skills

__all__ = ["SESSION", "GeminiInteractionsSession", "InteractionReader"]

SESSION: Final = SessionOnSdk(lambda http: http, without_skills(GeminiInteractionsSession))
"""``client.interactions`` has one base URL for all its requests, so sessions share only the HTTP client."""
