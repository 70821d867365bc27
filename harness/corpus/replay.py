"""Recorded bytes through the real sessions: the official SDKs over a transport that answers from memory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field

import httpx2
from anthropic import AsyncAnthropic

from harness.loop.session import (
    AssistantDelta,
    Delta,
    OnEvent,
    ProviderTurn,
    SessionConfig,
    ThinkingDelta,
    ToolCallDelta,
)
from harness.targets.reference import Clients
from harness.wire import WireName
from harness.wire.base import Json

__all__ = ["Heard", "NoOracle", "Replay"]

_KEPT_HEADERS = ("content-type", "retry-after", "retry-after-ms")


@dataclass
class Heard:
    """What the session told while the response arrived, joined; arguments by the id of their call."""

    text: str = ""
    thinking: str = ""
    arguments: dict[str, str] = field(default_factory=dict)
    pieces: int = 0

    async def __call__(self, delta: Delta) -> None:
        match delta:
            case AssistantDelta(text):
                self.text += text
            case ThinkingDelta(text):
                self.thinking += text
            case ToolCallDelta(call_id, _, arguments):
                self.arguments[call_id] = self.arguments.get(call_id, "") + arguments
                self.pieces += 1


class NoOracle(Exception):
    """The SDK's own accumulation of a stream failed."""


class Replay:
    """The sessions of all wires over one transport; their SDK clients are made once. Close it after use."""

    def __init__(self) -> None:
        self._transport = _Memory()
        self._clients = Clients(self._transport)
        self._http = httpx2.AsyncClient(transport=self._transport)
        self._anthropic = AsyncAnthropic(api_key="harness", http_client=self._http, max_retries=0)

    async def turn(
        self,
        wire: WireName,
        pieces: Sequence[bytes],
        on_event: OnEvent,
        *,
        streamed: bool,
        status: int,
        headers: Mapping[str, str],
    ) -> ProviderTurn:
        """The session's reading of a response whose body arrives in ``pieces``.

        Raises what the session raises: ``TurnFailed``, or anything at all from one that is broken.
        """
        self._transport.answer(pieces, streamed=streamed, status=status, headers=headers)
        config = SessionConfig("model", [("user", "-")], (), "http://recorded", stream=streamed)
        session = self._clients.open_session(wire, config)
        return await session.stream_turn(on_event)

    async def accumulated(self, body: bytes) -> Json:
        """What the Anthropic SDK makes of a stream. Its beta side is asked, which knows the blocks of betas too.

        Raises ``NoOracle`` when it fails.
        """
        self._transport.answer([body], streamed=True, status=200, headers={})
        asked = self._anthropic.beta.messages.stream(
            model="model", max_tokens=1, messages=[{"role": "user", "content": "-"}]
        )
        try:
            async with asked as stream:
                message = await stream.get_final_message()
        except Exception as error:  # the helper fails in many ways on what it did not expect
            raise NoOracle(str(error)) from error
        native: Json = message.to_dict(mode="python", warnings=False)
        return native

    async def close(self) -> None:
        """Close the clients."""
        await self._clients.close()
        await self._http.aclose()


class _Memory(httpx2.AsyncBaseTransport):
    """Answers a request with the response that it was given last."""

    def __init__(self) -> None:
        self._next = httpx2.Response(500)

    def answer(self, pieces: Sequence[bytes], *, streamed: bool, status: int, headers: Mapping[str, str]) -> None:
        kept = {name: headers[name] for name in _KEPT_HEADERS if name in headers}
        if "content-type" not in kept or (streamed and status == 200):
            # Recorders leave it out, or name it after the file that they wrote.
            kept["content-type"] = "text/event-stream" if streamed else "application/json"
        self._next = httpx2.Response(status, headers=kept, stream=_Pieces(pieces))

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        await request.aread()
        return self._next


class _Pieces(httpx2.AsyncByteStream):
    def __init__(self, pieces: Sequence[bytes]) -> None:
        self._pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece
