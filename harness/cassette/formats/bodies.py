"""Bodies and headers as other recorders write them."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from harness.cassette.interaction import Headers, Interaction
from harness.cassette.members import Unexpected, collected, shown
from harness.cassette.read import plain


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
    return collected((str(each["name"]), str(each.get("value", ""))) for each in headers)


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
        request=None if request is None else plain(request, request_headers),
        status=status,
        response_headers=response_headers,
        response=plain(response, response_headers),
        line=line,
    )
