"""botocore over an HTTP client of ours.

botocore blocks, so it is called in a thread. There its hook ``before-send`` gives the request that it has validated,
written and signed to the event loop, and waits for the answer. Of an answer that is no stream it is given all, and of a
stream the head: the event loop takes the body piece by piece, and botocore's own parsers make events of it. So nobody
waits for more of an answer than has arrived, and who stops listening closes the connection.
"""

from __future__ import annotations

import asyncio
import os
import struct
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final

import httpx2
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.config import Config
from botocore.configprovider import BOTOCORE_DEFAUT_SESSION_VARIABLES
from botocore.eventstream import EventStream, EventStreamBuffer, ParserError
from botocore.exceptions import BotoCoreError, ClientError, EventStreamError
from botocore.parsers import ResponseParserError
from botocore.session import Session

from harness.loop.session import HttpFailed, SessionConfig, StreamFailed
from harness.loop.sessions.shared import retry_after
from harness.wire.base import Json

__all__ = ["BROKEN", "ConverseClient", "Lender", "lending_client", "words_of"]

_REGION: Final = "us-east-1"
_REFUSED: Final = 400
"""The status of a request that botocore itself refuses to send: the service would give the same one."""

_UNREADABLE: Final = (
    ResponseParserError,
    ParserError,
    struct.error,
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
)
"""What botocore raises on bytes that it cannot read: its own errors, and what slips."""

BROKEN: Final = (EventStreamError, httpx2.HTTPError, *_UNREADABLE)
"""What is raised where a streamed answer is an error from some event on, breaks off, or cannot be read."""

_ONE_ATTEMPT: Final = {"total_max_attempts": 1, "mode": "standard"}

_NOTHING_READ: Final = {
    **{name: (None, None, *rest) for name, (_, _, *rest) in BOTOCORE_DEFAUT_SESSION_VARIABLES.items()},
    "config_file": (None, None, os.devnull, None),
    "credentials_file": (None, None, os.devnull, None),
}
"""botocore's settings, each without the variable and the member of a profile that it would be read from."""


@dataclass(frozen=True, slots=True)
class Lender:
    """What sessions share: an HTTP client, and botocore's description of the service, which takes long to read."""

    http: httpx2.AsyncClient
    sdk: Session


def lending_client(http: httpx2.AsyncClient) -> Lender:
    """What any number of sessions over ``http`` share. Nothing of the user's profiles or variables is read."""
    return Lender(http, Session(session_vars=_NOTHING_READ))


class ConverseClient:
    """botocore's client for one base URL and one key, which is asked without blocking.

    The version of the signature is given, because botocore prefers a token in the environment to the key.
    """

    def __init__(self, config: SessionConfig, lender: Lender) -> None:
        self._http = lender.http
        self._sdk: Any = lender.sdk.create_client(
            "bedrock-runtime",
            region_name=_REGION,
            endpoint_url=config.base_url,
            aws_access_key_id=config.api_key,  # the name of a key is in each request, what it signs with in none
            aws_secret_access_key=config.api_key,
            config=Config(signature_version="v4", retries=_ONE_ATTEMPT),
        )
        self._sdk.meta.events.register("before-send.bedrock-runtime", _hand_over)

    async def converse(self, request: Json) -> Json:
        """A whole answer. Raises ``HttpFailed`` and ``StreamFailed``."""
        async with self._asked(self._sdk.converse, request, streamed=False) as (answer, _):
            return answer

    @asynccontextmanager
    async def converse_stream(self, request: Json) -> AsyncIterator[AsyncIterator[Json]]:
        """The events of a streamed answer. Raises ``HttpFailed`` and ``StreamFailed``; the events raise ``BROKEN``."""
        async with self._asked(self._sdk.converse_stream, request, streamed=True) as (answer, response):
            yield _events(answer["stream"], response)

    @asynccontextmanager
    async def _asked(
        self, operation: Callable[..., Json], request: Json, *, streamed: bool
    ) -> AsyncIterator[tuple[Json, httpx2.Response]]:
        exchange = _Exchange(self._http, streamed=streamed)
        try:
            yield await _answer(exchange, operation, request), exchange.response
        finally:
            await exchange.close()


