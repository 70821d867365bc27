"""The parts of a request that are compared to find its recording.

These are the method, the endpoint, the query and the value of the body. Ignored are the host, a proxy's path before the
provider's, credentials in the query, and everything that JSON leaves to the writer: the order of members, white space,
escapes, ``1`` or ``1.0``. Gemini accepts either spelling of its keys and either alphabet of base64, so these are
ignored there, too. Everything else counts, above all every character of every text: a tool's arguments and its result
are text for a provider, even if the text is JSON.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from math import isinf
from typing import Any, Final, NoReturn
from urllib.parse import parse_qsl, urlencode, urlsplit

from harness.cassette.interaction import Interaction
from harness.wire import WireName, route_of, wire

Key = str
"""A digest of a request: equal for requests that match."""

_CREDENTIALS: Final = frozenset({"key", "api_key", "api-key", "apikey", "access_token", "subscription-key"})
"""Members of a query that identify the sender and not the content."""


@dataclass(frozen=True, slots=True)
class RequestTarget:
    """Where a request goes: ``path`` with its query, without credentials and in sorted order.

    ``wire`` is None for a request that is not to a model.
    """

    path: str
    wire: WireName | None


@dataclass(frozen=True, slots=True)
class MatchableRequest:
    """The parts of a request that are compared to find its recording.

    ``body`` is its JSON in one canonical form; ``bytes`` if it is no JSON. ``length`` is the number of bytes sent.
    Requests match when their ``key``, a digest of the rest, is equal.
    """

    method: str
    endpoint: RequestTarget
    body: Any
    length: int
    key: Key


def matchable_of(interaction: Interaction) -> MatchableRequest:
    """Return the compared parts of the request of a recording."""
    return matchable(interaction.method, interaction.url, interaction.request)


def matchable(method: str, url: str, body: bytes | None) -> MatchableRequest:
    """Return the compared parts of a request to ``url``, which may be just a path with its query.

    A body that was not recorded (None) equals an empty one.
    """
    method = method.upper()
    endpoint = _endpoint(method, url)
    content = body or b""
    value, text = _value_and_text(content, endpoint.wire)
    place = f"{method} {endpoint.path}\n".encode("utf-8", "surrogatepass")
    return MatchableRequest(method, endpoint, value, len(content), blake2b(place + text, digest_size=16).hexdigest())


def canonical_text(value: Any) -> str:
    """JSON in a canonical form, in which equal values are equal text. It is ASCII, so it may have lone surrogates."""
    return _ENCODER.encode(value)


_ENCODER: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


# --- where it goes ------------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def _endpoint(method: str, url: str) -> RequestTarget:
    try:
        split = urlsplit(url)
        members = parse_qsl(split.query, keep_blank_values=True)
    except ValueError:  # http://[ and the like
        return RequestTarget(url, None)
    query = urlencode(sorted((name, value) for name, value in members if name.lower() not in _CREDENTIALS))
    route = route_of(method, url)
    path = split.path or "/" if route is None else wire(route.wire).path(route)
    return RequestTarget(f"{path}?{query}" if query else path, route.wire if route else None)


# --- the value of the body ----------------------------------------------------------------------------------


def _value_and_text(body: bytes, name: WireName | None) -> tuple[Any, bytes]:
    """The body's value, and a text that is equal only for bodies of equal value."""
    try:
        value = json.loads(body, parse_float=_number, parse_constant=_refuse_number)
        if name is not None:
            value = wire(name).canonical(value)
        return value, canonical_text(value).encode("ascii")
    except (ValueError, RecursionError):  # no JSON, or more deeply nested than anybody reads
        return body, body


def _number(text: str) -> float | int:
    """``1.0`` is 1."""
    value = float(text)
    if isinf(value):
        _refuse_number(text)
    return int(value) if value.is_integer() else value


def _refuse_number(number: str) -> NoReturn:
    raise ValueError(f"{number} is not JSON")
