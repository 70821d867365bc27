"""Decides which recorded refusals are about the history of a request, by the endpoint's words, not by our rules."""

from __future__ import annotations

import json
import re

from harness.cassette.recordings.recording import RecordedExchange
from harness.lint import message_of

_STATUSES = frozenset([400, 404, 422])
_HISTORY = re.compile(
    r"'?\b(?:messages|input|contents)\b'?[.\[:']|previous.response|following item|valid role|thought.?signature"
    r"|thinking block|reasoning_content|(?:tool|function)[ _](?:call|output|use|result|response)",
    re.IGNORECASE,
)
_PARAM = re.compile(r"(?:messages|input|contents|previous_response_id)\b")
_ASIDE = re.compile(
    r"context (?:length|window|size)|too long|file type|fetch content"
    r"|`tool calling` is not supported|does not support '(?:developer|system)'|tool.?choice"
    r"|tool call validation failed|did not call a tool",
    re.IGNORECASE,
)
"""Words of other refusals: a prompt that is too long, the content of a file, a model's abilities, a model's own
mistakes."""


def is_about_history(exchange: RecordedExchange) -> bool:
    """Whether an endpoint refused a request for its history: entries, their order, what they name."""
    if exchange.status not in _STATUSES:
        return False
    message = message_of(exchange.response)
    return not _ASIDE.search(message) and bool(_HISTORY.search(message) or _PARAM.match(_param(exchange.response)))


def _param(body: bytes | None) -> str:
    try:
        error = json.loads(body or b"")["error"]
        return str(error.get("param") or "")
    except (ValueError, TypeError, LookupError, AttributeError):
        return ""
