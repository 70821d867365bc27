"""One request through each HTTP library and each official SDK, ``async`` or not, told in the same way.

Each function takes the URL of a server, a path and a JSON body, and returns what the client got: the bytes of the
response, or of an SDK the text that it pieced together.
"""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable
from typing import Any

import aiohttp
import anyio
import httpx
import httpx2
import requests

Ask = Callable[[str, str, Any], bytes]

JSON = {"content-type": "application/json"}


# --- HTTP libraries -----------------------------------------------------------------------------------------


def _httpx(library: Any) -> Ask:
    def ask(url: str, path: str, body: Any) -> bytes:
        with library.Client() as client:
            return b"".join(client.post(url + path, json=body).iter_bytes())

    return ask


def _httpx_async(library: Any) -> Ask:
    async def asked(url: str, path: str, body: Any) -> bytes:
        async with library.AsyncClient() as client, client.stream("POST", url + path, json=body) as response:
            return b"".join([piece async for piece in response.aiter_bytes()])

    return lambda *request: anyio.run(asked, *request)


def _aiohttp(how: str) -> Ask:
    async def asked(url: str, path: str, body: Any) -> bytes:
        sent: Any = {"json": body} if how == "json" else {"data": json.dumps(body), "headers": JSON}
        async with aiohttp.ClientSession() as session, session.post(url + path, **sent) as response:
            return b"".join([piece async for piece in response.content.iter_any()])

    return lambda *request: anyio.run(asked, *request)


def _requests(url: str, path: str, body: Any) -> bytes:
    with requests.Session() as session:
        return b"".join(session.post(url + path, json=body, stream=True, timeout=10).iter_content(None))


def _urllib(url: str, path: str, body: Any) -> bytes:
    asked = urllib.request.Request(url + path, json.dumps(body).encode(), JSON)  # noqa: S310 # the URL is loopback's
    with urllib.request.urlopen(asked) as response:  # noqa: S310
        content: bytes = response.read()
        return content


LIBRARIES: dict[str, Ask] = {
    "httpx2": _httpx(httpx2),
    "httpx2-async": _httpx_async(httpx2),
    "httpx": _httpx(httpx),
    "httpx-async": _httpx_async(httpx),
    "aiohttp-json": _aiohttp("json"),
    "aiohttp-data": _aiohttp("data"),
    "requests": _requests,
    "urllib": _urllib,
}


# --- SDKs ---------------------------------------------------------------------------------------------------


def _said(body: Any) -> list[Any]:
    return [{"role": "user", "content": body["prompt"]}]


def _openai(url: str, path: str, body: Any) -> bytes:
    import openai

    with openai.OpenAI(api_key="none", base_url=f"{url}/v1", max_retries=0) as client:
        stream = client.chat.completions.create(model="m", messages=_said(body), stream=True)
        return "".join(chunk.choices[0].delta.content or "" for chunk in stream).encode()


def _openai_async(url: str, path: str, body: Any) -> bytes:
    import openai

    async def asked() -> str:
        async with openai.AsyncOpenAI(api_key="none", base_url=f"{url}/v1", max_retries=0) as client:
            stream = await client.chat.completions.create(model="m", messages=_said(body), stream=True)
            return "".join([chunk.choices[0].delta.content or "" async for chunk in stream])

    return anyio.run(asked).encode()


def _anthropic(url: str, path: str, body: Any) -> bytes:
    import anthropic

    client = anthropic.Anthropic(api_key="none", base_url=url, max_retries=1)
    with client, client.messages.stream(model="m", max_tokens=9, messages=_said(body)) as stream:
        return "".join(stream.text_stream).encode()


def _anthropic_async(url: str, path: str, body: Any) -> bytes:
    import anthropic

    async def asked() -> str:
        client = anthropic.AsyncAnthropic(api_key="none", base_url=url, max_retries=0)
        async with client, client.messages.stream(model="m", max_tokens=9, messages=_said(body)) as stream:
            return "".join([text async for text in stream.text_stream])

    return anyio.run(asked).encode()


def _google(url: str, path: str, body: Any) -> bytes:
    from google import genai

    options = genai.types.HttpOptions(base_url=url, api_version="v1beta")
    with genai.Client(api_key="none", http_options=options) as client:
        stream = client.models.generate_content_stream(model="m", contents=body["prompt"])
        return "".join(chunk.text or "" for chunk in stream).encode()


def _google_async(url: str, path: str, body: Any) -> bytes:
    """On aiohttp, which this SDK takes for ``async`` wherever it is installed."""
    from google import genai

    options = genai.types.HttpOptions(base_url=url, api_version="v1beta")

    async def asked() -> str:
        async with genai.Client(api_key="none", http_options=options).aio as client:
            stream = await client.models.generate_content_stream(model="m", contents=body["prompt"])
            return "".join([chunk.text or "" async for chunk in stream])

    return anyio.run(asked).encode()


SDKS: dict[str, Ask] = {
    "openai": _openai,
    "openai-async": _openai_async,
    "anthropic": _anthropic,
    "anthropic-async": _anthropic_async,
    "google": _google,
    "google-async": _google_async,
}
