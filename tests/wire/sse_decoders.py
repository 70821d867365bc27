"""The SSE decoders inside the official SDKs, behind one signature: chunks in, (event, data) pairs out."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import httpx2

from tests.sdks import anthropic, genai, openai

Events = list[tuple[str, str]]
Decoder = Callable[[Sequence[bytes]], Events]


def openai_(chunks: Sequence[bytes]) -> Events:
    return [(event.event or "message", event.data) for event in openai._streaming.SSEDecoder().iter_bytes(iter(chunks))]


def anthropic_(chunks: Sequence[bytes]) -> Events:
    return [
        (event.event or "message", event.data) for event in anthropic._streaming.SSEDecoder().iter_bytes(iter(chunks))
    ]


def httpx2_(chunks: Sequence[bytes]) -> Events:
    return [(event.event, event.data) for event in httpx2.EventSource(_response(chunks))]


def google_genai(chunks: Sequence[bytes]) -> Events:
    """It knows no event names and hands out parsed JSON, which is written again here."""
    return [
        ("message", json.dumps(value)) for value in genai._api_client.HttpResponse({}, _response(chunks)).segments()
    ]


def _response(chunks: Sequence[bytes]) -> httpx2.Response:
    headers = {"content-type": "text/event-stream"}
    return httpx2.Response(200, headers=headers, content=iter(chunks), request=httpx2.Request("POST", "http://test"))


DECODERS: dict[str, Decoder] = {
    "openai": openai_,
    "anthropic": anthropic_,
    "httpx2": httpx2_,
    "google-genai": google_genai,
}
