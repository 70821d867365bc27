"""Secrets that loops have sent to the endpoint of this process: a key in a header or in an address.

A trace does not have such a key, so the redaction of files could not learn it there. But a loop with its own key may
also write it in an event, in a prompt, or in the traceback with which it ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from typing import Final

from harness.secrets.learned import is_secret_name, sent_values

_HEADERS: Final = frozenset({"authorization", "proxy-authorization", "cookie"})
"""Headers that carry a credential, besides those whose name reveals it."""

_MOST: Final = 256
"""The most values that are known at once: a client may send another one with each request."""

_sent: Final[dict[str, str]] = {}
_listeners: Final[list[Callable[[Mapping[str, str]], None]]] = []


def note_sent(target: str, headers: Mapping[str, str]) -> None:
    """Learn the secrets that a request has outside of its body. ``target`` is its path with the query."""
    secret = tuple([(name.lower(), headers[name]) for name in _secret_names(tuple(headers))])
    if secret or "?" in target:
        learn_sent(_secrets(target.partition("?")[2], secret))


def learn_sent(values: Mapping[str, str]) -> None:
    """Learn values by the names of their headers or parameters, and pass new ones on (``on_sent``)."""
    known = set(_sent.values())
    new: dict[str, str] = {}
    for name, value in values.items():
        if value not in known:
            new[_unused_name(name, {*_sent, *new})] = value
    if not new:
        return
    _sent.update(new)
    for name in list(_sent)[: max(0, len(_sent) - _MOST)]:
        del _sent[name]
    for listener in _listeners:
        listener(new)


def on_sent(listener: Callable[[Mapping[str, str]], None]) -> None:
    """Call ``listener`` with each value that is learned from now on: a worker process reports it to its parent."""
    _listeners.append(listener)


def sent_here() -> Mapping[str, str]:
    """What has been sent, by names."""
    return dict(_sent)


@lru_cache(maxsize=_MOST)
def _secrets(query: str, headers: tuple[tuple[str, str], ...]) -> Mapping[str, str]:
    """The secrets in these, by names. Cached: a client sends the same with each request."""
    return sent_values(f"?{query}", {name: (value,) for name, value in headers}, {})


@lru_cache(maxsize=_MOST)
def _secret_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """The headers that carry a secret. Cached: a client sends the same headers with each request."""
    return tuple(name for name in names if name.lower() in _HEADERS or is_secret_name(name.lower()))


def _unused_name(name: str, taken: Collection[str]) -> str:
    """A name that no other value has: ``authorization``, ``authorization-1`` ..."""
    name = re.sub(r"-\d+\Z", "", name)
    found, number = name, 1
    while found in taken:
        found, number = f"{name}-{number}", number + 1
    return found
