"""botocore over an HTTP client of ours.

botocore validates a request, writes and signs it. Its hook ``before-send`` takes the request from it, so that botocore
opens no connection and nothing blocks. The HTTP client sends, and botocore's own parsers read the answer: a whole one,
or each event of a stream as soon as its frame is complete.
"""

from __future__ import annotations

import os
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, NoReturn, cast

import httpx2
from botocore.awsrequest import AWSPreparedRequest
from botocore.config import Config
from botocore.configprovider import BOTOCORE_DEFAUT_SESSION_VARIABLES
from botocore.eventstream import EventStreamBuffer, ParserError
from botocore.exceptions import BotoCoreError, EventStreamError
from botocore.parsers import ResponseParserError, create_parser
from botocore.session import Session

from harness.loop.session import HttpFailed, SessionConfig
from harness.loop.sessions.shared import retry_after
from harness.wire.base import Json

_REGION: Final = "us-east-1"
_REFUSED: Final = 400
"""The status of a request that botocore itself refuses to send: the service would return the same one."""

_UNREADABLE: Final = (
    ResponseParserError,
    ParserError,
    struct.error,
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
)
"""What botocore raises on bytes that it cannot read: its own errors, and errors that it does not catch."""

BROKEN: Final = (EventStreamError, httpx2.HTTPError, *_UNREADABLE)
"""What is raised if a streamed answer has an error event, breaks off, or cannot be read."""

_PARSER: Final = create_parser("rest-json")
"""Parses the answers of the service. It keeps nothing between answers."""

_NOTHING_READ: Final = {
    **{name: (None, None, *rest) for name, (_, _, *rest) in BOTOCORE_DEFAUT_SESSION_VARIABLES.items()},
    "config_file": (None, None, os.devnull, None),
    "credentials_file": (None, None, os.devnull, None),
}
"""botocore's settings, each without the environment variable and the profile entry that could set it."""


@dataclass(frozen=True, slots=True)
class Lender:
    """What sessions share: an HTTP client, and botocore's description of the service, which is slow to read."""

    http: httpx2.AsyncClient
    sdk: Session


def lending_client(http: httpx2.AsyncClient) -> Lender:
    """The shared objects of any number of sessions over ``http``. The user's profiles and variables are not read."""
    return Lender(http, Session(session_vars=_NOTHING_READ))


class ConverseClient:
    """The two operations of the service, for one base URL and one key.

    The version of the signature is fixed, because botocore prefers a token in the environment to the key.
    """

    def __init__(self, config: SessionConfig, lender: Lender) -> None:
        self._http = lender.http
        self._sdk: Any = lender.sdk.create_client(
            "bedrock-runtime",
            region_name=_REGION,
            endpoint_url=config.base_url,
            aws_access_key_id=config.api_key,  # the name of a key is in each request, what it signs with in none
            aws_secret_access_key=config.api_key,
            config=Config(signature_version="v4"),
        )
        self._sdk.meta.events.register("before-send.bedrock-runtime", _take)

    @asynccontextmanager
    async def converse(self, request: Json, *, stream: bool) -> AsyncIterator[AsyncIterator[Json]]:
        """The events of a streamed answer, or the one document of a whole answer. Raises ``HttpFailed``; reading the
        events raises ``BROKEN``."""
        operation = self._sdk.converse_stream if stream else self._sdk.converse
        async with self._response(operation, request) as response:
            yield self._events(response) if stream else self._whole(response)

    @asynccontextmanager
    async def _response(self, operation: Callable[..., NoReturn], request: Json) -> AsyncIterator[httpx2.Response]:
        """The answer to a request that the service has accepted. Its body is still to come. Raises ``HttpFailed``."""
        asked = _written(operation, request)
        async with AsyncExitStack() as stack:
            sending = self._http.stream(asked.method, asked.url, headers=asked.headers, content=asked.body)
            try:
                response = await stack.enter_async_context(sending)
            except httpx2.HTTPError as error:
                raise HttpFailed(repr(error)) from error
            if not response.is_success:
                raise await _http_failure(response)
            yield response

    async def _events(self, response: httpx2.Response) -> AsyncIterator[Json]:
        """botocore's events from the frames, each as soon as its frame is complete. It leaves out events that it does
        not know."""
        stream = _parsed_answer(response, None, self._shape("ConverseStream"))["stream"]
        frames = EventStreamBuffer()
        async for piece in response.aiter_bytes():
            frames.add_data(piece)
            for frame in frames:
                if event := stream._parse_event(frame):
                    yield event

    async def _whole(self, response: httpx2.Response) -> AsyncIterator[Json]:
        yield _parsed_answer(response, await response.aread(), self._shape("Converse"))

    def _shape(self, operation: str) -> Any:
        return self._sdk.meta.service_model.operation_model(operation).output_shape


# --- one request --------------------------------------------------------------------------------------------


class _Taken(Exception):
    """botocore has written and signed a request, the argument of this exception, and would send it now."""


def _take(request: AWSPreparedRequest, **_: Any) -> NoReturn:
    """botocore's hook, which gets every request."""
    raise _Taken(request)


def _written(operation: Callable[..., NoReturn], request: Json) -> AWSPreparedRequest:
    """The request in its final form. Raises ``HttpFailed`` for a request that botocore itself refuses."""
    try:
        operation(**request)
    except _Taken as taken:
        (written,) = taken.args
        return cast("AWSPreparedRequest", written)
    except BotoCoreError as error:
        raise HttpFailed(str(error), _REFUSED) from error


async def _http_failure(response: httpx2.Response) -> HttpFailed:
    """The error in an answer with an error status, in any form: a proxy may have sent it."""
    status = response.status_code
    try:
        error = _parsed_answer(response, await response.aread(), None)["Error"]
    except httpx2.HTTPError as broken:
        return HttpFailed(repr(broken), status)
    except _UNREADABLE:
        error = {}
    code, message = error.get("Code"), error.get("Message")
    is_named = message and not str(code).isdecimal()  # without a name botocore uses the status
    words = f"{code}: {message}" if is_named else f"{status}: {response.text}"
    return HttpFailed(words, status, retry_after(response.headers))


def _parsed_answer(response: httpx2.Response, body: bytes | None, shape: Any) -> Json:
    """An answer in botocore's form. If it is a stream, ``body`` is ignored."""
    read = {"status_code": response.status_code, "headers": response.headers, "body": body, "context": {}}
    parsed: Json = _PARSER.parse(read, shape)
    return parsed


def words_of(error: Exception) -> str:
    """The name and the words of an error of the service, or why a body cannot be read."""
    if isinstance(error, httpx2.HTTPError):
        return f"the connection broke: {error!r}"
    if not isinstance(error, EventStreamError):
        return f"the response cannot be read: {error!r}"
    named = error.response["Error"]
    return f"{named.get('Code')}: {named.get('Message')}"
