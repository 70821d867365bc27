"""What of a request counts when it is looked for among recordings.

The method, the endpoint, the query and what the body says. Not the host, nor a proxy's own path in front of the
provider's, nor a credential in the query, nor anything that JSON leaves to the writer: the order of members, white
space, escapes, ``1`` or ``1.0``. Gemini reads either spelling of its keys and either alphabet of base64, so there these
say nothing either. All else counts, above all every character of every text: what a tool was given and what it
answered is text for a provider, even where it happens to be JSON.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from math import isinf
from typing import Any, Final, NoReturn
from urllib.parse import parse_qsl, urlencode, urlsplit

from harness.cassette.interaction import Interaction
from harness.wire import Route, WireName, recognise
from harness.wire.gemini_generate.parts import camel_keys

__all__ = ["Endpoint", "Key", "Meaning", "canonical_text", "meaning", "meaning_of"]

Key = str
"""A digest of what a request means: equal for requests that mean the same."""

_CREDENTIALS: Final = frozenset({"key", "api_key", "api-key", "apikey", "access_token", "subscription-key"})
"""Members of a query that say who asks, not what."""

_PATHS: Final[dict[WireName, str]] = {
    "openai-chat": "/chat/completions",
    "openai-responses": "/responses",
    "anthropic-messages": "/messages",
}
"""The path of a wire whose requests say everything else in the body. Compatible servers put many others in front."""

_FROM_VERSION: Final = re.compile(r".*(/v\d\w*/.*)")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a request goes: ``path`` with its query, of which credentials are left out and the rest is in order.

    ``wire`` is None for a request to anything but a model.
    """

    path: str
    wire: WireName | None


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a request says.

    ``body`` is its JSON in the one form that stands for all; ``bytes`` where it is none. ``length`` is that of the body
    as it was sent.
    """

    method: str
    endpoint: Endpoint
    body: Any
    length: int
    key: Key


def meaning_of(interaction: Interaction) -> Meaning:
    """What the request of a recording says."""
    return meaning(interaction.method, interaction.url, interaction.request)


def meaning(method: str, url: str, body: bytes | None) -> Meaning:
    """What a request to ``url``, which may be a path with its query only, says.

    A body that was not recorded is as good as an empty one.
    """
    method = method.upper()
    endpoint = _endpoint(method, url)
    sent = body or b""
    said, text = _said(sent, endpoint.wire)
    place = f"{method} {endpoint.path}\n".encode("utf-8", "surrogatepass")
    return Meaning(method, endpoint, said, len(sent), blake2b(place + text, digest_size=16).hexdigest())


def canonical_text(value: Any) -> str:
    """JSON in the one form in which equal values are equal text; ASCII, so that half a surrogate pair is no problem."""
    return _ENCODER.encode(value)


_ENCODER: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


# --- where it goes ------------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def _endpoint(method: str, url: str) -> Endpoint:
    try:
        split = urlsplit(url)
        members = parse_qsl(split.query, keep_blank_values=True)
    except ValueError:  # http://[ and the like
        return Endpoint(url, None)
    query = urlencode(sorted((name, value) for name, value in members if name.lower() not in _CREDENTIALS))
    route = _route(method, split.path)
    path = split.path or "/" if route is None else _provider_path(route)
    return Endpoint(f"{path}?{query}" if query else path, route.wire if route else None)


def _route(method: str, path: str) -> Route | None:
    """The wire of a request; a proxy's own path may stand in front of the provider's."""
    found = recognise(method, path)
    if found is None and (behind := _FROM_VERSION.fullmatch(path)):
        return recognise(method, behind[1])
    return found


def _provider_path(route: Route) -> str:
    """Gemini says in the path which model is asked and whether to stream; the version of its API decides what works."""
    if route.wire != "gemini-generate":
        return _PATHS[route.wire]
    verb = "streamGenerateContent" if route.stream else "generateContent"
    return f"{route.collection}/{route.model}:{verb}"


# --- what the body says -------------------------------------------------------------------------------------


def _said(body: bytes, wire: WireName | None) -> tuple[Any, bytes]:
    """The body's value, and the text that only bodies of the same value have."""
    try:
        value = json.loads(body, parse_float=_number, parse_constant=_refused)
        if wire == "gemini-generate":
            value = _spelled(value)
        return value, canonical_text(value).encode("ascii")
    except (ValueError, RecursionError):  # no JSON, or more deeply nested than anybody reads
        return body, body


def _number(text: str) -> float | int:
    """``1.0`` is 1."""
    value = float(text)
    if isinf(value):
        _refused(text)
    return int(value) if value.is_integer() else value


def _refused(number: str) -> NoReturn:
    raise ValueError(f"{number} is not JSON")


_FREE: Final = frozenset(
    {
        "args",
        "default",
        "example",
        "labels",
        "parametersJsonSchema",
        "partMetadata",
        "response",
        "responseJsonSchema",
    }
)
"""Members of Gemini's messages below which all names are the user's own."""

_BYTES: Final = frozenset({"data", "thoughtSignature"})


def _spelled(value: Any) -> Any:
    """A message of Gemini's with its own keys in camelCase and its bytes in the standard alphabet without padding."""
    if isinstance(value, list):
        return [_spelled(item) for item in value]
    if not isinstance(value, dict):
        return value
    camel = camel_keys(value)
    if len(camel) < len(value):  # a member in both spellings: which of the two counts is for the provider to say
        camel = value
    return {name: _member(name, member) for name, member in camel.items()}


def _member(name: str, member: Any) -> Any:
    if name in _FREE:
        return member
    if name in _BYTES and isinstance(member, str):
        return member.replace("-", "+").replace("_", "/").rstrip("=")
    if name == "properties" and isinstance(member, dict):  # of a schema: the names are the user's, what is below is not
        return {own: _spelled(schema) for own, schema in member.items()}
    return _spelled(member)
