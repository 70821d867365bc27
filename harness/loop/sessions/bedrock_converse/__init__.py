"""The Bedrock Converse session: botocore validates, signs and parses; the HTTP client of the other sessions sends."""

from __future__ import annotations

from typing import Final

from harness.loop.sessions.bedrock_converse.reader import ConverseReader
from harness.loop.sessions.bedrock_converse.sdk import lending_client
from harness.loop.sessions.bedrock_converse.session import BedrockConverseSession
from harness.loop.sessions.on_sdk import SessionOnSdk, without_skills

__all__ = ["SESSION", "BedrockConverseSession", "ConverseReader"]

SESSION: Final = SessionOnSdk(lending_client, without_skills(BedrockConverseSession))
