"""Wrong continuations get the provider's own answer over HTTP, as any loop would meet it; the best of the other
servers refused three of the thirty. The first turn is really fetched, so what goes back has the ids and signatures that
were issued.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest

from harness.endpoint import CaseEndpoint
from harness.endpoint.server import serving
from harness.wire import NativeWireName
from harness.wire.base import Json
from tests.endpoint.endpoint import desk
from tests.endpoint.endpoint import opened as endpoints_of
from tests.endpoint.two_calls import LOOPS, SCRIPT, Loop
from tests.endpoint.wrong_continuations import CASES, Wrong
from tests.sdks import anthropic, genai, openai

pytestmark = pytest.mark.anyio


def rows(place: int) -> list[Any]:
    return [
        pytest.param(wire, wrong, id=f"{wire}: {wrong.what}") for wire, rows in CASES.items() for wrong in rows[place]
    ]


# --- asked over HTTP ----------------------------------------------------------------------------------------


@asynccontextmanager
async def opened(wire: NativeWireName) -> AsyncIterator[tuple[CaseEndpoint, str, httpx2.AsyncClient]]:
    """A case of its own on the loopback address: its desk, its base URL, and a client."""
    case = desk(SCRIPT, wire=wire)
    async with serving(endpoints_of(case)) as base, httpx2.AsyncClient(trust_env=False) as client:
        yield case, f"{base}/case/a-case", client


async def begun(kind: type[Loop], url: str, client: httpx2.AsyncClient) -> Loop:
    """The loop after its first request."""
    answer = await client.post(url + kind.path, json=kind.first, headers=kind.headers)
    assert answer.status_code == 200
    return kind(answer.json())


def refusal(wire: NativeWireName, wrong: Wrong, loop: Loop, headers: httpx2.Headers) -> Json:
    """The whole error body of the provider."""
    message = wrong.says.format(loop=loop)
    match wire:
        case "anthropic-messages":
            error = {"type": "invalid_request_error", "message": message}
            return {"type": "error", "error": error, "request_id": headers["request-id"]}
        case "gemini-generate":
            return {"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}
        case _:
            error = {"message": message, "type": "invalid_request_error", "param": wrong.param, "code": wrong.code}
            return {"error": error}


def test_these_are_the_thirty_eight() -> None:
    assert {wire: len(hard) for wire, (hard, _) in CASES.items()} == {
        "openai-chat": 6,
        "openai-responses": 7,
        "anthropic-messages": 12,
        "gemini-generate": 5,
    }
    assert sum(len(probes) for _, probes in CASES.values()) == 8
    assert all(probe.why for _, probes in CASES.values() for probe in probes)


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("wire", "wrong"), [*rows(0), *rows(1)])
async def test_a_wrong_continuation_gets_the_providers_answer_and_the_right_one_goes_on(
    wire: NativeWireName, wrong: Wrong
) -> None:
    async with opened(wire) as (case, url, client):
        loop = await begun(LOOPS[wire], url, client)
        answer = await client.post(url + loop.path, json=wrong.body(loop), headers=loop.headers)
        told = [violation.id for _, violation in case.violations]
        assert told[:1] == ([wrong.rule] if wrong.rule else [])
        if not wrong.says:
            assert answer.status_code == 200
            return
        assert (answer.status_code, answer.json()) == (400, refusal(wire, wrong, loop, answer.headers))
        right = await client.post(url + loop.path, json=loop.sending(loop.right), headers=loop.headers)
        assert (right.status_code, "All done." in right.text) == (200, True)
        assert [violation.id for _, violation in case.violations] == told, "the right one breaks no rule"


# --- asked by the official SDKs -----------------------------------------------------------------------------


def openai_at(url: str, http: httpx2.AsyncClient) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(api_key="k", base_url=url + "/v1", http_client=http, max_retries=0)


async def chat(url: str, http: httpx2.AsyncClient, body: Json) -> str | None:
    return (await openai_at(url, http).chat.completions.create(**body)).choices[0].message.content


async def responses(url: str, http: httpx2.AsyncClient, body: Json) -> str:
    return (await openai_at(url, http).responses.create(**body)).output_text


async def messages(url: str, http: httpx2.AsyncClient, body: Json) -> str:
    client = anthropic.AsyncAnthropic(api_key="k", base_url=url, http_client=http, max_retries=0)
    (block,) = (await client.messages.create(**body)).content
    assert isinstance(block, anthropic.types.TextBlock)
    return block.text


async def generate(url: str, http: httpx2.AsyncClient, body: Json) -> str | None:
    client = genai.Client(api_key="k", http_options=genai.types.HttpOptions(base_url=url, httpx_async_client=http))
    config = genai.types.GenerateContentConfig.model_validate({"tools": body["tools"], **body["generationConfig"]})
    contents = [genai.types.Content.model_validate_json(json.dumps(content)) for content in body["contents"]]
    answer = await client.aio.models.generate_content(model="gemini-3-flash-preview", contents=contents, config=config)
    return answer.text


Ask = Callable[[str, httpx2.AsyncClient, Json], Awaitable[str | None]]
SDKS: dict[NativeWireName, tuple[Ask, Callable[[], type[Exception]]]] = {
    "openai-chat": (chat, lambda: openai.BadRequestError),
    "openai-responses": (responses, lambda: openai.BadRequestError),
    "anthropic-messages": (messages, lambda: anthropic.BadRequestError),
    "gemini-generate": (generate, lambda: genai.errors.ClientError),
}


@pytest.mark.parametrize("wire", LOOPS)
async def test_the_official_sdk_raises_the_refusal_and_goes_on_with_the_right_one(wire: NativeWireName) -> None:
    ask, error = SDKS[wire]
    wrong = CASES[wire][0][2]
    async with opened(wire) as (_, url, http):
        loop = await begun(LOOPS[wire], url, http)
        with pytest.raises(error()) as raised:
            await ask(url, http, wrong.body(loop))
        assert wrong.says.format(loop=loop) in str(raised.value)
        assert await ask(url, http, loop.sending(loop.right)) == "All done."
