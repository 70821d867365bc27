"""Error answers: status, headers and body as the API sends them (wire document, section 7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from harness.finding import ProviderAnswer
from harness.wire.error_answer import ErrorAnswer
from harness.wire.failures import FailureKind
from harness.wire.gemini_interactions.ends import CODES
from harness.wire.identity import Identity
from harness.wire.json_text import compact
from harness.wire.retry import retry_headers

JSON: Final = "application/json"
_STREAM: Final = "text/event-stream"

_STATUSES: Final[Mapping[int, tuple[str, str]]] = {
    400: ("invalid_request", "Request contains an invalid argument."),
    401: ("authentication", "Request had invalid authentication credentials."),
    402: ("payment_required", "Payment is required."),
    403: ("permission_denied", "The caller does not have permission."),
    404: ("not_found", "Requested entity was not found."),
    409: ("aborted", "The operation was aborted."),
    429: CODES["rate_limit"][1:],
    499: ("cancelled", "The operation was cancelled."),
    500: CODES["server_error"][1:],
    503: CODES["overloaded"][1:],
    504: ("deadline_exceeded", "The request timed out. Please try again."),
}

_FAILURES: Final[Mapping[FailureKind, tuple[int, str, str]]] = {
    "context_length": CODES["context_length"],
    "quota": (
        429,
        "quota_exceeded",
        "You exceeded your current quota, please check your plan and billing details. For more information on this "
        "error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.",
    ),
    "model_retired": (404, "model_not_found", "The model is not found, or is not supported for interactions."),
    "overloaded": CODES["overloaded"],
}


def refusal(answered: ProviderAnswer, identity: Identity) -> ErrorAnswer:  # noqa: ARG001 - no id is in an error
    """The answer to a request that breaks a rule. ``answered.kind`` is the error's code."""
    kind = answered.kind or _STATUSES.get(answered.status, _STATUSES[400])[0]
    return _error(answered.status, kind, answered.message)


def answer(status: int, identity: Identity, *, retry_after: float | None = None) -> ErrorAnswer:  # noqa: ARG001
    """The provider's answer with this status, or with one of the same class if the provider documents none."""
    kind, message = _STATUSES.get(status) or _STATUSES[400 if status < 500 else 500]
    return _error(status, kind, message, retry_after)


def failure(kind: FailureKind, identity: Identity, *, retry_after: float | None = None) -> ErrorAnswer:  # noqa: ARG001
    """``Wire.failure``."""
    return _error(*_FAILURES[kind], retry_after)


def response_headers(identity: Identity, *, stream: bool) -> dict[str, str]:  # noqa: ARG001 - no header has an id
    """The headers of a successful answer."""
    return {"content-type": _STREAM if stream else JSON}


def _error(status: int, kind: str, message: str, retry_after: float | None = None) -> ErrorAnswer:
    body = compact({"error": {"message": message, "code": kind}}).encode()
    return ErrorAnswer(status, {"content-type": JSON, **retry_headers(retry_after)}, body)
