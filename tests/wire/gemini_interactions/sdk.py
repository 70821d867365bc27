"""google-genai's ``client.interactions`` on the wire's own bytes: a transport answers in place of a connection."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx2

from tests.sdks import genai

MODEL = "gemini-3.8-flash"


def client(answer: Callable[[httpx2.Request], httpx2.Response]) -> Any:
    """A client each of whose requests is answered so, and asked once."""
    http = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
    retries = genai.types.HttpRetryOptions(attempts=1)
    options = genai.types.HttpOptions(base_url="http://127.0.0.1:1", httpx_async_client=http, retry_options=retries)
    return genai.Client(vertexai=False, api_key="none", http_options=options)


def ok(body: bytes, content_type: str = "application/json") -> Callable[[httpx2.Request], httpx2.Response]:
    """Every request is answered with this body."""
    return lambda _: httpx2.Response(200, headers={"content-type": content_type}, content=body)


async def streamed(body: bytes) -> list[Any]:
    """The events of a streamed answer, as the SDK gives them."""
    asked = client(ok(body, "text/event-stream"))
    stream = await asked.aio.interactions.create(model=MODEL, input="Hello.", stream=True, automatic_continuation=False)
    return [event async for event in stream]


async def whole(body: bytes) -> Any:
    """An answer in one document, as the SDK gives it."""
    asked = client(ok(body))
    return await asked.aio.interactions.create(model=MODEL, input="Hello.", automatic_continuation=False)


def assembled(events: list[Any]) -> list[dict[str, Any]]:
    """The steps that the SDK's events say, as a client must put them together: the SDK does not."""
    steps: list[dict[str, Any]] = []
    texts: list[list[str]] = []
    for event in events:
        if event.event_type == "step.start":
            steps.append(event.step.model_dump(mode="json"))
            texts.append([])
        elif event.event_type == "step.delta":
            _add(steps[-1], texts[-1], event.delta.model_dump(mode="json"))
    return steps


def _add(step: dict[str, Any], texts: list[str], delta: dict[str, Any]) -> None:
    match delta:
        case {"type": "text", "text": text}:
            texts.append(text)
            step["content"] = [{"type": "text", "text": "".join(texts)}]
        case {"type": "text_annotation_delta", "annotations": annotations}:
            step["content"][-1]["annotations"] = [_said(each) for each in annotations]
        case {"type": "image"}:
            step["content"] = [*(step.get("content") or ()), _said(delta)]
        case {"type": "thought_summary", "content": {"text": text}}:
            texts.append(text)
            step["summary"] = [{"type": "text", "text": "".join(texts)}]
        case {"type": "thought_signature", "signature": signature}:
            step["signature"] = signature
        case {"type": "arguments_delta", "arguments": text}:
            texts.append(text)
            step["arguments"] = json.loads("".join(texts)) if _is_whole("".join(texts)) else {}
        case _:
            step.update({name: value for name, value in delta.items() if name != "type" and value is not None})


def _said(value: dict[str, Any]) -> dict[str, Any]:
    """The members that say something: the SDK's models have all that there may be."""
    return {name: each for name, each in value.items() if each is not None}


def _is_whole(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
