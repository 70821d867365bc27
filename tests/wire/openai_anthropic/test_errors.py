"""Error answers of OpenAI's and Anthropic's wires, as their official SDKs read them."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from harness.finding import ProviderAnswer
from harness.wire import ErrorAnswer, Identity, Wire
from harness.wire.anthropic_messages import WIRE as MESSAGES
from harness.wire.openai_chat import WIRE as CHAT
from harness.wire.openai_responses import WIRE as RESPONSES
from tests.sdks import anthropic, openai
from tests.wire.anthropic_messages import replay
from tests.wire.openai_chat import chat_support

WIRES = pytest.mark.parametrize("wire", [MESSAGES, CHAT, RESPONSES], ids=lambda wire: wire.name)
ASKED: dict[str, Any] = {"messages": [{"role": "user", "content": "hi"}]}


async def raised(wire: Wire, answer: ErrorAnswer) -> Any:
    """What the SDK of the wire raises."""
    response = httpx2.Response(answer.status, headers=dict(answer.headers), content=answer.body)
    if wire is MESSAGES:
        async with replay.client(replay.Replay(response)) as messages:
            with pytest.raises(anthropic.APIStatusError) as of_anthropic:
                await messages.messages.create(model="m", max_tokens=1, **ASKED)
        return of_anthropic.value
    async with chat_support.sdk(lambda _: response) as sdk:
        chat, responses = sdk.chat.completions.create, sdk.responses.create
        asking = chat(model="m", stream=True, **ASKED) if wire is CHAT else responses(model="m", input="x", stream=True)
        with pytest.raises(openai.APIStatusError) as caught:
            await asking
    return caught.value


CLASSES = {
    400: "BadRequestError",
    401: "AuthenticationError",
    402: "APIStatusError",
    403: "PermissionDeniedError",
    404: "NotFoundError",
    408: "APIStatusError",
    409: "ConflictError",
    413: "APIStatusError",
    418: "APIStatusError",
    429: "RateLimitError",
    500: "InternalServerError",
    502: "InternalServerError",
    503: "InternalServerError",
    529: "InternalServerError",
}
TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    408: "timeout_error",
    409: "invalid_request_error",
    413: "request_too_large",
    418: "invalid_request_error",
    429: "rate_limit_error",
    500: "api_error",
    503: "api_error",
    529: "overloaded_error",
}
"""Of Anthropic's errors."""
CODES = {
    401: "invalid_api_key",
    403: "unsupported_country_region_territory",
    409: "conflict",
    413: "request_too_large",
    429: "rate_limit_exceeded",
}
"""Of the errors of Responses; the others have none."""


@pytest.mark.anyio
@pytest.mark.parametrize("status", CLASSES)
@WIRES
async def test_the_sdk_raises_its_own_class(wire: Wire, status: int) -> None:
    answer = wire.error(status, Identity("seed"))
    error = await raised(wire, answer)
    assert isinstance(error, getattr(anthropic if wire is MESSAGES else openai, CLASSES[status]))
    assert error.status_code == status
    body = json.loads(answer.body)
    assert not any(name.startswith("retry") for name in answer.headers)
    if wire is MESSAGES:
        assert error.type == TYPES.get(status, error.type)
        assert error.api_message
        assert error.request_id == body["request_id"]
        return
    assert error.body == body["error"]
    assert list(body) == ["error"]
    assert list(body["error"]) == ["message", "type", "param", "code"]
    assert (error.code, error.type, error.param) == (body["error"]["code"], body["error"]["type"], None)
    assert error.type
    assert (error.request_id or "").startswith("req_")
    assert error.request_id == answer.headers["x-request-id"]
    assert wire is CHAT or status in (402, 418, 502) or error.code == CODES.get(status)


@pytest.mark.anyio
@WIRES
async def test_a_refusal_says_what_the_violation_says(wire: Wire) -> None:
    said = ProviderAnswer("Not here.", 404, "input[1]", "input", "gone")
    answer = wire.refuse(said, Identity("seed"))
    assert answer.headers["content-type"] == "application/json"
    error = await raised(wire, answer)
    assert error.status_code == 404
    if wire is MESSAGES:
        assert (error.api_message, error.type, error.error_code) == ("Not here.", "not_found_error", "gone")
        without = json.loads(wire.refuse(ProviderAnswer("No.", place="messages.3"), Identity("seed")).body)["error"]
        assert without == {"type": "invalid_request_error", "message": "No."}
    else:
        assert isinstance(error, openai.NotFoundError)
        kind = "invalid_request_error"
        assert error.body == {"message": "Not here.", "type": kind, "param": "input", "code": "gone"}


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
@WIRES
def test_the_wait_is_in_headers(wire: Wire, seconds: float | None, headers: dict[str, str]) -> None:
    answer = wire.error(429, Identity("seed"), retry_after=seconds)
    assert {name: value for name, value in answer.headers.items() if name.startswith("retry")} == headers
    assert wire is not RESPONSES or answer.headers["x-ratelimit-remaining-requests"] == "0"


def test_error_bodies_of_anthropic_have_the_recorded_members() -> None:
    ours = json.loads(MESSAGES.error(400, Identity("seed")).body)
    assert list(ours) == ["type", "error", "request_id"]
    assert set(ours["error"]) == {"type", "message"}
    assert len(ours["request_id"]) == len("req_011CXaJaLr0000000000uYdR")


@WIRES
def test_headers_of_a_success(wire: Wire) -> None:
    identity = Identity("seed")
    streamed, whole = (wire.response_headers(identity, stream=stream) for stream in (True, False))
    assert streamed["content-type"] == "text/event-stream; charset=utf-8"
    assert whole["content-type"] == "application/json"
    assert all(name == name.lower() for name in streamed)
    if wire is MESSAGES:
        assert streamed["request-id"].startswith("req_011C")
    else:
        assert {"x-request-id", "openai-processing-ms"} <= streamed.keys()
        assert streamed["openai-version"] == "2020-10-01"
        assert streamed["x-request-id"] != whole["x-request-id"]
