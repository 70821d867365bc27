"""Recorded bytes through the real sessions: the official SDKs over a transport that answers from memory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

import httpx2

from harness.cassette.forms import Response
from harness.loop.session import (
    AssistantDelta,
    Delta,
    ProviderTurn,
    SessionConfig,
    ThinkingDelta,
    ToolCallDelta,
)
from harness.targets.clients import Clients
from harness.wire.base import Json

_KEPT_HEADERS = ("content-type", "retry-after", "retry-after-ms")


@dataclass
class JoinedDeltas:
    """The session's deltas, joined; arguments by the id of their call."""

    text: str = ""
    thinking: str = ""
    arguments: dict[str, str] = field(default_factory=dict)

    async def __call__(self, delta: Delta) -> None:
        match delta:
            case AssistantDelta(text):
                self.text += text
            case ThinkingDelta(text):
                self.thinking += text
            case ToolCallDelta(call_id, _, arguments):
                self.arguments[call_id] = self.arguments.get(call_id, "") + arguments


class NoOracle(Exception):
    """The SDK failed to accumulate the stream."""


@dataclass(frozen=True, slots=True)
class SessionResult:
    """The result of a session: a turn, or the exception that it raised; and its deltas."""

    turn: ProviderTurn | None
    deltas: JoinedDeltas
    failure: Exception | None = None

    def __str__(self) -> str:
        return "a turn" if self.failure is None else f"{type(self.failure).__name__}: {self.failure}"


class Replay:
    """The sessions of all wires over one transport; their SDK clients are made once. Close it after use."""

    def __init__(self) -> None:
        from anthropic import AsyncAnthropic  # of the extra 'reference'; recordings are read without it

        self._transport = ReplayTransport()
        self._clients = Clients(self._transport)
        self._http = httpx2.AsyncClient(transport=self._transport)
        self._anthropic = AsyncAnthropic(api_key="harness", http_client=self._http, max_retries=0)

    async def read(self, response: Response, pieces: Sequence[bytes] = ()) -> SessionResult:
        """The session's reading of a response; its body arrives in ``pieces``, or in one piece."""
        self._transport.answer(response, pieces)
        config = SessionConfig("model", [("user", "-")], (), "http://recorded", stream=response.streamed)
        session = self._clients.open_session(response.wire, config)
        deltas = JoinedDeltas()
        try:
            return SessionResult(await session.stream_turn(deltas), deltas)
        except Exception as error:  # noqa: BLE001 - whatever leaves the session is to be judged
            return SessionResult(None, deltas, error)

    async def accumulated(self, response: Response) -> Json:
        """The message that the Anthropic SDK accumulates from a stream. Its beta side is asked, which knows the blocks
        of betas, too.

        Raises ``NoOracle`` if it fails.
        """
        self._transport.answer(response)
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


class ReplayTransport(httpx2.AsyncBaseTransport):
    """Answers a request with the last response that ``answer`` was called with. ``asked`` is the body of the last
    request."""

    def __init__(self) -> None:
        self.asked = b""
        self._next = httpx2.Response(500)

    def answer(self, response: Response, pieces: Sequence[bytes] = ()) -> None:
        """Answer the next request with ``response``, its body in ``pieces`` or in one."""
        headers = {name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers}
        if response.streamed or "content-type" not in headers:
            # Recorders leave it out, or name it after the file that they wrote.
            headers["content-type"] = "text/event-stream" if response.streamed else "application/json"
        self._next = httpx2.Response(response.status, headers=headers, stream=_Pieces(pieces or [response.body]))

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Keep the request's body and return the response."""
        self.asked = await request.aread()
        return self._next


class _Pieces(httpx2.AsyncByteStream):
    def __init__(self, pieces: Sequence[bytes]) -> None:
        self._pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece
