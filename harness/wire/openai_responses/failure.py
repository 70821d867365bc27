"""Errors inside a response that began with status 200: their codes, their words, and which neutral kind they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from harness.wire.turn import ErrorKind, StreamError

__all__ = ["CODES", "context_length_error", "failure_of", "with_message"]

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


def with_message(error: StreamError) -> StreamError:
    """``error`` with the provider's words where the script gave none."""
    return StreamError(error.kind, error.message or _MESSAGES[error.kind])


def failure_of(error: Mapping[str, Any]) -> StreamError:
    """The neutral error of an ``error`` object or event; a code that is not known is the server's own error."""
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
