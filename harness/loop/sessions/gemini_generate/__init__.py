"""The Gemini ``generateContent`` session and the reader that it is built on."""

from __future__ import annotations

from harness.loop.sessions.gemini_generate.reader import TurnReader, read_response
from harness.loop.sessions.gemini_generate.session import GeminiGenerateSession, open_client

__all__ = ["GeminiGenerateSession", "TurnReader", "open_client", "read_response"]
