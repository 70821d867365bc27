"""Google's error answers: status, headers and body as the API sends them (wire document section 6)."""

from __future__ import annotations

import json
from collections.abc import Mapping

from harness.finding import ProviderAnswer
from harness.wire.base import Json
from harness.wire.error_answer import ErrorAnswer
from harness.wire.failures import FailureKind
from harness.wire.identity import Identity
from harness.wire.lenient import objects, string

_JSON = "application/json; charset=UTF-8"

_ANSWERS: dict[int, tuple[str, str]] = {
    400: ("INVALID_ARGUMENT", "Request contains an invalid argument."),
    401: (
        "UNAUTHENTICATED",
        "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid "
        "authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.",
    ),
    403: (
        "PERMISSION_DENIED",
        "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or "
        "other form of API consumer identity to call this API.",
    ),
    404: ("NOT_FOUND", "Requested entity was not found."),
    408: ("DEADLINE_EXCEEDED", "Deadline expired before operation could complete."),
    409: ("ABORTED", "The operation was aborted."),
    429: (
        "RESOURCE_EXHAUSTED",
        "You exceeded your current quota, please check your plan and billing details. For more information on this "
        "error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.",
    ),
    500: (
        "INTERNAL",
        "An internal error has occurred. Please retry or report in "
        "https://developers.generativeai.google/guide/troubleshooting",
    ),
    503: ("UNAVAILABLE", "The model is overloaded. Please try again later."),
    504: ("DEADLINE_EXCEEDED", "The request timed out. Please try again."),
}

_FAILURES: Mapping[FailureKind, tuple[int, str]] = {
    "context_length": (
        400,
        "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
    ),
    # Recorded: crewAI, TestAgentMultimodalGemini.test_mixed_files. The text of a status 429.
    "quota": (429, _ANSWERS[429][1]),
    # A retired name is answered as one that never was: https://github.com/karthink/gptel/issues/667
    "model_retired": (
        404,
        "models/gemini-1.5-pro is not found for API version v1beta, or is not supported for generateContent. Call "
        "ModelService.ListModels to see the list of available models and their supported methods.",
    ),
    # https://github.com/lobehub/lobehub/issues/9728
    "overloaded": (503, _ANSWERS[503][1]),
}

_TOO_LARGE = b"""<!DOCTYPE html>
<html lang=en>
  <meta charset=utf-8>
  <title>Error 413 (Request Entity Too Large)!!1</title>
  <p><b>413.</b> <ins>That's an error.</ins>
  <p>Your client issued a request that is too large. <ins>That's all we know.</ins>
"""

_QUOTA: list[Json] = [
    {
        "@type": "type.googleapis.com/google.rpc.QuotaFailure",
        "violations": [
            {
                "quotaMetric": "generativelanguage.googleapis.com/generate_content_free_tier_requests",
                "quotaId": "GenerateRequestsPerMinutePerProjectPerModel-FreeTier",
                "quotaDimensions": {"location": "global"},
                "quotaValue": "10",
            }
        ],
    },
    {
        "@type": "type.googleapis.com/google.rpc.Help",
        "links": [
            {
                "description": "Learn more about Gemini API quotas",
                "url": "https://ai.google.dev/gemini-api/docs/rate-limits",
            }
        ],
    },
]


def refuse(answered: ProviderAnswer, identity: Identity) -> ErrorAnswer:
    """The answer to a request that breaks a rule."""
    status = answered.kind or _answer(answered.status)[0]
    return _json_answer(identity, {"code": answered.status, "message": answered.message, "status": status})


def error(status: int, identity: Identity, *, retry_after: float | None = None) -> ErrorAnswer:
    """The answer with this HTTP status.

    Google sends no ``retry-after`` header: ``retry_after`` (seconds) goes into the body as ``google.rpc.RetryInfo``.
    A status that Google does not use (529) is answered as the nearest one that it does.
    """
    if status == 413:
        return ErrorAnswer(413, {"content-type": "text/html; charset=UTF-8", **_server(identity)}, _TOO_LARGE)
    return _error_answer(status, _answer(status)[1], identity, retry_after)


def failure(kind: FailureKind, identity: Identity, *, retry_after: float | None = None) -> ErrorAnswer:
    """``Wire.failure``."""
    status, message = _FAILURES[kind]
    return _error_answer(status, message, identity, retry_after)


def _error_answer(status: int, message: str, identity: Identity, retry_after: float | None) -> ErrorAnswer:
    body: Json = {"code": status, "message": message, "status": _answer(status)[0]}
    details = list(_QUOTA) if status == 429 else []
    if retry_after is not None:
        details.append({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": _duration(retry_after)})
    if details:
        body["details"] = details
    return _json_answer(identity, body)


def response_headers(identity: Identity, *, stream: bool) -> dict[str, str]:
    """The headers of a successful answer."""
    if stream:
        return {"content-type": "text/event-stream", "content-disposition": "attachment", **_server(identity)}
    return {"content-type": _JSON, **_server(identity)}


def _answer(status: int) -> tuple[str, str]:
    return _ANSWERS.get(status) or _ANSWERS[503 if status >= 500 else 400]


def _server(identity: Identity) -> dict[str, str]:
    return {
        "vary": "Origin, X-Origin, Referer",
        "server": "scaffolding on HTTPServer2",
        "server-timing": f"gfet4t7; dur={100 + identity.bytes(1)[0]}",
        "x-xss-protection": "0",
        "x-frame-options": "SAMEORIGIN",
        "x-content-type-options": "nosniff",
    }


def _json_answer(identity: Identity, body: Json) -> ErrorAnswer:
    text = json.dumps({"error": body}, indent=2, ensure_ascii=False) + "\n"
    return ErrorAnswer(body["code"], {"content-type": _JSON, **_server(identity)}, text.encode("utf-8", "replace"))


def _duration(seconds: float) -> str:
    """A protobuf duration: whole seconds, or three decimals."""
    return f"{seconds:.0f}s" if seconds == int(seconds) else f"{seconds:.3f}s"


def wait_in(body: Json) -> float | None:
    """Seconds to wait, from ``google.rpc.RetryInfo`` in the body of an error; Google sends no such header."""
    error = body.get("error")
    for detail in objects(error.get("details")) if isinstance(error, dict) else ():
        if string(detail.get("@type")).endswith("google.rpc.RetryInfo"):
            try:
                return float(string(detail.get("retryDelay")).removesuffix("s"))
            except ValueError:
                return None
    return None
