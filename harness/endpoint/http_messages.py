"""HTTP/1.1 between the server and its clients: the parsed request, and the framing of its answer. No I/O.

Responses are framed here, because each planned chunk must be one HTTP chunk, and because a response may break off on
purpose.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
TUNNEL_OPENED: Final = b"HTTP/1.1 200 Connection established\r\n\r\n"

_PHRASES: Final = {int(status): status.phrase for status in HTTPStatus}
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_BODILESS: Final = frozenset({204, 304})
_UNAVAILABLE: Final = 503

_SMALL: Final = 1024
_SIZES: Final = tuple(b"%x\r\n" % size for size in range(_SMALL))
"""The size lines of small chunks, made in advance: nearly all events are small."""


class NotHttp(ValueError):
    """A client sent no HTTP request, or one that is not accepted. The connection ends after the answer.

    ``status`` is the status of the answer: 400, 408, 413, 417, 431, 501, 503 or 505. ``bodiless``: the answer has no
    body, because the method is ``HEAD``.
    """

    def __init__(self, status: int, why: str, *, bodiless: bool = False) -> None:
        super().__init__(why)
        self.status = status
        self.bodiless = bodiless


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request. ``target`` is its second word. Names in ``headers`` are lower case; repeated lines are joined.

    ``keeps_alive``: the client may send another request on the connection. ``chunked``: the client understands chunks
    (HTTP/1.0 does not).
    """

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes
    keeps_alive: bool = True
    chunked: bool = True


def head_of(status: int, headers: Mapping[str, str], request: HttpRequest) -> bytes:
    """The head of the answer to ``request``; its body follows in chunks, or ends with the connection.

    ``headers`` must not contain framing. Control characters, which a cassette may contain, become spaces.
    """
    lines = [f"{name}: {value}" for name, value in headers.items()]
    if _CONTROLS.search("\t".join(lines)):
        lines = [_CONTROLS.sub(" ", line) for line in lines]
    lines.insert(0, f"HTTP/1.1 {status} {_PHRASES.get(status, '')}")
    if request.chunked and status not in _BODILESS:
        lines.append("transfer-encoding: chunked")
    if not request.keeps_alive and "connection" not in headers:
        lines.append("connection: close")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")


def chunks_of(pieces: Iterable[bytes], status: int, request: HttpRequest) -> list[bytes]:
    """The bytes of a body for the client of ``request``: its pieces as chunks, unframed, or nothing (no body)."""
    if _is_bodiless(status, request):
        return []
    if not request.chunked:
        return list(pieces)
    written: list[bytes] = []
    for piece in pieces:
        if piece:
            size = len(piece)
            written += (_SIZES[size] if size < _SMALL else b"%x\r\n" % size, piece, b"\r\n")
    return written


def end_of(status: int, request: HttpRequest) -> bytes:
    """The bytes that complete a body."""
    return b"0\r\n\r\n" if request.chunked and not _is_bodiless(status, request) else b""


def _is_bodiless(status: int, request: HttpRequest) -> bool:
    return request.method == "HEAD" or status in _BODILESS


def protest(problem: NotHttp) -> bytes:
    """The whole answer to something that is no HTTP request or is not accepted."""
    body = json.dumps({"error": {"message": f"harness: {problem}", "type": "invalid_request"}}).encode()
    headers = {"content-type": "application/json", "content-length": str(len(body))}
    if problem.status == _UNAVAILABLE:
        headers["retry-after"] = "1"
    unread = HttpRequest("", "", {}, b"", keeps_alive=False, chunked=False)
    return head_of(problem.status, headers, unread) + (b"" if problem.bodiless else body)
