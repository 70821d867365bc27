"""Recorded bytes through the real sessions: the official SDKs over a transport that answers from memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import httpx2

from harness.cassette.forms import Response
from harness.cassette.replay_transport import ReplayTransport
from harness.loop.joined_deltas import JoinedDeltas
from harness.loop.session import ProviderTurn, SessionConfig
from harness.targets.clients import Clients
from harness.wire.base import Json


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
