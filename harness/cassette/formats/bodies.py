"""Bodies and headers as other recorders write them."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable
from typing import Any

from harness.cassette.interaction import Headers, Interaction
from harness.cassette.members import Unexpected, shown
from harness.ground.encoding import decoded


def as_json(value: Any) -> bytes:
    """The bytes of a JSON value that a recorder has parsed: equal as JSON only."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


def from_base64(text: Any, where: str) -> bytes:
    """The bytes of base64 text. Raises ``Unexpected``."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError, TypeError) as error:
        raise Unexpected(f"{where}: expected base64, got {shown(text)}") from error


def pairs(headers: Any, where: str) -> Headers:
    """Headers that are a list of objects with ``name`` and ``value``. Raises ``Unexpected``."""
    if headers is None:
        return {}
    if not isinstance(headers, list) or not all(isinstance(each, dict) and "name" in each for each in headers):
        raise Unexpected(f"{where}: expected a list of names with values, got {shown(headers)}")
    return _collected((str(each["name"]), str(each.get("value", ""))) for each in headers)


def _collected(headers: Iterable[tuple[str, str]]) -> Headers:
    found: dict[str, tuple[str, ...]] = {}
    for name, value in headers:
        found[name.lower()] = (*found.get(name.lower(), ()), value)
    return found


def http_status(value: Any, where: str) -> int:
    """An HTTP status. Raises ``Unexpected``."""
    if isinstance(value, bool) or not isinstance(value, int) or not 100 <= value <= 599:
        raise Unexpected(f"{where}: expected an HTTP status such as 200, got {shown(value)}")
    return value


def exchange(
    line: int,
    asked: tuple[str, str, Headers, bytes | None],
    answered: tuple[int, Headers, bytes],
) -> Interaction:
    """An interaction of method, URL, headers and body, and of status, headers and body; bodies are decompressed.

    Raises ``UndecodableBody``.
    """
    method, url, request_headers, request = asked
    status, response_headers, response = answered
    return Interaction(
        method=method.upper(),
        url=url,
        request_headers=request_headers,
        request=None if request is None else _plain(request, request_headers),
        status=status,
        response_headers=response_headers,
        response=_plain(response, response_headers),
        line=line,
    )


def _plain(body: bytes, headers: Headers) -> bytes:
    return decoded(body, ", ".join(headers.get("content-encoding", ())))
