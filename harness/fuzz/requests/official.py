"""Shows how the official SDKs read an error answer."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final

import httpx2

from harness.wire import ErrorAnswer, WireName
from harness.wire import wire as wire_named


def error_of(wire: WireName, answer: ErrorAnswer) -> tuple[str, int, str]:
    """The error that the provider's SDK raises on this answer: its type, its status, and what it says."""
    ask, errors = _client(wire)
    _answers[wire] = answer
    try:
        ask()
    except errors as error:
        status: Any = getattr(error, "status_code", None) or getattr(error, "code", 0)
        return type(error).__name__, status, str(getattr(error, "message", error))
    raise AssertionError(f"the SDK of {wire} took an answer with status {answer.status} for a response")


_answers: dict[WireName, ErrorAnswer] = {}


@cache
def _client(wire: WireName) -> tuple[Callable[[], object], type[Exception]]:
    """A call of the SDK that gets the latest answer, and the base of the errors that it raises for a status.

    An SDK takes half a second to import, and a client a few milliseconds to build.
    """

    def answered(_: httpx2.Request) -> httpx2.Response:
        answer = _answers[wire]
        return httpx2.Response(answer.status, headers=dict(answer.headers), content=answer.body)

    http = httpx2.Client(transport=httpx2.MockTransport(answered))
    return _CLIENTS[wire_named(wire).provider.sdk](http)


def _openai(http: httpx2.Client) -> tuple[Callable[[], object], type[Exception]]:
    import openai

    client = openai.OpenAI(api_key="key", base_url="http://harness/v1", http_client=http, max_retries=0)
    return lambda: client.responses.create(model="m", input="Hi."), openai.APIStatusError


def _anthropic(http: httpx2.Client) -> tuple[Callable[[], object], type[Exception]]:
    import anthropic

    client = anthropic.Anthropic(api_key="key", base_url="http://harness", http_client=http, max_retries=0)
    asked: Any = [{"role": "user", "content": "Hi."}]
    return lambda: client.messages.create(model="m", max_tokens=9, messages=asked), anthropic.APIStatusError


def _gemini(http: httpx2.Client) -> tuple[Callable[[], object], type[Exception]]:
    from google import genai
    from google.genai import errors, types

    client = genai.Client(api_key="key", http_options=types.HttpOptions(base_url="http://harness", httpx_client=http))
    return lambda: client.models.generate_content(model="m", contents="Hi."), errors.APIError


_CLIENTS: Final = {"openai": _openai, "anthropic": _anthropic, "google-genai": _gemini}
"""By the SDK."""
