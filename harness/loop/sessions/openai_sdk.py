"""The official OpenAI SDK, as both sessions that are built on it use it."""

from __future__ import annotations

from typing import Final

import httpx2
import openai
from openai import AsyncOpenAI

from harness.loop.session import HttpFailed, SessionConfig
from harness.loop.sessions.shared import retry_after

__all__ = ["BROKEN", "http_failure", "open_client"]

BROKEN: Final = (openai.APIError, httpx2.HTTPError, ValueError)
"""What the SDK raises when a response that has begun cannot be read: bad JSON and bad UTF-8 are ``ValueError``."""


def open_client(config: SessionConfig, lender: AsyncOpenAI | None) -> AsyncOpenAI:
    """A client for one session: on the HTTP client of ``lender``, which is not changed, or on one of its own."""
    return (lender.with_options if lender else AsyncOpenAI)(
        base_url=f"{config.base_url.rstrip('/')}/v1", api_key=config.api_key, max_retries=0
    )


def http_failure(error: openai.APIError) -> HttpFailed:
    """The failure of a request that got no answer, or one with an error status."""
    if isinstance(error, openai.APIStatusError):
        return HttpFailed(_words(error), error.status_code, retry_after(error.response.headers))
    return HttpFailed(str(error))


def _words(error: openai.APIStatusError) -> str:
    """The SDK's text, and the body where that is no error object of OpenAI's: the SDK leaves its words out."""
    said = isinstance(error.body, dict) and isinstance(error.body.get("message"), str)
    return str(error) if said or not error.body else f"{error}: {error.body}"
