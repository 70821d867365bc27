"""The members of a recorded interaction, under the names that recorders give them."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Sequence
from typing import Any

from harness.secrets.headers import Headers

_KINDS: dict[type, str] = {dict: "an object", str: "text"}


class Unexpected(Exception):
    """A member has an unexpected value; the text names the member, what was expected, and what came."""


def shown(value: Any) -> str:
    """The beginning of a value, for a message."""
    return "nothing" if value is None else f"{value!r:.60}"


def encoded(text: str) -> bytes:
    """The bytes of a text, which may have half characters."""
    return text.encode("utf-8", "surrogatepass")


def as_json(value: Any) -> bytes:
    """The bytes of a JSON value that a recorder has parsed: equal as JSON only."""
    return encoded(json.dumps(value, ensure_ascii=False))


def member(holder: dict[Any, Any], name: str, kind: type) -> Any:
    """A member that must be there. Raises ``Unexpected``."""
    value = holder.get(name)
    if not isinstance(value, kind):
        raise Unexpected(f"{name}: expected {_KINDS[kind]}, got {shown(value)}")
    return value


def text_of(holder: dict[Any, Any], names: Sequence[str], where: str) -> str:
    """The text under the first of ``names`` that is there. Raises ``Unexpected``."""
    name = next((name for name in names if name in holder), names[0])
    value = holder.get(name)
    if not isinstance(value, str):
        raise Unexpected(f"{where}: {name}: expected text, got {shown(value)}")
    return value


def http_status(value: Any, where: str) -> int:
    """An HTTP status. Raises ``Unexpected``."""
    if isinstance(value, bool) or not isinstance(value, int) or not 100 <= value <= 599:
        raise Unexpected(f"{where}: expected an HTTP status such as 200, got {shown(value)}")
    return value


def collected(headers: Iterable[tuple[str, str]]) -> Headers:
    """Headers by their names in lower case, each with all of its values."""
    found: dict[str, tuple[str, ...]] = {}
    for name, value in headers:
        found[name.lower()] = (*found.get(name.lower(), ()), value)
    return found


def headers_of(holder: dict[Any, Any], where: str) -> Headers:
    """The headers. Their values are lists of text in most cassettes, and one text (or number) in some."""
    headers = holder.get("headers") or {}
    if not isinstance(headers, dict):
        raise Unexpected(f"{where}: headers: expected names with their values, got {shown(headers)}")
    found: dict[str, tuple[str, ...]] = {}
    for name, values in headers.items():
        texts = values if isinstance(values, list) else [values]
        found[str(name).lower()] = (*found.get(str(name).lower(), ()), *(_header(value) for value in texts))
    return found


def _header(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else "" if value is None else str(value)


def body_of(holder: dict[Any, Any], where: str) -> bytes | None:
    """The body as recorded, which may still be compressed; None without one.

    Older versions of vcrpy's httpx stub wrote ``content``. For JSON, pydantic-ai's serializer writes ``parsed_body``,
    the value, so the bytes returned here are equal only as JSON.
    """
    if holder.get("parsed_body") is not None:
        return as_json(holder["parsed_body"])
    body = holder.get("body", holder.get("content"))
    if isinstance(body, dict):
        return _wrapped_body(body, where)
    return _bytes(body, f"{where}: body")


def _wrapped_body(body: dict[Any, Any], where: str) -> bytes | None:
    """A body with its form: ``string`` or ``base64_string``."""
    if isinstance(text := body.get("base64_string"), str | bytes):
        try:
            return base64.b64decode(text)
        except binascii.Error as error:
            raise Unexpected(f"{where}: body: base64_string: {error}") from error
    if "string" not in body:
        raise Unexpected(f"{where}: body: expected 'string' or 'base64_string', got {', '.join(map(str, body))}")
    return _bytes(body["string"], f"{where}: body: string")


def _bytes(value: Any, where: str) -> bytes | None:
    if isinstance(value, str):
        return encoded(value)
    if value is not None and not isinstance(value, bytes):
        raise Unexpected(f"{where}: expected text, got {shown(value)}")
    return value
