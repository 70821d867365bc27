"""The official OpenAI SDK: what both sessions that are built on it need."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Any, Final, TypeVar

import httpx2
import openai
from openai import AsyncAPIResponse, AsyncOpenAI
from openai._base_client import get_platform

from harness.loop.session import HttpFailed, SessionConfig, StreamFailed
from harness.loop.sessions.shared import LENT_KEY, in_words, retry_after

_Answer = TypeVar("_Answer")

BROKEN: Final = (openai.APIError, httpx2.HTTPError, ValueError)
"""What the SDK raises if a response that has begun cannot be read. Bad JSON and bad UTF-8 are ``ValueError``."""


def open_client(config: SessionConfig, lender: AsyncOpenAI) -> AsyncOpenAI:
    """A client for one session, on the HTTP client of ``lender``, which is not changed."""
    base_url = f"{config.base_url.rstrip('/')}/v1"
    client = lender.with_options(base_url=base_url, api_key=config.api_key, max_retries=0)
    # Every new client would ask in a thread what it runs on, for a header: with short answers a tenth of the turn.
    client._platform = get_platform()
    return client


def lending_client(http: httpx2.AsyncClient) -> AsyncOpenAI:
    """A client for any number of sessions over ``http``, which its caller closes."""
    return AsyncOpenAI(api_key=LENT_KEY, http_client=http)


def as_it_is(fixed: Mapping[str, Any], **history: list[Any]) -> dict[str, Any]:
    """The members of a request. The history and the tools are in ``extra_body``, which the SDK sends unchanged.

    If they were arguments, the SDK would search them for every form that their types allow, all again in every turn, to
    rename members that already have the right names. On Responses, the history alone would take 93 % of the time of a
    run of 50 turns.
    """
    tools = {"tools": fixed["tools"]} if "tools" in fixed else {}
    return {**fixed, **{name: [] for name in tools}, "extra_body": {**tools, **history}}


async def answer_to(request: Awaitable[_Answer]) -> _Answer:
    """The result of an SDK call once the answer has begun. Raises ``HttpFailed``."""
    try:
        return await request
    except (openai.APIError, httpx2.HTTPError) as error:  # the latter where the body of an error breaks off
        raise http_failure(error) from error


async def whole_answer(request: AbstractAsyncContextManager[AsyncAPIResponse[Any]]) -> object:
    """A parsed answer without a stream. Raises ``HttpFailed``, and ``StreamFailed`` for an answer that breaks off.

    To distinguish them it awaits the headers before the body, with the SDK's ``with_streaming_response``.
    """
    async with AsyncExitStack() as stack:
        response = await answer_to(stack.enter_async_context(request))
        try:
            return await response.parse()
        except BROKEN as error:
            raise stream_failed(error) from error


def stream_failed(error: Exception) -> StreamFailed:
    """The failure of an answer that had begun."""
    return StreamFailed(in_words(error))


def http_failure(error: Exception) -> HttpFailed:
    """The failure of a request that got no answer, or one with an error status."""
    if isinstance(error, openai.APIStatusError):
        return HttpFailed(_words(error), error.status_code, retry_after(error.response.headers))
    return HttpFailed(in_words(error.__cause__ or error))  # by itself the SDK only says "Connection error."


def _words(error: openai.APIStatusError) -> str:
    """The SDK's text, and the body if it is no error object of OpenAI: the SDK leaves such a body out."""
    has_message = isinstance(error.body, dict) and isinstance(error.body.get("message"), str)
    return str(error) if has_message or not error.body else f"{error}: {error.body}"
