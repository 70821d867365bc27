"""Every recorded response, judged by the strict reader of its wire."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from harness.cassette.recordings.recording import RecordedExchange
from harness.finding import Finding
from harness.servers.rules import ReceivedResponse, judge_response
from harness.wire import NativeWireName, wire
from harness.wire.base import Json
from harness.wire.sse import SSE
from harness_lab.recorded.reading.servers import MAKERS, Server, ServerResponse, of_corpus

_OWN_HERE: Final[frozenset[Server]] = frozenset({"deepseek"})
"""Makers that serve another's wire and document its members as their own: their answers count as a provider's own."""

TRIMMED: Final[Mapping[str, str]] = {
    "incomplete_partial_json_response.txt": "written for a test of Anthropic's SDKs",
    "streaming-failure-recitation-no-content.txt": "a mock of Firebase",
    "openai-phase.1.chunks.txt": "deltas were taken out: sequence numbers jump, and the text that is done is longer",
    "openai-shell-container.1.chunks.txt": "deltas were taken out: the text that is done is longer",
    "openai-custom-tool.1.chunks.txt": "sequence numbers and the events between deltas and the end were taken out",
}
"""Files of the corpora that differ from what a server has sent, by the ends of their names, and what shows it."""


@dataclass(frozen=True, slots=True)
class JudgedResponse:
    """One recorded response with its findings. ``own``: the server belongs to the provider that has made the wire."""

    name: str
    wire: NativeWireName
    server: Server
    status: int
    own: bool
    findings: tuple[Finding, ...]


def judge_responses(exchanges: Iterable[RecordedExchange]) -> Iterator[JudgedResponse]:
    """The responses of a corpus in the shape in which they were sent, each judged."""
    for exchange in exchanges:
        if exchange.file.endswith(tuple(TRIMMED)):
            continue
        request = _request(exchange)
        for recorded in of_corpus([exchange]):
            content_type, body = _as_framed(exchange, recorded)
            received = ReceivedResponse(content_type, body, recorded.response.status, request)
            yield _judged(recorded, received)


def _judged(recorded: ServerResponse, received: ReceivedResponse) -> JudgedResponse:
    findings = judge_response(recorded.wire, received)
    own = recorded.server == MAKERS.get(recorded.wire, "another") or recorded.server in _OWN_HERE
    return JudgedResponse(recorded.name, recorded.wire, recorded.server, received.status, own, tuple(findings))


def _as_framed(exchange: RecordedExchange, recorded: ServerResponse) -> tuple[str, bytes]:
    """Content type and body of a response. Recorders lose headers, but not whether it is a stream.

    If a wire's frames are not server-sent events, they are passed as they were recorded.
    """
    transport, body = wire(recorded.wire).transport, exchange.response or b""
    is_framed = transport.is_stream(exchange.headers.get("content-type", "")) or body.startswith(b"\x00")
    if transport is not SSE and is_framed:
        return transport.content_type, body
    return SSE.content_type if recorded.response.streamed else "application/json", recorded.response.body


def _request(exchange: RecordedExchange) -> Json | None:
    """The body of the request; None if it was not kept, or is no object."""
    try:
        body = json.loads(exchange.request or b"")
    except ValueError:
        return None
    return body if isinstance(body, dict) else None
