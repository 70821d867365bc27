"""HTTP archives (HAR 1.2): of browsers, proxies, Playwright and Polly.js."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

from harness.cassette.formats.bodies import exchange, from_base64, pairs
from harness.cassette.formats.content import Content
from harness.cassette.formats.model import Entry, RecordingFormat
from harness.cassette.interaction import Interaction
from harness.cassette.members import Unexpected, encoded, http_status, member, text_of
from harness.ground.encoding import MOST_BYTES


def _claims(content: Content) -> bool:
    log = content.top.get("log")
    return isinstance(log, dict) and isinstance(log.get("entries"), list)


def _entries(content: Content) -> Iterator[Entry]:
    (document,) = content.documents
    for line, value in zip(document.lines("log", "entries"), document.value["log"]["entries"], strict=True):
        yield line, partial(_entry, content.path, value, line)


def _entry(path: Path, value: Any, line: int) -> Interaction:
    if not isinstance(value, dict):
        raise Unexpected("expected 'request' and 'response'")
    request, response = member(value, "request", dict), member(value, "response", dict)
    if response.get("status") in (0, -1, None):
        raise Unexpected("the request was not answered")
    asked = (
        text_of(request, ("method",), "request"),
        text_of(request, ("url",), "request"),
        pairs(request.get("headers"), "request: headers"),
        _request_body(path, request.get("postData")),
    )
    answered = (
        http_status(response["status"], "response: status"),
        pairs(response.get("headers"), "response: headers"),
        _body(path, response.get("content")),
    )
    return exchange(line, asked, answered)


def _request_body(path: Path, posted: Any) -> bytes | None:
    """The body of a request. A form whose text is not kept is none that a model is asked with."""
    if not isinstance(posted, dict):
        return None
    if attached := posted.get("_file"):
        return _attached_body(path, attached)
    text = posted.get("text")
    if not isinstance(text, str):
        return None
    return from_base64(text, "postData: text") if posted.get("encoding") == "base64" else encoded(text)


def _body(path: Path, content: Any) -> bytes:
    if not isinstance(content, dict):
        raise Unexpected("response: content: expected an object; the archive was made without bodies")
    if attached := content.get("_file"):
        return _attached_body(path, attached)
    text = content.get("text")
    if text is None and not content.get("size"):
        return b""
    if not isinstance(text, str):
        raise Unexpected("response: content: has no 'text'; the archive was made without bodies")
    if content.get("encoding") == "base64":
        return _unpacked_body(text)
    return encoded(text)


def _unpacked_body(text: str) -> bytes:
    """Polly.js keeps a compressed body as a JSON list with the base64 of each piece that came."""
    if not text.startswith("["):
        return from_base64(text, "response: content: text")
    try:
        pieces = json.loads(text)
    except ValueError as error:
        raise Unexpected(f"response: content: text: expected a list of base64: {error}") from error
    return b"".join(from_base64(piece, "response: content: text") for piece in pieces)


def _attached_body(path: Path, name: Any) -> bytes:
    """A body that Playwright has put into a file of its own, in the folder of the archive."""
    if not isinstance(name, str) or Path(name).name != name:
        raise Unexpected(f"_file: expected the name of a file in the folder of the archive, got {name!r:.60}")
    try:
        with (path.parent / name).open("rb") as file:
            body = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise Unexpected(f"_file: {name} cannot be read: {error.strerror or error}") from error
    if len(body) > MOST_BYTES:
        raise Unexpected(f"_file: {name} is too long; bodies of up to {MOST_BYTES >> 20} MB are read")
    return body


HAR: Final = RecordingFormat(
    "HAR", "'log' with a list 'entries' (HAR of a browser, a proxy, Playwright, Polly.js)", _claims, _entries
)
