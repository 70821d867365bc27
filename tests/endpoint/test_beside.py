"""Lists of models and counts of tokens, as the official SDKs read them over loopback HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from harness.endpoint import Endpoints
from harness.endpoint.server import serving
from tests.endpoint.endpoint import desk
from tests.sdks import anthropic, genai, openai

pytestmark = pytest.mark.anyio

MODEL = "the-model-of-the-case"
QUESTION = [{"role": "user", "content": "How many tokens are these words? " * 20}]


@pytest.fixture
def endpoints() -> Endpoints:
    made = Endpoints()
    made.open("a-case", desk(), MODEL)
    return made


@pytest.fixture
async def url(endpoints: Endpoints) -> AsyncIterator[str]:
    async with serving(endpoints) as base:
        yield f"{base}/case/a-case"
    assert endpoints.not_served("a-case") == {}


async def test_the_sdk_of_openai(url: str) -> None:
    async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="harness") as client:
        assert [model.id async for model in client.models.list()] == [MODEL]
        found = await client.models.retrieve("gpt-4.1")
        assert (found.id, found.object) == ("gpt-4.1", "model")
        counted = await client.responses.input_tokens.count(model=MODEL, input=QUESTION[0]["content"])
        assert counted.object == "response.input_tokens"
        assert 100 < counted.input_tokens < 1000


async def test_the_sdk_of_anthropic(url: str) -> None:
    async with anthropic.AsyncAnthropic(base_url=url, api_key="harness") as client:
        listed = await client.models.list()
        assert [model.id async for model in listed] == [MODEL]
        assert (listed.first_id, listed.has_more) == (MODEL, False)
        found = await client.models.retrieve("claude-sonnet-4-6")
        assert (found.id, found.lifecycle, found.created_at.year) == ("claude-sonnet-4-6", "active", 2026)
        messages: Any = QUESTION
        counted = await client.messages.count_tokens(model=MODEL, messages=messages)
        assert 100 < counted.input_tokens < 1000


@pytest.mark.parametrize("version", ["v1beta", "v1"])
async def test_the_sdk_of_google(url: str, version: str) -> None:
    async with httpx2.AsyncClient(trust_env=False) as http:
        options = genai.types.HttpOptions(base_url=url, api_version=version, httpx_async_client=http)
        await _asked_of_google(genai.Client(api_key="harness", http_options=options))


async def _asked_of_google(client: genai.Client) -> None:
    assert [model.name async for model in await client.aio.models.list()] == [f"models/{MODEL}"]
    found = await client.aio.models.get(model="gemini-3.6-flash")
    assert (found.name, found.input_token_limit) == ("models/gemini-3.6-flash", 1_000_000)
    assert found.supported_actions is not None
    assert "generateContent" in found.supported_actions
    counted = await client.aio.models.count_tokens(model=MODEL, contents=QUESTION[0]["content"])
    assert counted.total_tokens is not None
    assert 100 < counted.total_tokens < 1000


async def test_a_list_without_a_known_model_is_empty() -> None:
    endpoints = Endpoints()
    endpoints.open("a-case", desk())
    async with (
        serving(endpoints) as base,
        openai.AsyncOpenAI(base_url=f"{base}/case/a-case/v1", api_key="harness") as client,
    ):
        assert [model.id async for model in client.models.list()] == []
