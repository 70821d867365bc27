"""A source that asks an upstream and records its answers exactly: bytes, pieces, times, and how they ended."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Protocol

import httpx2

from harness.cassette import Interaction
from harness.cassette.cassette_writer import CassetteWriter
from harness.cassette.framing import FRAMING_OF_PLAIN
from harness.cassette.matching import Player
from harness.cassette.members import collected
from harness.cassette.pieces import ReceivedPieces
from harness.cassette.replay import answer, listed, recorded
from harness.cassette.upstream import Upstream
from harness.endpoint import Arriving, LiveResponse, ModelRequest, ResponseBroken, SourceResponse
from harness.errors import BadInput, Breakdown
from harness.trace import End
from harness.wire import wire
from harness.wire.channels import on_channel

_LAST_WORD: Final = 1.0
"""Seconds to wait for the end of a response that the client has left, to see whether it was complete."""


class Connections(Protocol):
    """The connections of a case to its upstream on a channel: one for each of the loop's."""

    async def ask(self, asked: ModelRequest, mode: Any, /) -> Arriving | None:
        """The answer to a request, in the wire's ``mode``; None if the upstream has no such channel.

        Raises ``OSError``.
        """

    async def close(self) -> None:
        """Close what is open."""


class RecordSource:
    """Answers from the cassette if its mode allows that and it has a recording; otherwise asks the upstream.

    A request on another channel than HTTP is sent on that channel; if the upstream lacks it, or ``has_channels`` is
    False, over HTTP.
    ``problem`` is why not everything could be recorded, although the loop got an answer.
    """

    def __init__(
        self,
        writer: CassetteWriter,
        player: Player,
        upstream: Upstream,
        client: httpx2.AsyncClient,
        clock: Callable[[], float],
        *,
        has_channels: bool = True,
    ) -> None:
        self.problem: BadInput | Breakdown | None = None
        self._has_channels = has_channels
        self._connections: Connections | None = None
        self._writer = writer
        self._player = player
        self._upstream = upstream
        self._client = client
        self._clock = clock

    def next(self, request_in: ModelRequest) -> SourceResponse:
        """Return a recording of the request; without one ask the model, or explain the miss if nothing is recorded."""
        asked = request_in.method, request_in.path, request_in.body, listed(request_in.headers)
        if (played := self._player.take(*asked)) is not None:
            return recorded(played)
        return (
            LiveResponse(partial(self._ask, request_in)) if self._writer.records else answer(self._player.play(*asked))
        )

    def left(self) -> Sequence[str]:
        """Return nothing: a loop that is recorded anew may make other requests than before."""
        return ()  # a loop that is recorded anew need not do what it did before

    async def close(self) -> None:
        """Close the connections to the upstream; no more requests follow."""
        if self._connections is not None:
            await self._connections.close()

    async def _ask(self, request_in: ModelRequest) -> Arriving:
        if request_in.conversation.connection and (answer := await self._on_channel(request_in)) is not None:
            return answer
        request = self._upstream.request(request_in.method, request_in.path, request_in.headers, request_in.body)
        asked = self._clock()
        try:
            response = await self._client.send(request, stream=True)
        except httpx2.HTTPError as error:
            return self._unreachable(error)
        return _Forwarded(response, partial(self._keep, request_in, request), self._clock, asked)

    async def _on_channel(self, request_in: ModelRequest) -> Arriving | None:
        spoken = wire(request_in.conversation.wire).channels
        if not spoken or not self._has_channels:
            return None
        name, mode = next(iter(spoken.items()))  # no wire has two
        if self._connections is None:
            self._connections = on_channel(__package__, name).connections(self._upstream, self._clock, self._add)
        try:
            return await self._connections.ask(request_in, mode)
        except OSError as error:
            return self._unreachable(error)

    def _unreachable(self, error: Exception) -> Arriving:
        why = f"{self._upstream.base} does not answer: {error or type(error).__name__}"
        self.problem = self.problem or BadInput(f"{why}; is it running, and is --upstream right?")
        return _Refusal(502, {"content-type": "application/json"}, json.dumps({"error": {"message": why}}).encode())

    def _keep(self, request_in: ModelRequest, request: httpx2.Request, response: _Forwarded, end: End) -> None:
        headers = response.every_header.items()
        self._add(
            Interaction(
                method=request_in.method,
                url=str(request.url),
                request_headers=collected(request.headers.multi_items()),
                request=request_in.body,
                status=response.status,
                response_headers={name: values for name, values in headers if name not in FRAMING_OF_PLAIN},
                response=response.pieces.body,
                delivery=response.pieces.delivery(end),
            )
        )

    def _add(self, interaction: Interaction) -> None:
        try:
            self._writer.add(interaction)
        except (BadInput, Breakdown) as problem:
            self.problem = self.problem or problem


class _Forwarded:
    """A response of the upstream on its way to the loop."""

    def __init__(
        self,
        response: httpx2.Response,
        keep: Callable[[_Forwarded, End], None],
        clock: Callable[[], float],
        asked: float,
    ) -> None:
        self.status = response.status_code
        self.every_header = collected(response.headers.multi_items())
        self.headers: Mapping[str, str] = {
            name: ", ".join(values) for name, values in self.every_header.items() if name not in FRAMING_OF_PLAIN
        }
        self.pieces = ReceivedPieces(clock, asked)
        # If a server compresses nevertheless, its response is decoded: the recording must be readable.
        encoded = "content-encoding" in response.headers
        self._coming = response.aiter_bytes() if encoded else response.aiter_raw()
        self._response = response
        self._keep = keep

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._coming:
                if chunk:
                    yield self.pieces.add(chunk)
        except httpx2.TransportError as error:
            raise ResponseBroken(str(error)) from error

    async def close(self, end: End) -> End:
        if end == "closed" and await self._is_over():
            end = "eof"
        await self._response.aclose()
        self._keep(self, end)
        return end

    async def _is_over(self) -> bool:
        """Whether the response was complete."""
        try:
            async with asyncio.timeout(_LAST_WORD):
                await anext(self._coming)
        except StopAsyncIteration:
            return True
        except (TimeoutError, RuntimeError, httpx2.TransportError):  # RuntimeError: it was read in that very moment
            return False
        return False


class _Refusal:
    """The response for the loop if the upstream cannot be reached."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._body

    async def close(self, end: End) -> End:
        """End it without recording anything."""
        return end
