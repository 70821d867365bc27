"""Parses HTTP/1.1 requests from the bytes of a connection. No I/O.

The parser is httptools (llhttp, the parser of Node): it is strict by default and takes a quarter of the time of h11,
which is Python. This module refuses what httptools accepts against RFC 9112.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from functools import lru_cache
from typing import Final, Literal

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser

from harness.endpoint.encodings import LARGEST_BODY
from harness.endpoint.http_messages import HttpRequest, NotHttp

LONGEST_HEAD: Final = 64 * 1024
"""Most bytes of the request line and the headers of one request. The framing between two pieces of a body (sizes of
chunks, trailers) has the same limit."""

Awaited = Literal["request", "head", "body"]
"""What a connection waits for: the first byte of a request, the rest of its head, the rest of its body."""

_VERSIONS: Final = ("1.0", "1.1")
_BODY_HEADERS: Final = ("content-length", "transfer-encoding", "expect")
_TLS_HELLO: Final = b"\x16\x03"
_HTTP2: Final = b"PRI * HTTP/2"


class RequestReader:
    """Parses the requests of one connection from its bytes, however these are split.

    ``after_tunnel`` has the bytes after a ``CONNECT``, which belong to another connection. ``awaited`` is the part of a
    request that is incomplete.
    """

    def __init__(self) -> None:
        self.after_tunnel = b""
        self.awaited: Awaited = "request"
        self._parser = HttpRequestParser(self)
        self._requests: deque[HttpRequest] = deque()
        self._broken: NotHttp | None = None
        self._offer: HttpRequest | None = None
        self._waits_for_100 = False
        self._unframed = 0
        self._start = b""
        self._begin()

    def next(self) -> HttpRequest | None:
        """The next complete request; None if there is none yet.

        Raises ``NotHttp`` after the last good request.
        """
        if self._requests:
            return self._requests.popleft()
        if self._broken is not None:
            raise self._broken
        return None

    def takes_wait_for_100(self) -> bool:
        """Whether the client waits for ``CONTINUE`` before it sends the body of its request. True only once."""
        waits, self._waits_for_100 = self._waits_for_100, False
        return waits and self._broken is None

    def feed(self, data: bytes) -> None:
        """Take bytes that have arrived."""
        if self._broken is not None:
            return
        if self.awaited == "request":
            self._start = b""
        if len(self._start) < len(_HTTP2):
            self._start += data[: len(_HTTP2)]
        self._unframed += len(data)
        try:
            self._parser.feed_data(data)
        except HttpParserUpgrade as stop:
            self._stopped_at_offer(data[stop.args[0] :])
        except HttpParserError as error:
            self._break(400, _why_unreadable(self._start, error))
        if self._unframed > LONGEST_HEAD:
            what = "the request line and the headers are" if self.awaited != "body" else "what frames the body is"
            self._break(431, f"{what} longer than {LONGEST_HEAD:,} bytes")

    def ended(self) -> None:
        """Note that the client sends nothing more: a request that it has begun is an error (400)."""
        if self.awaited != "request":
            self._break(400, f"the connection ended inside the {self.awaited} of a request")

    def late(self, seconds: float) -> NotHttp:
        """The error (408) for a client that has not sent the awaited part within ``seconds``."""
        return NotHttp(408, f"the {self.awaited} of the request did not arrive within {seconds:g} s")

    def _break(self, status: int, why: str) -> None:
        if self._broken is None:
            bodiless = bool(self._url) and self._parser.get_method() == b"HEAD"  # of this request, and not the last
            self._broken = NotHttp(status, why, bodiless=bodiless)

    def _stopped_at_offer(self, rest: bytes) -> None:
        """Continue after a request for a tunnel, or after an offer to change the protocol, which is never accepted.

        The parser ends such a request after its head. Another parser reads the body after an offer, and gets the
        headers that frame it (Java's client offers HTTP/2 with each first request).
        """
        if not self._requests or self._broken is not None:
            return
        if self._requests[-1].method == "CONNECT":
            self.after_tunnel = rest
            return
        self._offer = offer = self._requests.pop()
        named = [f"{name}: {offer.headers[name]}\r\n" for name in _BODY_HEADERS if name in offer.headers]
        self._parser = HttpRequestParser(self)
        self.feed(f"{offer.method} / HTTP/1.1\r\nhost: localhost\r\n{''.join(named)}\r\n".encode("latin-1"))
        self.feed(rest)

    def _begin(self) -> None:
        self._url = b""
        self._headers: dict[str, str] = {}
        self._body = bytearray()

    # Callbacks of the parser.

    def on_message_begin(self) -> None:
        """Start a request with nothing read."""
        self._begin()
        self.awaited = "head"

    def on_url(self, url: bytes) -> None:
        """Take a piece of the request's target."""
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header; values of one name are joined with commas, and a second host is an error (400).

        Trailers (after the last chunk of a body) are dropped: they must not act as headers.
        """
        if self.awaited == "body":
            return
        key, text = _name_of(name), value.decode("latin-1").strip()
        if key not in self._headers:
            self._headers[key] = text
            return
        if key == "host":
            self._break(400, "the request names two hosts")
        self._headers[key] = f"{self._headers[key]}, {text}"

    def on_headers_complete(self) -> None:
        """End the head, and refuse framing headers that cannot be obeyed."""
        self._unframed = 0
        self._check_head()
        self._waits_for_100 = self._headers.get("expect", "").lower() == "100-continue"
        self.awaited = "body"

    def _check_head(self) -> None:
        version, headers = self._parser.get_http_version(), self._headers
        coding, expect = headers.get("transfer-encoding", "chunked").lower(), headers.get("expect", "")
        if len(self._url) + sum(map(len, headers)) + sum(map(len, headers.values())) > LONGEST_HEAD:
            self._break(431, f"the request line and the headers are longer than {LONGEST_HEAD:,} bytes")
        elif version not in _VERSIONS:
            self._break(505, f"HTTP/{version} is not spoken here; send the request as HTTP/1.1")
        elif version == "1.0" and "transfer-encoding" in headers:
            self._break(400, "HTTP/1.0 has no Transfer-Encoding")
        elif version == "1.1" and "host" not in headers:
            self._break(400, "the request has no header Host")
        elif coding != "chunked":
            self._break(501, f"Transfer-Encoding {coding!r} is not supported; send chunked, or a Content-Length")
        elif expect and expect.lower() != "100-continue" and version == "1.1":
            self._break(417, f"the expectation {expect!r} cannot be met; only 100-continue can")
        elif int(headers.get("content-length") or 0) > LARGEST_BODY:
            self._break(413, _TOO_LARGE)

    def on_body(self, body: bytes) -> None:
        """Take a piece of the body; one that is too large is an error (413)."""
        self._unframed = 0
        if len(self._body) + len(body) > LARGEST_BODY:
            self._break(413, _TOO_LARGE)
        elif self._broken is None:
            self._body += body

    def on_message_complete(self) -> None:
        """Queue the request, unless an error was found in it."""
        self._unframed, self._waits_for_100 = 0, False
        if self._broken is not None:
            return
        request = self._request() if self._offer is None else replace(self._offer, body=bytes(self._body))
        self._offer = None
        self._requests.append(request)
        self._begin()
        self.awaited = "request"

    def _request(self) -> HttpRequest:
        method = self._parser.get_method().decode("ascii")
        chunked = self._parser.get_http_version() == "1.1"
        keeps_alive = chunked and method != "CONNECT" and self._parser.should_keep_alive()
        return HttpRequest(method, self._url.decode("latin-1"), self._headers, bytes(self._body), keeps_alive, chunked)


@lru_cache(maxsize=256)
def _name_of(header: bytes) -> str:
    """The name of a header in lower case; clients have few."""
    return header.decode("latin-1").lower()


_TOO_LARGE: Final = f"the request body is larger than {LARGEST_BODY:,} bytes"


def _why_unreadable(begin: bytes, error: Exception) -> str:
    """Why the bytes are no request; ``begin`` are the first bytes of the read in which they came."""
    if begin.startswith(_TLS_HELLO):
        return "this is TLS, and the endpoint speaks plain HTTP: use http:// in the base URL"
    if begin.startswith(_HTTP2):
        return "this is HTTP/2, and the endpoint speaks HTTP/1.1: have the client use that"
    return f"what was sent is no HTTP request: {error}"
