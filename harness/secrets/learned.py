"""Secrets that are known by their place: in a variable, a header or a query parameter whose name means a secret.

Such a value is replaced wherever it occurs. So it must be possible as a secret: ``true``, a number, a path and a plain
word are not, and would be found in every other sentence.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final, Literal
from urllib.parse import parse_qsl, urlsplit

from harness.secrets.headers import Headers, is_kept
from harness.secrets.randomness import looks_random

SHORTEST_VALUE: Final = 8
"""Shorter values (``ollama``, ``none``) are no secrets, and would be found in words."""

_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SECRET_WORD: Final = re.compile(
    r"KEYS?|(?:[A-Z0-9]*(?:API|ACCESS|AUTH|SECRET|PRIVATE|SIGNING|MASTER|SUBSCRIPTION))KEYS?|[A-Z0-9]*TOKENS?|"
    r"[A-Z0-9]*(?:SECRET|PASSWORD|CREDENTIAL|PASSWD|PASSPHRASE)S?|PWD|[A-Z]*DSN"
)
_NUMBERED: Final = re.compile(r"\d+\Z")
_NO_SECRET: Final = frozenset({"PUBLIC", "MAX", "MIN", "NUM", "COUNT", "LIMIT", "BUDGET"})
"""Words beside ``KEY`` and ``TOKENS`` that make them no secret: ``MAX_TOKENS``, ``SSH_PUBLIC_KEY``."""

_FOLDERS: Final = frozenset({"PWD", "OLDPWD"})
_WHO: Final = frozenset({"AUTH", "AUTHORIZATION", "SESSION", "SIGNATURE", "SIG", "COOKIE", "COOKIE2", "BEARER", "JWT"})
_WHOSE: Final = frozenset({"ORGANIZATION", "ORGANISATION", "ORG", "PROJECT", "ACCOUNT", "TENANT", "WORKSPACE", "USER"})

_FLAG: Final = re.compile(r"(?i)|true|false|yes|no|on|off|none|null|nil|undefined|-?[\d.,_:]+[a-z%]{0,2}")
_BENIGN: Final = re.compile(
    r"(?ix)"
    r"(?:~|\.{1,2}|[a-z]:)?[/\\](?:[\w.@+\ -]+[/\\])*[\w.@+\ -]*\.?[\w-]* |"  # a path
    r"[a-z][a-z0-9+]{1,9}://[^\s@?\#]* |"  # an address without user and query
    r"\$\{?\w+\}? | \$\{\{.*\}\} | \{\{.*\}\} | %\w+% | <[^<>]*> | \[[^\[\]]*\] |"  # where one is to be put
    r"(?:your|my|the|some|insert|enter|replace|example|dummy|fake|sample|placeholder|changeme|redacted|todo|not|no)"
    r"(?:[-_\ .][a-z]+)*[-_\ ]?\d{0,4} |"
    r"(.)\1* |"  # xxxxxxxx
    r"[a-z]+(?:[-_.\ ][a-z]+){1,4}(?:[-_.]\d{1,4})?"  # next-page
)
_WORD: Final = re.compile(r"[a-z]{1,15}|[A-Z][a-z]{1,14}|[A-Z]{1,11}")
_TRAFFIC: Final = re.compile(
    r"user-agent|x-stainless-.*|.*trace.*|.*span.*|.*request-id|idempotency-key|etag|if-.*|cf-.*|accept.*|content-.*|host|"
    r"date|x-goog-api-client|x-amz-(?:date|content-sha256|target)|x-amzn-.*|baggage|via|server.*|connection|alt-svc|"
    r"strict-transport-security|.*-policy|vary|age|expires|last-modified|report-to|nel|x-envoy-.*|x-robots-tag"
)
_PARAMETER: Final = re.compile(r'(\w+)="?([^",\s]+)"?')
_SCHEME: Final = re.compile(r"(?i)\s*(?:bearer|basic|token|apikey|api-key|key|digest|negotiate|aws4[\w-]*)\s+(.+)")


# --- names --------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def is_secret_name(name: str) -> bool:
    """Whether the name of a variable, a header or a parameter means that it contains a secret.

    Its words count: ``GITHUB_TOKEN`` and ``x-apiKey`` do, ``MONKEY``, ``KEYBOARD_LAYOUT`` and ``MAX_TOKENS`` do not.
    """
    words = _words(name)
    if name.upper() in _FOLDERS or not _NO_SECRET.isdisjoint(words):
        return False
    return any(_SECRET_WORD.fullmatch(_NUMBERED.sub("", word)) for word in words)


def _words(name: str) -> list[str]:
    return [word.upper() for word in re.split(r"[^A-Za-z0-9]+", _CAMEL.sub("_", name)) if word]


# --- values -------------------------------------------------------------------------------------------------


def is_flag(value: str) -> bool:
    """Whether a value is only empty, yes or no, or a number."""
    return _FLAG.fullmatch(value.strip()) is not None


@lru_cache(maxsize=4096)
def can_be_secret(value: str) -> bool:
    """Whether a value with the name of a secret can be one: long enough, and no flag, path, address or plain word."""
    value = value.strip()
    if len(value) < SHORTEST_VALUE or is_flag(value) or _WORD.fullmatch(value):
        return False
    return _BENIGN.fullmatch(value) is None or (value[0] not in "$<{[%" and looks_random(re.sub(r"[/.\\-]", "", value)))


# --- what was set -------------------------------------------------------------------------------------------


def is_set_secret(name: str, value: str) -> bool:
    """Whether a variable contains a secret, or is meant to: by its name, unless it is a flag, or by a password in
    it."""
    return (is_secret_name(name) and not is_flag(value)) or _password(value) is not None


def set_values(environment: Mapping[str, str]) -> dict[str, str]:
    """The secrets of an environment by the names of their variables, and the passwords of its addresses."""
    found: dict[str, str] = {}
    for name, value in environment.items():
        if is_secret_name(name) and can_be_secret(value):
            found[name] = value.strip()
        elif password := _password(value):
            found[name] = password
    return found


def _password(value: str) -> str | None:
    """The password of an address like ``postgres://user:password@host``."""
    if "://" not in value or "@" not in value:
        return None
    try:
        password = urlsplit(value).password
    except ValueError:
        return None
    return password if password and len(password) >= SHORTEST_VALUE else None


