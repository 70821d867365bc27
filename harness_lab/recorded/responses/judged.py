"""Every recorded response, judged by the strict reader of its wire."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from harness.finding import Finding
from harness.server_rules import ReceivedResponse, judge_response
from harness.wire import NativeWireName, wire
from harness.wire.base import Json
from harness_lab.recorded.reading.servers import MAKERS, Server, ServerResponse, of_corpus
from harness_lab.recorded.recording import Exchange

__all__ = ["JudgedResponse", "judge_responses"]

_OWN_HERE: Final[frozenset[Server]] = frozenset({"deepseek"})
"""Makers that serve a wire of another and document its members as their own: what they send is their provider's own."""


@dataclass(frozen=True, slots=True)
class JudgedResponse:
    """One recorded response with what was found in it. ``own``: the provider that has made the wire has sent it."""

    name: str
    wire: NativeWireName
    server: Server
    status: int
    own: bool
    findings: tuple[Finding, ...]


def judge_responses(exchanges: Iterable[Exchange]) -> Iterator[JudgedResponse]:
    """The responses of a corpus that are in the shape in which they were sent, each judged."""
    for exchange in exchanges:
        request = _request(exchange)
        for recorded in of_corpus([exchange]):
            yield _judged(recorded, request)


def _judged(recorded: ServerResponse, request: Json | None) -> JudgedResponse:
    response = recorded.response
    received = ReceivedResponse(_content_type(recorded), response.body, response.status, request)
    findings = judge_response(recorded.wire, received)
    own = recorded.server == MAKERS.get(recorded.wire, "another") or recorded.server in _OWN_HERE
    return JudgedResponse(recorded.name, recorded.wire, recorded.server, response.status, own, tuple(findings))


def _content_type(recorded: ServerResponse) -> str:
    """The kind of the response: recorders lose headers, but not whether it is a stream."""
    transport = wire(recorded.wire).transport
    return transport.content_type if recorded.response.streamed else "application/json"


def _request(exchange: Exchange) -> Json | None:
    """The body of the request; None where it was not kept, or is no object."""
    try:
        body = json.loads(exchange.request or b"")
    except ValueError:
        return None
    return body if isinstance(body, dict) else None
