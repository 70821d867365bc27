"""HTTP/1.1 between bytes and requests: what the socket driver reads, and the framing of what it writes. No I/O.

httptools (the parser of Node, llhttp, in its strict mode) reads requests: it is strict by default and takes a quarter
of the time of h11, which is Python. Responses are framed here, because each planned chunk must be one chunk of HTTP,
and because a response may end in the middle on purpose.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Final

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser

from harness.gateway.encodings import LARGEST_BODY

__all__ = [
    "CONTINUE",
    "LONGEST_HEAD",
    "TUNNEL_OPENED",
    "HttpRequest",
    "NotHttp",
    "RequestReader",
    "chunks_of",
    "end_of",
    "head_of",
]

LONGEST_HEAD: Final = 64 * 1024
"""Bytes of the request line and the headers of one request, counted from the first read that has nothing else."""

CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
TUNNEL_OPENED: Final = b"HTTP/1.1 200 Connection established\r\n\r\n"

_PHRASES: Final = {int(status): status.phrase for status in HTTPStatus}
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_BODILESS: Final = frozenset({204, 304})
_BODY_HEADERS: Final = ("content-length", "transfer-encoding", "expect")


class NotHttp(ValueError):
    """What a client sent is no HTTP request, or one that is too large. ``status`` is the answer: 400, 413 or 431."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request. ``target`` is its second word; names of ``headers`` are in lower case, several lines are one list.

    ``keeps_alive``: the client may send another request on the connection. ``chunked``: it understands chunks, which
    HTTP/1.0 does not.
    """

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes
    keeps_alive: bool = True
    chunked: bool = True


class RequestReader:
    """Reads the requests of one connection from its bytes, however they are cut.

    ``after_tunnel`` has the bytes behind a ``CONNECT``, which belong to another connection.
    """

    def __init__(self) -> None:
        self.after_tunnel = b""
        self._parser = HttpRequestParser(self)
        self._requests: deque[HttpRequest] = deque()
        self._broken: NotHttp | None = None
        self._offer: HttpRequest | None = None
        self._waits_for_100 = False
        self._head_size = 0
        self.on_message_begin()

    def next(self) -> HttpRequest | None:
        """The next request that is complete, None while there is none.

        Raises ``NotHttp`` behind the last good one.
        """
        if self._requests:
            return self._requests.popleft()
        if self._broken is not None:
            raise self._broken
        return None

    def takes_wait_for_100(self) -> bool:
        """Whether the client waits for ``CONTINUE`` before it sends the body of its request. True once."""
        waits, self._waits_for_100 = self._waits_for_100, False
        return waits

    def feed(self, data: bytes) -> None:
        """Take bytes that have arrived."""
        if self._broken is not None:
            return
        if self._in_head:
            self._head_size += len(data)
        try:
            self._parser.feed_data(data)
        except HttpParserUpgrade as stop:
            self._stopped_at_offer(data[stop.args[0] :])
        except HttpParserError as error:
            self._broken = self._broken or NotHttp(400, f"what was sent is no HTTP request: {error}")
        if self._in_head and self._head_size > LONGEST_HEAD:
            self._break(431, f"the request line and the headers are longer than {LONGEST_HEAD:,} bytes")

    def _break(self, status: int, why: str) -> None:
        self._broken = self._broken or NotHttp(status, why)

    def _stopped_at_offer(self, rest: bytes) -> None:
        """Go on behind a request for a tunnel, or one that offers to change the protocol, which is never taken up.

        The parser ends such a request with its head. The body behind an offer is read by another parser, which is given
        what the head says of it (Java's client offers HTTP/2 with each first request).
        """
        if not self._requests:
            return
        if self._requests[-1].method == "CONNECT":
            self.after_tunnel = rest
            return
        self._offer = offer = self._requests.pop()
        named = [f"{name}: {offer.headers[name]}\r\n" for name in _BODY_HEADERS if name in offer.headers]
        self._parser = HttpRequestParser(self)
        self.feed(f"{offer.method} / HTTP/1.1\r\nhost: localhost\r\n{''.join(named)}\r\n".encode("latin-1"))
        self.feed(rest)

    # What the parser calls.

    def on_message_begin(self) -> None:
        """Start a request with nothing read."""
        self._url = b""
        self._headers: dict[str, str] = {}
        self._body: list[bytes] = []
        self._size = 0
        self._in_head = True

    def on_url(self, url: bytes) -> None:
        """Take a piece of the request's target."""
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header; values of one name are joined with commas, and a second host is an error (400)."""
        key, text = name.decode("latin-1").lower(), value.decode("latin-1").strip()
        if key == "host" and key in self._headers:
            self._break(400, "the request names two hosts")
        self._headers[key] = f"{self._headers[key]}, {text}" if key in self._headers else text

    def on_headers_complete(self) -> None:
        """End the head, and note whether the client waits for ``100 Continue``."""
        self._in_head, self._head_size = False, 0
        self._waits_for_100 = self._headers.get("expect", "").lower() == "100-continue"

    def on_body(self, body: bytes) -> None:
        """Take a piece of the body; one that is too large is an error (413)."""
        self._size += len(body)
        if self._size > LARGEST_BODY:
            self._break(413, f"the request body is larger than {LARGEST_BODY:,} bytes")
        else:
            self._body.append(body)

    def on_message_complete(self) -> None:
        """Queue the request, unless an error was found in it."""
        self._in_head, self._waits_for_100 = True, False
        request = self._request() if self._offer is None else replace(self._offer, body=b"".join(self._body))
        self._offer = None
        if request.chunked and "host" not in request.headers:
            self._break(400, "the request has no header Host")
        if self._broken is None:
            self._requests.append(request)

    def _request(self) -> HttpRequest:
        method = self._parser.get_method().decode("ascii")
        chunked = self._parser.get_http_version() == "1.1"
        keeps_alive = chunked and method != "CONNECT" and self._parser.should_keep_alive()
        return HttpRequest(
            method, self._url.decode("latin-1"), self._headers, b"".join(self._body), keeps_alive, chunked
        )


def head_of(status: int, headers: Mapping[str, str], request: HttpRequest) -> bytes:
    """The head of the answer to ``request``; its body follows in chunks, or ends with the connection.

    ``headers`` say nothing of framing. Control characters in them, which a cassette may have, become spaces.
    """
    lines = [f"HTTP/1.1 {status} {_PHRASES.get(status, '')}"]
    lines += [f"{_CONTROLS.sub(' ', name)}: {_CONTROLS.sub(' ', value)}" for name, value in headers.items()]
    if request.chunked and status not in _BODILESS:
        lines.append("transfer-encoding: chunked")
    if not request.keeps_alive and "connection" not in headers:
        lines.append("connection: close")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")


def chunks_of(pieces: Iterable[bytes], status: int, request: HttpRequest) -> list[bytes]:
    """The pieces of a body as the client of ``request`` reads them: each a chunk, or as they are, or not at all."""
    if _is_bodiless(status, request):
        return []
    if not request.chunked:
        return list(pieces)
    return [b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces if piece]


def end_of(status: int, request: HttpRequest) -> bytes:
    """What completes a body."""
    return b"0\r\n\r\n" if request.chunked and not _is_bodiless(status, request) else b""


def _is_bodiless(status: int, request: HttpRequest) -> bool:
    return request.method == "HEAD" or status in _BODILESS
