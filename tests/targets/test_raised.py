"""What an exception says of why a run failed, told by its shape, as the official SDKs raise it."""

from __future__ import annotations

from collections.abc import Callable
from email.message import Message
from typing import Any
from urllib.error import HTTPError, URLError

import aiohttp.http_exceptions
import botocore.exceptions
import httpx
import httpx2
import pytest
import requests
import urllib3.exceptions
from multidict import CIMultiDict, CIMultiDictProxy
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosedError, InvalidStatus
from websockets.frames import Close
from websockets.http11 import Response
from yarl import URL

from harness.targets import raised
from harness.trace import RAISED, Failure
from tests.sdks import anthropic, genai, openai
from tests.targets.command.client import harness_client

REQUEST = httpx2.Request("POST", "http://127.0.0.1/v1")


def failure_of(error: BaseException) -> Failure:
    """The Python client, which has a copy of the same for loops in an environment of their own, says the same."""
    ours, of_the_client = raised.failure_of(error), harness_client.failure_of(error)
    assert (of_the_client.kind, of_the_client.message) == (ours.kind, ours.message)
    return ours


def answered(status: int) -> httpx2.Response:
    return httpx2.Response(status, request=REQUEST)


@pytest.mark.parametrize(
    ("made", "kind"),
    [
        (lambda: openai.BadRequestError("no", response=answered(400), body=None), "http"),
        (lambda: anthropic.InternalServerError("no", response=answered(529), body=None), "http"),
        (lambda: genai.errors.ServerError(503, {"error": {"message": "no"}}), "http"),
        (lambda: anthropic.APIStatusError("overloaded", response=answered(200), body=None), "stream"),
        (lambda: openai.APIConnectionError(request=REQUEST), "stream"),
        (lambda: httpx2.RemoteProtocolError("peer closed connection"), "stream"),
        (lambda: ConnectionResetError(104, "reset"), "stream"),
        (lambda: ConnectionClosedError(Close(1011, "internal error"), None), "stream"),
        (lambda: InvalidStatus(Response(426, "Upgrade Required", Headers())), "http"),
        (lambda: ValueError("boom"), RAISED),
    ],
)
def test_the_kind_of_a_failure_is_told_by_the_shape_of_its_exception(made: Callable[[], Exception], kind: str) -> None:
    error = made()
    failure = failure_of(error)
    assert (failure.kind, failure.message.partition(":")[0]) == (kind, type(error).__name__)


def by_requests(status: int) -> Exception:
    response = requests.Response()
    response.status_code = status
    return raised_by(response.raise_for_status)


def by_httpx(status: int) -> Exception:
    response = httpx.Response(status, request=httpx.Request("POST", "http://127.0.0.1/v1"))
    return raised_by(response.raise_for_status)


def by_httpx2(status: int) -> Exception:
    return raised_by(answered(status).raise_for_status)


def by_urllib(status: int) -> Exception:
    return HTTPError("http://127.0.0.1/v1", status, "no", Message(), None)


def by_aiohttp(status: int) -> Exception:
    url = URL("http://127.0.0.1/v1")
    asked = aiohttp.RequestInfo(url, "POST", CIMultiDictProxy(CIMultiDict()), url)
    return aiohttp.ClientResponseError(asked, (), status=status, message="no")


def by_botocore(status: int) -> Exception:
    """The response is a dictionary there."""
    metadata = {"HTTPStatusCode": status, "RequestId": "1", "HostId": "", "HTTPHeaders": {}, "RetryAttempts": 0}
    refused: Any = {"Error": {"Code": "ValidationException", "Message": "no"}, "ResponseMetadata": metadata}
    return botocore.exceptions.ClientError(refused, "Converse")


def raised_by(call: Callable[[], object]) -> Exception:
    with pytest.raises(Exception) as caught:
        call()
    return caught.value


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("status", [400, 401, 429, 503])
@pytest.mark.parametrize("client", [by_requests, by_httpx, by_httpx2, by_urllib, by_aiohttp, by_botocore])
def test_a_refusal_is_told_as_one_whichever_client_has_raised_it(
    client: Callable[[int], Exception], status: int
) -> None:
    assert failure_of(client(status)).kind == "http"


@pytest.mark.parametrize(
    "error",
    [
        requests.ConnectionError("reset"),
        requests.exceptions.ChunkedEncodingError("connection broken"),
        httpx.ReadError("reset"),
        URLError("refused"),
        aiohttp.ServerDisconnectedError(),
        botocore.exceptions.EventStreamError({"Error": {"Code": "throttlingException"}}, "ConverseStream"),
        botocore.exceptions.EndpointConnectionError(endpoint_url="http://127.0.0.1"),
        botocore.exceptions.ConnectionClosedError(endpoint_url="http://127.0.0.1"),
        urllib3.exceptions.IncompleteRead(1, 2),
    ],
    ids=lambda error: f"{type(error).__module__}.{type(error).__name__}",
)
def test_a_connection_that_broke_has_no_status(error: Exception) -> None:
    assert failure_of(error).kind == "stream"


class OfACompany(Exception):
    """An exception with the names that clients have for a status, and other things under them."""

    code = "rate_limit_exceeded"
    status = "UNAVAILABLE"
    response = {"status_code": 429, "ResponseMetadata": "HTTPStatusCode"}  # noqa: RUF012


def test_a_word_where_clients_have_a_status_is_none() -> None:
    assert failure_of(OfACompany("no")).kind == RAISED


def test_what_an_exception_was_raised_from_counts_too() -> None:
    error = RuntimeError("the model failed")
    error.__cause__ = httpx2.ReadError("reset")
    assert failure_of(error) == Failure("stream", "RuntimeError: the model failed")


def test_a_body_that_breaks_off_in_aiohttp_is_no_answer_with_status_400() -> None:
    """Its parser says so with the code that a server would give: google-genai asks by way of aiohttp where it is."""
    error = aiohttp.ClientPayloadError("Response payload is not completed")
    error.__cause__ = aiohttp.http_exceptions.TransferEncodingError("Not enough data")
    assert error.__cause__.code == 400
    assert failure_of(error).kind == "stream"


def test_a_message_of_any_length_is_told_in_a_bounded_one() -> None:
    assert len(failure_of(ValueError("x" * 100_000)).message) == 2_000
