"""The Gemini ``generateContent`` session and the reader that it is built on."""

from __future__ import annotations

from typing import Final

from harness.loop.sessions.gemini_generate.reader import GenerateReader
from harness.loop.sessions.gemini_generate.session import GeminiGenerateSession, open_client
from harness.loop.sessions.on_sdk import SessionOnSdk, without_skills

__all__ = ["SESSION", "GeminiGenerateSession", "GenerateReader", "open_client"]

SESSION: Final = SessionOnSdk(open_client, without_skills(GeminiGenerateSession))
