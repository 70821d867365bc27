"""Error answers: the SDK raises from them what it raises from the API's own."""

from __future__ import annotations

import json

import httpx2
import pytest

from harness.finding import ProviderAnswer
from harness.wire import Identity
from harness.wire.openai_chat import WIRE
from tests.sdks import openai
from tests.wire.openai_chat.chat_support import sdk

CLASSES = {
    400: "BadRequestError",
    401: "AuthenticationError",
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


@pytest.mark.anyio
@pytest.mark.parametrize("status", CLASSES)
async def test_the_sdk_raises_its_own_class(status: int) -> None:
    answer = WIRE.error(status, Identity("e"))
    client = sdk(lambda _: httpx2.Response(answer.status, headers=dict(answer.headers), content=answer.body))
    with pytest.raises(openai.APIStatusError) as raised:
        await client.chat.completions.create(model="m", messages=[], stream=True)
    body = json.loads(answer.body)["error"]
    assert type(raised.value) is getattr(openai, CLASSES[status])
    assert raised.value.body == body
    assert set(body) == {"message", "type", "param", "code"}
    assert (raised.value.code, raised.value.type) == (body["code"], body["type"])
    assert raised.value.request_id == answer.headers["x-request-id"]


@pytest.mark.parametrize(
    ("seconds", "headers"),
    [
        (None, {}),
        (0, {"retry-after": "0"}),
        (0.25, {"retry-after": "1", "retry-after-ms": "250"}),
        (2, {"retry-after": "2"}),
    ],
)
def test_the_wait_is_told_in_headers(seconds: float | None, headers: dict[str, str]) -> None:
    answer = WIRE.error(429, Identity("e"), retry_after=seconds)
    assert {name: value for name, value in answer.headers.items() if name.startswith("retry")} == headers


def test_a_refusal_says_what_the_violation_says() -> None:
    said = ProviderAnswer("No.", place="messages[0].content", param="p", code="c")
    answer = WIRE.refuse(said, Identity("e"))
    assert answer.status == 400
    assert answer.headers["content-type"] == "application/json"
    assert json.loads(answer.body) == {
        "error": {"message": "No.", "type": "invalid_request_error", "param": "p", "code": "c"}
    }


def test_successful_answers_have_the_headers_of_the_api() -> None:
    identity = Identity("e")
    streamed, whole = WIRE.response_headers(identity, stream=True), WIRE.response_headers(identity, stream=False)
    assert streamed["content-type"] == "text/event-stream; charset=utf-8"
    assert whole["content-type"] == "application/json"
    assert streamed["openai-version"] == "2020-10-01"
    assert streamed["x-request-id"] != whole["x-request-id"]
