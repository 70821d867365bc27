"""The reference loop as a target, on the official SDKs, in process: its requests reach the gateway without a socket."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, get_args

import httpx2

from harness.loop import SCREENSHOT_TO_CODE, Agent, AgentError, LoopPolicy, ProviderSession, SessionConfig, ToolRuntime
from harness.targets.base import Assignment
from harness.trace import Event
from harness.wire import WireName

__all__ = ["Clients", "ReferenceTarget"]


class Clients:
    """The SDK clients of one run: one per wire, made when first asked for, shared by all its cases.

    A client of its own per case would cost more than the case (a TLS context, connection pools).
    """

    def __init__(self, transport: httpx2.AsyncBaseTransport) -> None:
        self._http = httpx2.AsyncClient(transport=transport, timeout=httpx2.Timeout(600.0))
        self._sdk: dict[str, Any] = {}

    def open_session(self, wire: WireName, config: SessionConfig) -> ProviderSession:
        """A session of ``wire`` on the shared client."""
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


Tell = Callable[[Event], None]


def _as_it_is(emit: Tell) -> Tell:
    return emit


@dataclass(frozen=True)
class ReferenceTarget:
    """Drives ``harness.loop.Agent``.

    The three seams are where mutants break it: ``policy_for`` a turn limit, ``telling`` (wraps what takes the
    events) and, below the SDKs, the transport that the clients were made with.
    """

    clients: Clients
    name: str = "reference"
    policy_for: Callable[[int | None], LoopPolicy] = SCREENSHOT_TO_CODE.with_limit
    telling: Callable[[Tell], Tell] = _as_it_is
    wires: frozenset[WireName] = field(default=frozenset(get_args(WireName)))

    async def run(self, assignment: Assignment) -> None:
        """Run the loop once. A run that fails has told its user so."""
        tell = self.telling(assignment.emit)

        async def send_message(event: Event) -> None:
            tell(event)

        agent = Agent(
            open_session=lambda config: self.clients.open_session(assignment.wire, config),
            send_message=send_message,
            tools=ToolRuntime(assignment.tools, options=assignment.options),
            base_url=assignment.base_url,
            api_key=assignment.api_key,
            stream=assignment.stream,
            policy=self.policy_for(assignment.turn_limit),
            sleep=_no_waiting,
        )
        try:
            await agent.run(assignment.model, assignment.prompt)
        except AgentError:
            return  # the user has been told; whether that was right is for the rules to say

    async def close(self) -> None:
        await self.clients.close()


async def _no_waiting(seconds: float) -> None:  # noqa: ARG001 - a scripted provider is ready again at once
    return None
