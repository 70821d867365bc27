"""Which server has answered a request, or is going to."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, Literal

from harness.errors import BadInput
from harness.wire.servers.model import Server
from harness.wire.servers.table import SERVERS

By = Literal["name", "host", "answer", "model"]
"""How a server is known: somebody named it, or by the request's host, the response, or only the model's name."""

_BEGINNING: Final = 4096
"""The number of bytes at the start of a response that are searched: the mark is in the first event or lines."""

_LAST: Final = 512
"""The number of bytes at the end of a single document that are searched: members may have another order."""


@dataclass(frozen=True, slots=True)
class KnownServer:
    """A server, and how it is known."""

    server: Server
    by: By


def named(name: str) -> KnownServer:
    """The server with this name. Raises ``BadInput``, which lists the servers, for an unknown one."""
    if name not in SERVERS:
        raise BadInput(f"no server is called {name!r}; expected one of {', '.join(SERVERS)}")
    return KnownServer(SERVERS[name], "name")


def known_server(name: str) -> KnownServer | None:
    """The server with this name, None for an empty name. Raises ``BadInput`` for an unknown one."""
    return named(name) if name else None


def detected(
    *, host: str = "", headers: Collection[str] = (), answer: bytes | None = None, model: str = ""
) -> KnownServer | None:
    """The server by the host of the request, else by its response, else by the model; None if nothing shows it.

    ``host`` may have a port. ``headers`` are the names of the response's headers, in lower case. A host outside the
    table may be somebody's proxy, so the response is examined next.
    """
    if host and (found := _of_host(host)):
        return KnownServer(found, "host")
    if found := _of_headers(frozenset(headers)) or _of_answer(answer or b""):
        return KnownServer(found, "answer")
    found = _of_model(model)
    return KnownServer(found, "model") if found else None


@lru_cache(maxsize=256)
def _of_host(host: str) -> Server | None:
    return next((server for server in SERVERS.values() if server.has_host(host)), None)


@lru_cache(maxsize=256)
def _of_headers(headers: frozenset[str]) -> Server | None:
    """The server with these headers, the more special one first: Azure sends OpenAI's headers with its own."""
    found = [server for server in SERVERS.values() if headers.intersection(server.headers)]
    return next((server for server in found if server.like), found[0] if found else None)


def _of_answer(answer: bytes) -> Server | None:
    text = answer if len(answer) <= _BEGINNING + _LAST else answer[:_BEGINNING] + answer[-_LAST:]
    signed = (entry for entry in _answers() if entry[1] in text)
    return next((server for server, _, found in signed if found.search(text)), None)


@lru_cache(maxsize=256)
def _of_model(model: str) -> Server | None:
    return next((server for server, found in _models() if found.search(model)), None) if model else None


@cache
def _answers() -> tuple[tuple[Server, bytes, re.Pattern[bytes]], ...]:
    return tuple(
        (each, each.answer_sign.encode(), re.compile(each.answers.encode()))
        for each in SERVERS.values()
        if each.answers
    )


@cache
def _models() -> tuple[tuple[Server, re.Pattern[str]], ...]:
    return tuple((each, re.compile(each.models, re.IGNORECASE)) for each in SERVERS.values() if each.models)
