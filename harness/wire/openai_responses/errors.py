"""The provider's error answers and response headers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from harness.finding import ProviderAnswer
from harness.wire.error_answer import ErrorAnswer
from harness.wire.failures import FailureKind
from harness.wire.identity import HEX, Identity
from harness.wire.retry import retry_headers

_Known = tuple[str, str, str | None]
_REQUEST: Final = "invalid_request_error"

_KNOWN: Final[dict[int, _Known]] = {
    400: ("Invalid request.", _REQUEST, None),
    401: (
        "Incorrect API key provided: harness. You can find your API key at "
        "https://platform.openai.com/account/api-keys.",
        _REQUEST,
        "invalid_api_key",
    ),
    403: (
        "Country, region, or territory not supported",
        "request_forbidden",
        "unsupported_country_region_territory",
    ),
    404: ("The requested resource was not found.", _REQUEST, None),
    408: ("Request timed out.", "timeout", None),
    409: ("The resource was changed by another request. Please try again.", _REQUEST, "conflict"),
    413: ("The request body is too large.", _REQUEST, "request_too_large"),
    429: (
        "Rate limit reached for requests. Visit https://platform.openai.com/account/rate-limits to learn more.",
        "requests",
        "rate_limit_exceeded",
    ),
    500: (
        "The server had an error while processing your request. Sorry about that!",
        "server_error",
        None,
    ),
    503: ("The server is overloaded or not ready yet.", "server_error", None),
    529: ("The server is overloaded or not ready yet.", "server_error", None),
}
"""Message, type and code per status."""

_FAILURES: Final[Mapping[FailureKind, tuple[int, str, str, str | None, str | None]]] = {
    # Recorded: crmne/ruby_llm, chat_real_error_scenarios_openai_gpt-5-nano_handles_context_length_exceeded_errors.
    "context_length": (
        400,
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
        _REQUEST,
        "input",
        "context_length_exceeded",
    ),
    # Text and code recorded in a stream: 0xPlaygrounds/rig. As an answer of its own the status is 429.
    "quota": (
        429,
        "You exceeded your current quota, please check your plan and billing details. For more information on this "
        "error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.",
        "insufficient_quota",
        None,
        "insufficient_quota",
    ),
    # The text of a retired model: https://github.com/orhanerday/open-ai/issues/135. Here an unknown model has
    # status 400 and the parameter (recorded: pydantic-ai, test_inferred_model_name_suggestion).
    "model_retired": (
        400,
        "The model `gpt-4-32k` has been deprecated, learn more here: https://platform.openai.com/docs/deprecations",
        _REQUEST,
        "model",
        "model_not_found",
    ),
    "overloaded": (503, "The server is overloaded or not ready yet.", "server_error", None, None),
}
"""Status, message, type, parameter and code."""

_LIMITS: Final = {
    "x-ratelimit-limit-requests": "500",
    "x-ratelimit-limit-tokens": "30000",
    "x-ratelimit-remaining-requests": "0",
    "x-ratelimit-remaining-tokens": "28000",
    "x-ratelimit-reset-requests": "2s",
    "x-ratelimit-reset-tokens": "4s",
}


def refuse(answered: ProviderAnswer, identity: Identity) -> ErrorAnswer:
    """``Wire.refuse``."""
    kind = answered.kind or _REQUEST
    body = _body(answered.message, kind, answered.param, answered.code)
    return ErrorAnswer(answered.status, _headers(identity, "application/json"), body)


def error(status: int, identity: Identity, *, retry_after: float | None = None) -> ErrorAnswer:
    """``Wire.error``."""
    known = _KNOWN.get(status, _KNOWN[500] if status >= 500 else _KNOWN[400])
    message, kind, code = known
    headers = {**_headers(identity, "application/json"), **retry_headers(retry_after)}
    if status == 429:
        headers |= _LIMITS
    return ErrorAnswer(status, headers, _body(message, kind, None, code))


def failed(kind: FailureKind, identity: Identity, *, retry_after: float | None = None) -> ErrorAnswer:
    """``Wire.failure``."""
    status, message, name, param, code = _FAILURES[kind]
    headers = {**_headers(identity, "application/json"), **retry_headers(retry_after)}
    return ErrorAnswer(status, headers, _body(message, name, param, code))


def response_headers(identity: Identity, *, stream: bool) -> Mapping[str, str]:
    """``Wire.response_headers``."""
    return _headers(identity, "text/event-stream; charset=utf-8" if stream else "application/json")


def _headers(identity: Identity, content_type: str) -> Mapping[str, str]:
    return {
        "content-type": content_type,
        "openai-organization": "harness",
        "openai-processing-ms": "42",
        "openai-project": identity.id("proj_", 24),
        "openai-version": "2020-10-01",
        "x-request-id": identity.id("req_", 32, HEX),
    }


def _body(message: str, kind: str, param: str | None, code: str | None) -> bytes:
    members: dict[str, Any] = {"message": message, "type": kind, "param": param, "code": code}
    return json.dumps({"error": members}, indent=2).encode()
