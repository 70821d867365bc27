"""Go's ``httprr``: requests and responses of HTTP/1.1 one behind the other, each pair with its two lengths."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Final

from harness.cassette.formats.bodies import exchange
from harness.cassette.formats.content import Content
from harness.cassette.formats.model import Entry, RecordingFormat
from harness.cassette.interaction import Headers, Interaction
from harness.cassette.members import Unexpected, collected, http_status, shown
from harness.errors import BadInput

_FIRST_LINE: Final = b"httprr trace v1\n"
_LENGTHS: Final = re.compile(rb"(\d{1,9}) (\d{1,9})\n")
_HEAD: Final = re.compile(rb"(.*?)\r?\n\r?\n", re.DOTALL)


def _claims(content: Content) -> bool:
    return content.data.startswith(_FIRST_LINE)


def _entries(content: Content) -> Iterator[Entry]:
    data, at, line = content.data, len(_FIRST_LINE), 2
    while at < len(data):
        lengths = _LENGTHS.match(data, at)
        if lengths is None:
            raise BadInput(f"{content.path}:{line}: expected the lengths of a request and a response")
        begins = lengths.end()
        between = begins + int(lengths[1])
        ends = between + int(lengths[2])
        yield line, partial(_entry, data[begins:between], data[between:ends], line, whole=ends <= len(data))
        line += data.count(b"\n", at, ends)
        at = ends


def _entry(request: bytes, response: bytes, line: int, *, whole: bool) -> Interaction:
    if not whole:
        raise Unexpected("the file ends before this exchange does")
    asked, request_headers, body = _message(request, "request")
    answered, response_headers, answer = _message(response, "response")
    method, _, rest = asked.partition(" ")
    target = rest.rpartition(" ")[0]
    host = "".join(request_headers.get("host", ()))
    url = target if not target.startswith("/") or not host else f"https://{host}{target}"
    code = answered.split(" ")[1:2]
    status = http_status(int(code[0]) if code and code[0].isdigit() else None, "response: status")
    return exchange(line, (method, url, request_headers, body or None), (status, response_headers, answer))


def _message(message: bytes, where: str) -> tuple[str, Headers, bytes]:
    """The first line, the headers and the body of an HTTP message. Raises ``Unexpected``."""
    head = _HEAD.match(message)
    if head is None:
        raise Unexpected(f"{where}: expected the head of an HTTP message, got {shown(message)}")
    first, *lines = head[1].decode("latin-1").splitlines()
    parts = (each.partition(":") for each in lines)
    headers = collected((name, value.strip()) for name, _, value in parts)
    body = message[head.end() :]
    return first, headers, _without_chunks(body, where) if "chunked" in headers.get("transfer-encoding", ()) else body


def _without_chunks(body: bytes, where: str) -> bytes:
    pieces: list[bytes] = []
    at = 0
    while True:
        end = body.find(b"\r\n", at)
        size = body[at:end].partition(b";")[0].strip() if end >= 0 else b""
        if not re.fullmatch(rb"[0-9a-fA-F]{1,8}", size):
            raise Unexpected(f"{where}: expected the length of a chunk, got {shown(body[at : at + 20])}")
        if not int(size, 16):
            return b"".join(pieces)
        begins = end + 2
        at = begins + int(size, 16)
        pieces.append(body[begins:at])
        at += 2


HTTPRR: Final = RecordingFormat("httprr", "the first line 'httprr trace v1' (Go's httprr)", _claims, _entries)
