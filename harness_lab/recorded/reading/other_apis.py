"""Recorded requests to models in formats of no wire: the format, by the path."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal
from urllib.parse import urlsplit

from harness.cassette.recordings.recording import RecordedExchange
from harness.wire import aside_of

OtherApi = Literal["Bedrock, another maker", "Ollama's own", "Realtime", "compaction"]

OTHER_APIS: Mapping[OtherApi, str] = {
    "Bedrock, another maker": "a model request through InvokeModel in a format that is not Anthropic's",
    "Ollama's own": "a model request in Ollama's own format (/api/chat), which no wire speaks",
    "Realtime": "a session of OpenAI's Realtime API, which no wire speaks",
    "compaction": "a request to compact a history, whose answer is no turn of a model; its history is judged",
}
"""Every such format, with its description."""

_PATHS: Final[Mapping[OtherApi, re.Pattern[str]]] = {
    "Bedrock, another maker": re.compile(r".*/model/[^/]+/invoke(-with-response-stream)?"),
    "Ollama's own": re.compile(r".*/api/(chat|generate)"),
    "Realtime": re.compile(r".*/realtime(/.*)?"),
}
_APIS: Final[Mapping[str, OtherApi]] = {"ollama-chat": "Ollama's own"}
"""The collectors' names of these formats, for recordings without a request."""


def other_api(exchange: RecordedExchange) -> OtherApi | None:
    """The format of a request to a model in no wire's format; None for a request to anything else."""
    if exchange.method.upper() != "POST":
        return None
    if aside_of(exchange.method, exchange.url) is not None:
        return "compaction"
    path = urlsplit(exchange.url).path.rstrip("/")
    if path in ("", "response-only"):
        return _APIS.get(exchange.api)
    return next((name for name, pattern in _PATHS.items() if pattern.fullmatch(path)), None)
