"""Errors inside a response that began with status 200: their codes, texts and neutral kinds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from harness.wire.turn import ErrorKind, StreamError

CODES: Final[dict[ErrorKind, str]] = {
    "overloaded": "server_is_overloaded",
    "server_error": "server_error",
    "rate_limit": "rate_limit_exceeded",
    "context_length": "context_length_exceeded",
}

_MESSAGES: Final[dict[ErrorKind, str]] = {
    "overloaded": "Our servers are currently overloaded. Please try again later.",
    "server_error": "The server had an error while processing your request. Sorry about that!",
    "rate_limit": "Rate limit reached for requests. Please try again in 2s.",
    "context_length": "Your input exceeds the context window of this model. Please adjust your input and try again.",
}

_KINDS: Final[dict[str, ErrorKind]] = {
    **{code: kind for kind, code in CODES.items()},
    "slow_down": "overloaded",
    "insufficient_quota": "rate_limit",
}


_STATUSES: Final[Mapping[str, tuple[int, str]]] = {
    "server_is_overloaded": (503, "server_error"),
    "slow_down": (503, "server_error"),
    "rate_limit_exceeded": (429, "requests"),
    "insufficient_quota": (429, "insufficient_quota"),
    "context_length_exceeded": (400, "invalid_request_error"),
}
"""The status and the type of an error with this code outside a stream (``errors.py``)."""


def status_and_type(code: object) -> tuple[int, str]:
    """The status and the type of an error with this ``code``; an unknown code counts as the server's own error."""
    return _STATUSES.get(str(code), (500, "server_error"))


def with_message(error: StreamError) -> StreamError:
    """``error``, with the provider's words if the script has none."""
    return StreamError(error.kind, error.message or _MESSAGES[error.kind])


def failure_of(error: Mapping[str, Any]) -> StreamError:
    """The neutral error of an ``error`` object or event; an unknown code counts as the server's own error."""
    return StreamError(_KINDS.get(error.get("code") or "", "server_error"), error.get("message") or "")


def context_length_error(message: str) -> dict[str, Any]:
    """The nested error object that production sends before ``response.failed`` when the input is too long.

    Source: https://github.com/maximhq/bifrost/issues/4413
    """
    return {
        "type": "invalid_request_error",
        "code": CODES["context_length"],
        "message": message,
        "param": "input",
    }