# --- what was sent ------------------------------------------------------------------------------------------


def sent_values(url: str, request_headers: Headers, response_headers: Headers) -> dict[str, str]:
    """The secrets that an exchange has sent outside of its bodies, by the names of their headers and parameters."""
    found: dict[str, str] = {}
    for headers in (request_headers, response_headers):
        for name, values in headers.items():
            holds = _holds(name.lower())
            for number, value in enumerate(dict.fromkeys(_of_header(name.lower(), holds, values)) if holds else ()):
                found.setdefault(f"{name.lower()}-{number}" if number else name.lower(), value)
    for name, value in _of_query(url) if "?" in url else ():
        found.setdefault(name, value)
    return found


def _of_query(url: str) -> Iterator[tuple[str, str]]:
    try:
        members = parse_qsl(urlsplit(url).query)
    except ValueError:
        return
    for name, value in members:
        if (is_secret_name(name) or not _WHO.isdisjoint(_words(name))) and can_be_secret(value):
            yield name, value


_Holds = Literal["credentials", "account", "anything", ""]


@lru_cache(maxsize=1024)
def _holds(name: str) -> _Holds:
    """What kind of secret the values of a header are, by its name in lower case; empty if they are no secrets."""
    words = _words(name)
    if not _WHO.isdisjoint(words) or is_secret_name(name):
        return "credentials"
    if is_kept(name) or _TRAFFIC.fullmatch(name):
        return ""
    return "anything" if _WHOSE.isdisjoint(words) else "account"


def _of_header(name: str, holds: _Holds, values: Iterable[str]) -> Iterator[str]:
    for value in values:
        if holds == "credentials":
            yield from _credentials(name, value)
        elif holds == "account":
            if len(value) >= SHORTEST_VALUE and re.search(r"[\d_-]", value) and not is_flag(value):
                yield value
        elif " " not in value and looks_random(value) and can_be_secret(value):
            yield value


def _credentials(name: str, value: str) -> Iterator[str]:
    """The parts of a header's value that are secret: the token behind its scheme, a cookie's values, parameters."""
    if "cookie" in name:
        parts = [pair.partition("=")[2] for pair in value.split(";")]
        yield from (part.strip().strip('"') for part in parts if can_be_secret(part))
        return
    scheme = _SCHEME.fullmatch(value)
    token = scheme[1].strip() if scheme else value.strip()
    parameters = [each for _, each in _PARAMETER.findall(token) if looks_random(each)] if "," in token else []
    yield from parameters
    if not parameters and can_be_secret(token):
        yield token
        yield from _basic(token)


def _basic(token: str) -> Iterator[str]:
    """The password in a header of basic authentication."""
    try:
        user, colon, password = base64.b64decode(token, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return
    if colon:
        yield from (each for each in (password, f"{user}:{password}") if len(each) >= SHORTEST_VALUE)
