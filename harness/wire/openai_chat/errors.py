"""Error answers and in-stream errors as the OpenAI API sends them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from harness.finding import ProviderAnswer
from harness.wire.base import Json
from harness.wire.error_answer import ErrorAnswer
from harness.wire.failures import FailureKind
from harness.wire.identity import ALPHANUMERIC, HEX, Identity
from harness.wire.retry import retry_headers
from harness.wire.turn import ErrorKind, StreamError

_SERVER_ERROR = "The server had an error while processing your request. Sorry about that!"
_OVERLOADED = "The server is overloaded or not ready yet."
_RATE_LIMIT = (
    "Rate limit reached for requests. Limit: 500 / min. Please try again shortly. "
    "Visit https://platform.openai.com/account/rate-limits to learn more."
)
_CONTEXT = (
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens. "
    "Please reduce the length of the messages."
)

_HTTP: dict[int, tuple[str, str, str | None]] = {
    400: ("We could not process your request.", "invalid_request_error", None),
    401: (
        "Incorrect API key provided: harness. You can find your API key at "
        "https://platform.openai.com/account/api-keys.",
        "invalid_request_error",
        "invalid_api_key",
    ),
    403: (
        "Country, region, or territory not supported",
        "request_forbidden",
        "unsupported_country_region_territory",
    ),
    404: ("The requested resource does not exist.", "invalid_request_error", None),
    408: ("Request timed out.", "timeout", None),
    409: ("Another request is being processed. Please try again.", "invalid_request_error", "conflict"),
    413: ("Request body is too large.", "invalid_request_error", None),
    429: (_RATE_LIMIT, "requests", "rate_limit_exceeded"),
    500: (_SERVER_ERROR, "server_error", None),
    503: (_OVERLOADED, "server_error", None),
    529: (_OVERLOADED, "server_error", None),
}
"""Message, type and code by status. Texts of 401, 429, 500 and 503: openai-responses wire document, section 6."""

_IN_STREAM: dict[ErrorKind, tuple[str, str, str | None]] = {
    "overloaded": (_OVERLOADED, "service_unavailable_error", "server_is_overloaded"),
    "server_error": (_SERVER_ERROR, "server_error", None),
    "rate_limit": (_RATE_LIMIT, "requests", "rate_limit_exceeded"),
    "context_length": (_CONTEXT, "invalid_request_error", "context_length_exceeded"),
}

STATUS_OF: Mapping[ErrorKind, int] = {
    "overloaded": 503,
    "server_error": 500,
    "rate_limit": 429,
    "context_length": 400,
}
"""The HTTP status for the kind of an in-stream error."""

_FAILURES: Mapping[FailureKind, tuple[int, Json]] = {
    # https://github.com/crewAIInc/crewAI-examples/issues/121
    "context_length": (
        400,
        {"message": _CONTEXT, "type": "invalid_request_error", "param": "messages", "code": "context_length_exceeded"},
    ),
    # Text and code recorded on Responses: 0xPlaygrounds/rig. The status is 429, which the SDKs ask again at.
    "quota": (
        429,
        {
            "message": "You exceeded your current quota, please check your plan and billing details. For more "
            "information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.",
            "type": "insufficient_quota",
            "param": None,
            "code": "insufficient_quota",
        },
    ),
    # https://github.com/orhanerday/open-ai/issues/135; status 404: https://github.com/langflow-ai/langflow/issues/1337
    "model_retired": (
        404,
        {
            "message": "The model `gpt-4-32k` has been deprecated, learn more here: "
            "https://platform.openai.com/docs/deprecations",
            "type": "invalid_request_error",
            "param": None,
            "code": "model_not_found",
        },
    ),
    "overloaded": (503, {"message": _OVERLOADED, "type": "server_error", "param": None, "code": None}),
}

_KINDS: dict[Any, ErrorKind] = {
    "context_length_exceeded": "context_length",
    "rate_limit_exceeded": "rate_limit",
    429: "rate_limit",
    "server_is_overloaded": "overloaded",
    503: "overloaded",
    529: "overloaded",
}
"""The kind of error for each code; compatible servers send the HTTP status as an integer code."""


def stream_error(error: StreamError) -> Json:
    """The object of ``error`` in a stream."""
    message, kind, code = _IN_STREAM[error.kind]
    return {"message": error.message or message, "type": kind, "param": None, "code": code}


def read_stream_error(error: Any) -> StreamError:
    """Read the ``error`` of a chunk: an object, or only a text as some servers send it."""
    if not isinstance(error, dict):
        return StreamError("server_error", str(error))
    code = error.get("code")
    kind: ErrorKind = _KINDS.get(code, "server_error") if isinstance(code, str | int) else "server_error"
    return StreamError(kind, str(error.get("message") or ""))


def refusal_answer(answered: ProviderAnswer, identity: Identity) -> ErrorAnswer:
    """The answer to a request that breaks a rule."""
    kind = answered.kind or "invalid_request_error"
    error = {"message": answered.message, "type": kind, "param": answered.param, "code": answered.code}
    return _answer(answered.status, error, identity, {})


def error_answer(status: int, identity: Identity, *, retry_after: float | None = None) -> ErrorAnswer:
    """The answer with this status."""
    known = _HTTP.get(status) or (_HTTP[500] if status >= 500 else _HTTP[400])
    error = {"message": known[0], "type": known[1], "param": None, "code": known[2]}
    return _answer(status, error, identity, retry_headers(retry_after))


def failure_answer(kind: FailureKind, identity: Identity, *, retry_after: float | None = None) -> ErrorAnswer:
    """``Wire.failure``."""
    status, error = _FAILURES[kind]
    return _answer(status, error, identity, retry_headers(retry_after))


def response_headers(identity: Identity, *, stream: bool) -> dict[str, str]:
    """The headers of a successful answer."""
    return _headers(identity, "text/event-stream; charset=utf-8" if stream else "application/json")


def _headers(identity: Identity, content_type: str) -> dict[str, str]:
    """The headers that every answer of the API carries."""
    return {
        "content-type": content_type,
        "x-request-id": identity.id("req_", 32, HEX),
        "openai-organization": identity.id("org-", 24, ALPHANUMERIC),
        "openai-processing-ms": "173",
        "openai-project": identity.id("proj_", 24, ALPHANUMERIC),
        "openai-version": "2020-10-01",
    }


def _answer(status: int, error: Json, identity: Identity, extra: Mapping[str, str]) -> ErrorAnswer:
    body = json.dumps({"error": error}, indent=2).encode()
    return ErrorAnswer(status, {**_headers(identity, "application/json"), **extra}, body)
