"""Error bodies, as whole answers and as events inside a stream (wire document, section 6)."""

from __future__ import annotations

from collections.abc import Mapping

from harness.finding import ProviderAnswer
from harness.wire.base import Json
from harness.wire.error_answer import ErrorAnswer
from harness.wire.failures import FailureKind
from harness.wire.identity import ALPHANUMERIC, Identity
from harness.wire.json_text import compact
from harness.wire.retry import retry_headers
from harness.wire.turn import ErrorKind, StreamError

EVENT_STREAM = "text/event-stream; charset=utf-8"
JSON = "application/json"

_STATUSES: Mapping[int, tuple[str, str]] = {
    400: ("invalid_request_error", "messages: Input should be a valid list"),
    401: ("authentication_error", "invalid x-api-key"),
    402: ("billing_error", "Your credit balance is too low to access the Anthropic API."),
    403: ("permission_error", "Your API key does not have permission to use the specified resource."),
    404: ("not_found_error", "model: claude-unknown"),
    408: ("timeout_error", "Request timed out"),
    409: ("invalid_request_error", "Conflict"),
    413: ("request_too_large", "Request exceeds the maximum size"),
    429: (
        "rate_limit_error",
        "This request would exceed your organization's rate limit of 30,000 input tokens per minute.",
    ),
    500: ("api_error", "Internal server error"),
    503: ("api_error", "Service unavailable"),
    504: ("timeout_error", "Gateway timeout"),
    529: ("overloaded_error", "Overloaded"),
}

_KINDS: Mapping[ErrorKind, tuple[str, str]] = {
    "overloaded": ("overloaded_error", "Overloaded"),
    "server_error": ("api_error", "Internal server error"),
    "rate_limit": ("rate_limit_error", _STATUSES[429][1]),
    "context_length": ("invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum"),
}

_FAILURES: Mapping[FailureKind, tuple[int, str, str]] = {
    # Recorded: crmne/ruby_llm, chat_real_error_scenarios_anthropic_claude-haiku-4-5_handles_context_length_exceeded.
    "context_length": (400, *_KINDS["context_length"]),
    # Status 400, and no type of its own: https://github.com/anthropics/claude-code/issues/66314
    "quota": (
        400,
        "invalid_request_error",
        "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or "
        "purchase credits.",
    ),
    # Recorded of a name that nobody has: pydantic-ai, test_model_name_suggestion[anthropic]. A retired one is the same.
    "model_retired": (404, "not_found_error", "model: claude-3-opus-20240229"),
    # https://github.com/anthropics/claude-code/issues/5184
    "overloaded": (529, *_KINDS["overloaded"]),
}

_NEUTRAL: Mapping[str, ErrorKind] = {kind: name for name, (kind, _) in _KINDS.items()}


def request_id(identity: Identity) -> str:
    """A fresh ``req_...``, as in the header ``request-id`` and in error bodies."""
    return identity.id("req_011C", 20, ALPHANUMERIC)


def error_body(kind: str, message: str, request: str, code: str | None = None) -> Json:
    """The provider's error document. ``code``, if there is one, names the cause in ``error.details``."""
    error: Json = {"type": kind, "message": message}
    if code is not None:
        error["details"] = {"error_code": code}
    return {"type": "error", "error": error, "request_id": request}


def stream_error_body(error: StreamError, identity: Identity) -> Json:
    """The data of the ``error`` event for ``error``."""
    kind, message = _KINDS[error.kind]
    return error_body(kind, error.message or message, request_id(identity))


def stream_error(body: Json) -> StreamError:
    """The neutral form of an ``error`` document; an unknown type counts as a server error."""
    error = body.get("error")
    if not isinstance(error, dict):
        return StreamError("server_error", "")
    return StreamError(_NEUTRAL.get(str(error.get("type")), "server_error"), str(error.get("message", "")))


def error_headers(request: str, retry_after: float | None = None) -> dict[str, str]:
    """The headers of an error answer; ``retry_after`` is in seconds."""
    return {"content-type": "application/json", "request-id": request, **retry_headers(retry_after)}


def refusal(answered: ProviderAnswer, identity: Identity) -> ErrorAnswer:
    """The answer to a request that breaks a rule. ``answered.kind`` is the error type, ``code`` its error code."""
    kind = answered.kind or _STATUSES.get(answered.status, _STATUSES[400])[0]
    return _error(answered.status, kind, answered.message, identity, code=answered.code)


def answer(status: int, identity: Identity, *, retry_after: float | None = None) -> ErrorAnswer:
    """The provider's answer with this status, or with one of the same class if the provider documents none."""
    kind, message = _STATUSES.get(status) or _STATUSES[400 if status < 500 else 500]
    return _error(status, kind, message, identity, retry_after=retry_after)


def failure(kind: FailureKind, identity: Identity, *, retry_after: float | None = None) -> ErrorAnswer:
    """``Wire.failure``."""
    status, name, message = _FAILURES[kind]
    return _error(status, name, message, identity, retry_after=retry_after)


def response_headers(identity: Identity, *, stream: bool) -> dict[str, str]:
    """The headers of a successful answer."""
    kind = {"content-type": EVENT_STREAM, "cache-control": "no-cache"} if stream else {"content-type": JSON}
    return {**kind, "request-id": request_id(identity)}


def _error(
    status: int,
    kind: str,
    message: str,
    identity: Identity,
    *,
    code: str | None = None,
    retry_after: float | None = None,
) -> ErrorAnswer:
    request = request_id(identity)
    body = compact(error_body(kind, message, request, code)).encode()
    return ErrorAnswer(status, error_headers(request, retry_after), body)
