"""Errors, as whole answers and as frames inside a stream."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from harness.finding import ProviderAnswer
from harness.wire.base import Json
from harness.wire.bedrock_converse.stream import EVENT_STREAM
from harness.wire.error_answer import ErrorAnswer
from harness.wire.failures import FailureKind
from harness.wire.identity import HEX, Identity
from harness.wire.json_text import compact
from harness.wire.lenient import string
from harness.wire.retry import retry_headers
from harness.wire.turn import ErrorKind, StreamError

JSON: Final = "application/json"

_STATUSES: Final[Mapping[int, tuple[str, str]]] = {
    400: ("ValidationException", "The provided request is not valid."),
    403: ("AccessDeniedException", "You don't have access to the model with the specified model ID."),
    404: (
        "ResourceNotFoundException",
        "This model version has reached the end of its life. Please refer to the AWS documentation for more details.",
    ),
    408: ("ModelTimeoutException", "The model took too long to process the request."),
    424: ("ModelErrorException", "The request failed due to an error while processing the model."),
    429: ("ThrottlingException", "Too many tokens, please wait before trying again."),
    500: (
        "InternalServerException",
        "The system encountered an unexpected error during processing. Try your request again.",
    ),
    503: ("ServiceUnavailableException", "Bedrock is unable to process your request."),
}

STATUS_OF: Final[Mapping[ErrorKind, int]] = {
    "overloaded": 503,
    "server_error": 500,
    "rate_limit": 429,
    "context_length": 400,
}

_TOO_LONG: Final = "Input is too long for requested model."

_EXCEPTIONS: Final[Mapping[ErrorKind, str]] = {
    "overloaded": "serviceUnavailableException",
    "server_error": "internalServerException",
    "rate_limit": "throttlingException",
    "context_length": "validationException",
}
"""The names of exceptions. They begin with a small letter in a stream, with a capital in an error's header."""

_NEUTRAL: Final[Mapping[str, ErrorKind]] = {name: kind for kind, name in _EXCEPTIONS.items()}


_FAILURES: Final[Mapping[FailureKind, tuple[int, str, str]]] = {
    # https://github.com/aws-samples/assessment-generator/issues/2
    "context_length": (400, "ValidationException", _TOO_LONG),
    # https://github.com/minorun365/agent-book/issues/29
    "quota": (429, "ThrottlingException", "Too many tokens per day, please wait before trying again."),
    # https://github.com/griptape-ai/griptape-nodes-engine/issues/4498
    "model_retired": (404, *_STATUSES[404]),
    "overloaded": (503, *_STATUSES[503]),
}


def exception_of(error: StreamError) -> tuple[str, str]:
    """The name and the text of the exception for ``error`` in a stream."""
    return _EXCEPTIONS[error.kind], error.message or _text_of(error.kind)


def error_of(name: str, payload: Json) -> StreamError:
    """The neutral form of an exception in a stream; an unknown one counts as a server error."""
    return StreamError(_NEUTRAL.get(name, "server_error"), string(payload.get("message")))


def _text_of(kind: ErrorKind) -> str:
    return _TOO_LONG if kind == "context_length" else _STATUSES[STATUS_OF[kind]][1]


_KIND_BY_TEXT: Final[Mapping[str, ErrorKind]] = {_text_of(kind): kind for kind in _EXCEPTIONS}


def message_of(document: Json) -> StreamError | None:
    """The error in an error document, whose type is only in a header; None for any other document.

    Answers of the gateway in front of the service spell the member ``Message``.
    """
    text = document.get("message", document.get("Message"))
    if not isinstance(text, str) or "output" in document:
        return None
    return StreamError(_KIND_BY_TEXT.get(text, "server_error"), text)


def refusal(answered: ProviderAnswer, identity: Identity) -> ErrorAnswer:
    """The answer to a request that breaks a rule. ``answered.kind`` is the exception's name."""
    kind = answered.kind or _STATUSES.get(answered.status, _STATUSES[400])[0]
    return _error(answered.status, kind, answered.message, identity)


def answer(status: int, identity: Identity, *, retry_after: float | None = None) -> ErrorAnswer:
    """The provider's answer with this status, or with one of the same class if the provider documents none."""
    kind, message = _STATUSES.get(status) or _STATUSES[400 if status < 500 else 500]
    return _error(status, kind, message, identity, retry_after)


def failure(kind: FailureKind, identity: Identity, *, retry_after: float | None = None) -> ErrorAnswer:
    """``Wire.failure``."""
    status, name, message = _FAILURES[kind]
    return _error(status, name, message, identity, retry_after)


def response_headers(identity: Identity, *, stream: bool) -> dict[str, str]:
    """The headers of a successful answer."""
    return {"content-type": EVENT_STREAM.content_type if stream else JSON, "x-amzn-requestid": _request_id(identity)}


def _error(status: int, kind: str, message: str, identity: Identity, retry_after: float | None = None) -> ErrorAnswer:
    headers = {
        "content-type": JSON,
        "x-amzn-requestid": _request_id(identity),
        "x-amzn-errortype": f"{kind}:http://internal.amazon.com/coral/com.amazon.bedrock/",
        **retry_headers(retry_after),
    }
    return ErrorAnswer(status, headers, compact({"message": message}).encode())


def _request_id(identity: Identity) -> str:
    text = identity.id("", 32, HEX)
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
