"""Error answers, read by the official SDK."""

from __future__ import annotations

import json

import pytest

from harness.finding import ProviderAnswer
from harness.wire import ErrorAnswer, Identity
from harness.wire.openai_responses import WIRE
from tests.sdks import openai
from tests.wire.openai_responses.speak import Answering, client


async def raised(answer: ErrorAnswer) -> openai.APIStatusError:
    headers = dict(answer.headers)
    transport = Answering(
        [answer.body], content_type=headers.pop("content-type"), status=answer.status, headers=headers
    )
    async with client(transport) as sdk:
        with pytest.raises(openai.APIStatusError) as caught:
            await sdk.responses.create(model="m", input="x", stream=True)
    return caught.value


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("status", "error", "code"),
    [
        (400, "BadRequestError", None),
        (401, "AuthenticationError", "invalid_api_key"),
        (403, "PermissionDeniedError", "unsupported_country_region_territory"),
        (404, "NotFoundError", None),
        (408, "APIStatusError", None),
        (409, "ConflictError", "conflict"),
        (413, "APIStatusError", "request_too_large"),
        (429, "RateLimitError", "rate_limit_exceeded"),
        (500, "InternalServerError", None),
        (503, "InternalServerError", None),
        (529, "InternalServerError", None),
    ],
)
async def test_the_sdk_raises_its_error(status: int, error: str, code: str | None) -> None:
    caught = await raised(WIRE.error(status, Identity("x")))
    assert type(caught) is getattr(openai, error)
    assert (caught.status_code, caught.code, caught.param) == (status, code, None)
    assert caught.type
    assert caught.request_id is not None
    assert caught.request_id.startswith("req_")


@pytest.mark.parametrize(
    ("seconds", "headers"),
    [
        (None, {}),
        (7, {"retry-after": "7"}),
        (1.5, {"retry-after": "2", "retry-after-ms": "1500"}),
        (0.25, {"retry-after": "1", "retry-after-ms": "250"}),
        (0, {"retry-after": "0"}),
    ],
)
def test_the_time_to_wait_is_said(seconds: float | None, headers: dict[str, str]) -> None:
    answer = WIRE.error(429, Identity("x"), retry_after=seconds)
    assert {name: value for name, value in answer.headers.items() if name.startswith("retry")} == headers
    assert answer.headers["x-ratelimit-remaining-requests"] == "0"


@pytest.mark.anyio
async def test_a_refusal_says_what_the_violation_says() -> None:
    answer = ProviderAnswer("Not here.", 404, "input[1]", "input", "gone")
    caught = await raised(WIRE.refuse(answer, Identity("x")))
    assert isinstance(caught, openai.NotFoundError)
    assert caught.body == {"message": "Not here.", "type": "invalid_request_error", "param": "input", "code": "gone"}


def test_bodies_and_headers_have_the_providers_shape() -> None:
    answer = WIRE.error(500, Identity("x"))
    assert list(json.loads(answer.body)) == ["error"]
    assert list(json.loads(answer.body)["error"]) == ["message", "type", "param", "code"]
    assert answer.headers["content-type"] == "application/json"
    headers = WIRE.response_headers(Identity("x"), stream=True)
    assert headers["content-type"] == "text/event-stream; charset=utf-8"
    assert {"x-request-id", "openai-version", "openai-processing-ms"} <= headers.keys()
    assert all(name == name.lower() for name in headers)
