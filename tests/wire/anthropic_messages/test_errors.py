"""Error answers as the official SDK reads them."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from harness.finding import ProviderAnswer
from harness.wire import Identity
from harness.wire.anthropic_messages import WIRE
from tests.sdks import anthropic
from tests.wire.anthropic_messages.replay import MODEL, Replay, client

STATUSES: dict[int, tuple[str, str]] = {
    400: ("BadRequestError", "invalid_request_error"),
    401: ("AuthenticationError", "authentication_error"),
    402: ("APIStatusError", "billing_error"),
    403: ("PermissionDeniedError", "permission_error"),
    404: ("NotFoundError", "not_found_error"),
    408: ("APIStatusError", "timeout_error"),
    409: ("ConflictError", "invalid_request_error"),
    413: ("APIStatusError", "request_too_large"),
    418: ("APIStatusError", "invalid_request_error"),
    429: ("RateLimitError", "rate_limit_error"),
    500: ("InternalServerError", "api_error"),
    503: ("InternalServerError", "api_error"),
    529: ("InternalServerError", "overloaded_error"),
}


async def _raised(answer: Any) -> anthropic.APIStatusError:
    response = httpx2.Response(answer.status, headers=dict(answer.headers), content=answer.body)
    async with client(Replay(response)) as sdk:
        with pytest.raises(anthropic.APIStatusError) as caught:
            await sdk.messages.create(model=MODEL, max_tokens=1, messages=[{"role": "user", "content": "hi"}])
    return caught.value


@pytest.mark.anyio
@pytest.mark.parametrize("status", STATUSES)
async def test_each_status(status: int) -> None:
    answer = WIRE.error(status, Identity("seed"))
    error = await _raised(answer)
    kind, name = STATUSES[status]
    assert isinstance(error, getattr(anthropic, kind))
    assert (error.status_code, error.type) == (status, name)
    assert error.api_message
    assert error.request_id == json.loads(answer.body)["request_id"]
    assert "retry-after" not in answer.headers


@pytest.mark.anyio
async def test_a_refusal_carries_the_providers_text() -> None:
    answer = ProviderAnswer("messages.3.content.1: `tool_use` ids must be unique", place="messages.3")
    error = await _raised(WIRE.refuse(answer, Identity("seed")))
    assert isinstance(error, anthropic.BadRequestError)
    assert error.api_message == answer.message
    assert (error.type, error.error_code) == ("invalid_request_error", None)


@pytest.mark.parametrize(
    ("seconds", "headers"),
    [
        (7, {"retry-after": "7"}),
        (0.25, {"retry-after": "1", "retry-after-ms": "250"}),
        (0, {"retry-after": "0"}),
    ],
)
def test_the_wait(seconds: float, headers: dict[str, str]) -> None:
    answer = WIRE.error(429, Identity("seed"), retry_after=seconds)
    assert {name: value for name, value in answer.headers.items() if name.startswith("retry")} == headers


def test_error_bodies_have_the_recorded_members() -> None:
    ours = json.loads(WIRE.error(400, Identity("seed")).body)
    request_id = "req_011CXaJaLr0000000000uYdR"
    recorded = {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": "m"},
        "request_id": request_id,
    }
    assert ours.keys() == recorded.keys()
    assert ours["error"].keys() == recorded["error"].keys()
    assert len(ours["request_id"]) == len(request_id)


@pytest.mark.parametrize(("stream", "media"), [(True, "text/event-stream; charset=utf-8"), (False, "application/json")])
def test_headers_of_a_success(stream: bool, media: str) -> None:
    headers = WIRE.response_headers(Identity("seed"), stream=stream)
    assert headers["content-type"] == media
    assert headers["request-id"].startswith("req_011C")