async def _answer(exchange: _Exchange, operation: Callable[..., Json], request: Json) -> Json:
    try:
        return await asyncio.to_thread(exchange.ask, operation, request)
    except ClientError as error:
        response = exchange.response
        # Of an answer in another form, as a proxy may send one, botocore makes an error without its name, or its words.
        named = error.response["Error"]
        is_named = named.get("Message") and not str(named.get("Code")).isdecimal()
        words = words_of(error) if is_named else f"{words_of(error)}: {response.text}"
        raise HttpFailed(words, response.status_code, retry_after(response.headers)) from error
    except BotoCoreError as error:  # botocore has sent nothing
        raise HttpFailed(str(error), _REFUSED) from error
    except _UNREADABLE as error:
        if not exchange.is_answered:  # it is of whoever sends, who has another mistake
            raise
        response = exchange.response
        if response.is_success:
            raise StreamFailed(words_of(error)) from error
        raise HttpFailed(f"{response.status_code}: {response.text}", response.status_code) from error


async def _events(stream: EventStream, response: httpx2.Response) -> AsyncIterator[Json]:
    """What botocore makes of the frames, each as soon as it is whole. Of events that it does not know it makes none."""
    frames = EventStreamBuffer()
    async for piece in response.aiter_bytes():
        frames.add_data(piece)
        for frame in frames:
            if event := stream._parse_event(frame):
                yield event


# --- one request --------------------------------------------------------------------------------------------


_EXCHANGE: ContextVar[_Exchange] = ContextVar("_EXCHANGE")
"""The exchange for which botocore is called in this thread: its hook is given the request alone."""


def _hand_over(request: AWSPreparedRequest, **_: Any) -> AWSResponse:
    """botocore's hook: with the answer that it returns botocore opens no connection."""
    return _EXCHANGE.get().sent(request)


class _Exchange:
    """One request with its answer. ``ask`` and ``sent`` run in the thread, all else in the event loop."""

    response: httpx2.Response

    def __init__(self, http: httpx2.AsyncClient, *, streamed: bool) -> None:
        self._http = http
        self._streamed = streamed
        self._loop = asyncio.get_running_loop()
        self._sending: asyncio.Task[Any] | None = None
        self._is_over = False

    @property
    def is_answered(self) -> bool:
        """Whether an answer has begun; before that there is no ``response``."""
        return hasattr(self, "response")

    def ask(self, operation: Callable[..., Json], request: Json) -> Json:
        """Call botocore in the thread."""
        _EXCHANGE.set(self)
        return operation(**request)

    def sent(self, request: AWSPreparedRequest) -> AWSResponse:
        """Wait in the thread until the event loop has an answer."""
        return asyncio.run_coroutine_threadsafe(self._send(request), self._loop).result()

    async def close(self) -> None:
        """Let go of the connection, and of a thread that still waits for it."""
        self._is_over = True
        if self._sending is not None:
            self._sending.cancel()
        if self.is_answered:
            await self.response.aclose()

    async def _send(self, asked: AWSPreparedRequest) -> AWSResponse:
        if self._is_over:
            raise asyncio.CancelledError
        self._sending = asyncio.current_task()
        headers = {"accept-encoding": "identity", **{name: _text(value) for name, value in asked.headers.items()}}
        request = self._http.build_request(asked.method, asked.url, headers=headers, content=asked.body)
        try:
            self.response = await self._http.send(request, stream=True)
        except httpx2.HTTPError as error:
            raise HttpFailed(_words(error)) from error
        response = self.response
        body = b"" if self._streamed and response.is_success else await self._whole()
        return AWSResponse(asked.url, response.status_code, dict(response.headers.items()), _Body(body))

    async def _whole(self) -> bytes:
        try:
            return await self.response.aread()
        except httpx2.HTTPError as error:
            if self.response.is_success:
                raise StreamFailed(f"the response broke: {_words(error)}") from error
            raise HttpFailed(_words(error), self.response.status_code) from error


class _Body:
    """A body in the form in which botocore takes one from urllib3."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    def stream(self) -> Iterator[bytes]:
        """The body, in one piece."""
        yield self._body


def words_of(error: Exception) -> str:
    """The name and the words of an error of the service, or why a body cannot be read."""
    if isinstance(error, httpx2.HTTPError):
        return f"the connection broke: {error!r}"
    if not isinstance(error, ClientError):
        return f"the response cannot be read: {error!r}"
    named = error.response["Error"]
    return f"{named.get('Code')}: {named.get('Message')}"


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__
