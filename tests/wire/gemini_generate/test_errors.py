"""Error answers, read by the official SDK."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from harness.finding import ProviderAnswer
from harness.wire import ErrorAnswer, Identity
from harness.wire.gemini_generate import WIRE
from tests.sdks import genai
from tests.wire.gemini_generate.sdk import Endpoint, config

pytestmark = pytest.mark.anyio

STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    408: "DEADLINE_EXCEEDED",
    409: "ABORTED",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    529: "UNAVAILABLE",
}


@pytest.fixture
async def raised() -> AsyncIterator[Any]:
    endpoint = Endpoint()
    async with httpx2.AsyncClient(transport=endpoint) as http:
        client = genai.Client(
            vertexai=False, api_key="k", http_options=genai.types.HttpOptions(httpx_async_client=http)
        )

        async def ask(answer: ErrorAnswer) -> genai.errors.APIError:
            endpoint.answer = lambda _: httpx2.Response(
                answer.status, headers=dict(answer.headers), content=answer.body
            )
            with pytest.raises(genai.errors.APIError) as caught:
                await client.aio.models.generate_content(model="m", contents="hi", config=config())
            return caught.value

        yield ask


@pytest.mark.parametrize("status", STATUSES)
async def test_the_sdk_reads_the_status(status: int, raised: Any) -> None:
    error = await raised(WIRE.error(status, Identity("case")))
    assert (error.code, error.status) == (status, STATUSES[status])
    assert error.message
    assert isinstance(error, genai.errors.ClientError if status < 500 else genai.errors.ServerError)


async def test_a_request_that_is_too_large_is_answered_in_html(raised: Any) -> None:
    answer = WIRE.error(413, Identity("case"))
    assert answer.headers["content-type"].startswith("text/html")
    assert "Error 413 (Request Entity Too Large)!!1" in (await raised(answer)).message


@pytest.mark.parametrize(("seconds", "text"), [(34, "34s"), (0.5, "0.500s"), (0, "0s")])
def test_the_delay_is_in_the_body_only(seconds: float, text: str) -> None:
    answer = WIRE.error(429, Identity("case"), retry_after=seconds)
    details = json.loads(answer.body)["error"]["details"]
    assert [detail["@type"].rpartition(".")[2] for detail in details] == ["QuotaFailure", "Help", "RetryInfo"]
    assert details[-1]["retryDelay"] == text
    assert "retry-after" not in answer.headers


def test_without_a_delay_nothing_is_said_of_one() -> None:
    assert len(json.loads(WIRE.error(429, Identity("case")).body)["error"]["details"]) == 2
    assert "details" not in json.loads(WIRE.error(503, Identity("case")).body)["error"]


async def test_a_refusal_says_the_rule_in_googles_words(raised: Any) -> None:
    answer = ProviderAnswer("* contents is not specified\n", place="contents")
    error = await raised(WIRE.refuse(answer, Identity("case")))
    assert (error.code, error.status, error.message) == (400, "INVALID_ARGUMENT", answer.message)


@pytest.mark.parametrize(("stream", "kind"), [(True, "text/event-stream"), (False, "application/json; charset=UTF-8")])
def test_headers_of_an_answer(stream: bool, kind: str) -> None:
    headers = WIRE.response_headers(Identity("case"), stream=stream)
    assert headers["content-type"] == kind
    assert all(name == name.lower() for name in headers)
    assert not headers.keys() & {"content-length", "transfer-encoding"}
