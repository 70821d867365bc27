"""Loops in Python that know of no base URL: each asks its provider's own host, by the defaults of its SDK or client."""

from __future__ import annotations

import json
import os
from typing import Any

from harness.targets import CaseRun

QUESTION: list[Any] = [{"role": "user", "content": "Say hello."}]


async def openai_chat(case: CaseRun) -> str | None:
    from openai import AsyncOpenAI

    async with AsyncOpenAI() as client:
        answer = await client.chat.completions.create(model=case.model, messages=QUESTION)
    return answer.choices[0].message.content


async def openai_responses(case: CaseRun) -> str:
    from openai import AsyncOpenAI

    async with AsyncOpenAI() as client:
        return (await client.responses.create(model=case.model, input=QUESTION)).output_text


def anthropic_messages(case: CaseRun) -> str:
    from anthropic import Anthropic

    with Anthropic() as client:
        message = client.messages.create(model=case.model, max_tokens=99, messages=QUESTION)
    return "".join(block.text for block in message.content if block.type == "text")


async def gemini_generate(case: CaseRun) -> str | None:
    from google.genai import Client

    client = Client()
    answer = await client.aio.models.generate_content(model=case.model, contents="Say hello.")
    await client.aio.aclose()
    return answer.text


def gemini_generate_blocking(case: CaseRun) -> str | None:
    from google.genai import Client

    client = Client()
    return client.models.generate_content(model=case.model, contents="Say hello.").text


ANTHROPIC_URL = "https://api.anthropic.com/v1/messages"


def _head() -> dict[str, str]:
    return {"x-api-key": os.environ["ANTHROPIC_API_KEY"], "anthropic-version": "2023-06-01"}


def _body(case: CaseRun, size: int = 0) -> dict[str, Any]:
    return {
        "model": case.model,
        "max_tokens": 99,
        "messages": [*QUESTION, *[{"role": "user", "content": "x" * size}] * (size > 0)],
    }


def with_requests(case: CaseRun) -> str:
    import requests

    answer = requests.post(ANTHROPIC_URL, json=_body(case), headers=_head(), timeout=30)
    return str(answer.json()["content"][0]["text"])


async def with_aiohttp(case: CaseRun) -> str:
    import aiohttp

    async with (
        aiohttp.ClientSession(trust_env=True) as session,
        session.post(ANTHROPIC_URL, json=_body(case), headers=_head()) as answer,
    ):
        return str((await answer.json())["content"][0]["text"])


def with_a_large_request(case: CaseRun) -> str:
    import httpx

    answer = httpx.post(ANTHROPIC_URL, json=_body(case, 3_000_000), headers=_head(), timeout=30)
    return str(answer.json()["content"][0]["text"])


_shared: list[Any] = []


def with_one_connection_for_all_cases(case: CaseRun) -> str:
    """A client that is made once, as most programs have it, keeps its tunnel from one case to the next."""
    import httpx

    if not _shared:
        _shared.append(httpx.Client(timeout=30))
    answer = _shared[0].post(ANTHROPIC_URL, json=_body(case), headers=_head())
    return str(answer.json()["content"][0]["text"])


def without_the_proxy(case: CaseRun) -> str:
    import httpx

    return httpx.post(ANTHROPIC_URL, json=_body(case), trust_env=False).text


def without_trust(case: CaseRun) -> str:
    import ssl

    import certifi
    import httpx

    context = ssl.create_default_context(cafile=certifi.where())
    return httpx.post(ANTHROPIC_URL, json=_body(case), verify=context).text


def with_what_it_is_told(case: CaseRun) -> str:
    """The environment of the process, and what the case says."""
    names = (
        "OPENAI_BASE_URL",
        "ANTHROPIC_BASE_URL",
        "OPENAI_API_KEY",
        "SEARCH_API_KEY",
        "HTTPS_PROXY",
        "SSL_CERT_FILE",
    )
    with_requests(case)
    return json.dumps([case.base_url, {name: os.environ.get(name) for name in names}])
