"""Recordings of any kind: a corpus, a cassette, the response in a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from harness.wire import NativeWireName, route_of
from harness.wire import wire as wire_named
from harness.wire.aws_events import AWS_EVENTS
from harness.wire.base import Json

_APIS: dict[str, NativeWireName] = {
    "openai-responses": "openai-responses",
    "openai-chat": "openai-chat",
    "anthropic-messages": "anthropic-messages",
    "gemini-generateContent": "gemini-generate",
    "gemini-generate": "gemini-generate",
    "bedrock-converse": "bedrock-converse",
    "bedrock-converse-stream": "bedrock-converse",
}
_METHODS: dict[str, NativeWireName] = {
    "generateContent": "gemini-generate",
    "generateContentStream": "gemini-generate",
}
"""Names of methods, which replace the path in dumps of SDK calls."""

_FRAME = b"\x00"
"""The first byte of every frame of AWS, because its length comes first, which is below 16 MB."""


@dataclass(frozen=True, slots=True)
class RecordedExchange:
    """One recorded request to a provider with its response.

    Header names are lower case; a body is None if the recording has none.

    ``headers`` are the headers of the response. ``url`` is empty if no request was kept, and ``status`` is 200 if the
    recording has none. ``group`` names the loop that a file is a part of, if it is spread over several.
    """

    file: str
    index: int
    provider: str
    api: str
    fidelity: str
    method: str
    url: str
    request: bytes | None
    status: int
    headers: Mapping[str, str]
    response: bytes | None
    request_headers: Mapping[str, str] = field(default_factory=dict)
    group: str = ""

    @property
    def name(self) -> str:
        """The file and the place in it."""
        return f"{self.file}#{self.index}"

    @property
    def streamed(self) -> bool:
        """Whether the response is a stream of events. Recordings that kept no headers show it by their first line."""
        if any(kind in self.headers.get("content-type", "") for kind in ("event-stream", AWS_EVENTS)):
            return True
        body = self.response or b""
        return body.startswith(_FRAME) or body.lstrip().startswith((b"data:", b"event:", b":"))

    @property
    def wire(self) -> NativeWireName | None:
        """The wire of a model request, by its path; None for any other request.

        For a recording without requests, only the collector's word decides; one with requests may contain turns of
        several providers.
        """
        if self.method.upper() != "POST":
            return None
        path = urlsplit(self.url).path.rstrip("/")
        if path in ("", "response-only"):
            return _APIS.get(self.api)
        route = route_of(self.method, self.url)
        return route.wire if route is not None else _METHODS.get(path)

    @property
    def history(self) -> list[Any]:
        """The entries of the request's history, in the provider's own form. Raises ``ValueError`` for no JSON."""
        return native_history(self.wire, json.loads(self.request or b"{}")) if self.wire else []


def native_history(wire: NativeWireName, body: Json) -> list[Any]:
    """The entries of the history in the body of a request; a text is one entry of the user."""
    found = body.get(wire_named(wire).history)
    if isinstance(found, str):
        return [{"role": "user", "content": found}]
    return found if isinstance(found, list) else [found] if isinstance(found, dict) else []


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignRecording:
    """The recording at ``path``: its exchanges in their order. ``unread`` lists the files in it that are no
    recording."""

    path: Path
    exchanges: tuple[RecordedExchange, ...]
    unread: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The file's name without its ending: ``create_twice.gemini``."""
        return self.path.stem
