"""The provider SDKs of one run."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx2

from harness.loop import EditableSession, SessionConfig
from harness.scenario import Skill
from harness.wire import WireName

__all__ = ["Clients"]

_NO_SKILLS: Mapping[str, Skill] = {}


class Clients:
    """The SDK clients of one run: one per wire, made when first asked for, shared by all its cases.

    A client of its own per case would cost more than the case (a TLS context, connection pools).
    """

    def __init__(self, transport: httpx2.AsyncBaseTransport) -> None:
        self._http = httpx2.AsyncClient(transport=transport, timeout=httpx2.Timeout(600.0))
        self._sdk: dict[str, Any] = {}

    def open_session(
        self, wire: WireName, config: SessionConfig, skills: Mapping[str, Skill] = _NO_SKILLS
    ) -> EditableSession:
        """A session of ``wire`` on the shared client. Only the text protocol tells the model of ``skills``."""
        with _without_collecting():
            return self._session(wire, config, skills)

    def _session(self, wire: WireName, config: SessionConfig, skills: Mapping[str, Skill]) -> EditableSession:
        match wire:
            case "openai-responses":
                from harness.loop.sessions.openai_responses import OpenAIResponsesSession

                return OpenAIResponsesSession(config, self._openai())
            case "openai-chat":
                from harness.loop.sessions.openai_chat import OpenAIChatSession

                return OpenAIChatSession(config, self._openai())
            case "anthropic-messages":
                from harness.loop.sessions.anthropic_messages import AnthropicMessagesSession

                return AnthropicMessagesSession(config, self._anthropic())
            case "gemini-generate":
                from harness.loop.sessions.gemini_generate import GeminiGenerateSession

                return GeminiGenerateSession(config, self._google())
            case "text-tags":
                from harness.loop.sessions.text_tags import TextTagsSession

                return TextTagsSession(config, self._openai(), skills=skills)

    def _openai(self) -> Any:
        from openai import AsyncOpenAI

        if "openai" not in self._sdk:
            self._sdk["openai"] = AsyncOpenAI(api_key="harness", http_client=self._http, max_retries=0)
        return self._sdk["openai"]

    def _anthropic(self) -> Any:
        from anthropic import AsyncAnthropic

        if "anthropic" not in self._sdk:
            self._sdk["anthropic"] = AsyncAnthropic(api_key="harness", http_client=self._http, max_retries=0)
        return self._sdk["anthropic"]

    def _google(self) -> Any:
        from google.genai import Client
        from google.genai.types import HttpOptions

        if "google" not in self._sdk:
            options = HttpOptions(httpx_async_client=self._http)
            self._sdk["google"] = Client(api_key="harness", http_options=options)
        return self._sdk["google"]

    async def close(self) -> None:
        """Close the clients and the HTTP client below them."""
        await self._http.aclose()


@contextmanager
def _without_collecting() -> Iterator[None]:
    """While SDKs are imported, which is a million objects that stay: the collector would look through them again and
    again, for a third of the time of the import."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
