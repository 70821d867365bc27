"""The OpenAI Responses session. Every request has the whole history, with encrypted reasoning, or over WebSockets, only
the new part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from harness.loop.session import SessionConfig
from harness.loop.sessions.on_sdk import SessionOnSdk, without_skills
from harness.loop.sessions.openai_responses.reader import ResponsesReader
from harness.loop.sessions.openai_responses.session import OpenAIResponsesSession
from harness.loop.sessions.openai_sdk import lending_client

if TYPE_CHECKING:
    from openai import AsyncOpenAI

__all__ = ["SESSION", "OpenAIResponsesSession", "ResponsesReader"]


def _open(config: SessionConfig, client: AsyncOpenAI) -> OpenAIResponsesSession:
    if config.transport != "websocket":
        return OpenAIResponsesSession(config, client)
    from harness.loop.sessions.openai_responses.socket_session import OpenAIResponsesSocketSession

    return OpenAIResponsesSocketSession(config, client)


SESSION: Final = SessionOnSdk(lending_client, without_skills(_open))
