"""The environment of the user, from which a loop in this process sees only what it may."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from harness.secrets.learned import is_set_secret

PROXIES: Final = tuple(name for each in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY") for name in (each, each.lower()))
"""Variables by which a client finds the proxy to the provider; their addresses may have a password."""

_taken: Final[dict[str, str]] = {}


def take_secrets(passes: Collection[str]) -> None:
    """Take the user's secrets out of the environment of this process, but for the variables in ``passes``."""
    for name, value in list(os.environ.items()):
        if name not in passes and is_set_secret(name, value):
            _taken[name] = os.environ.pop(name)


@contextmanager
def without_secrets(passes: Collection[str]) -> Iterator[None]:
    """The block runs without them, and they are back afterwards."""
    take_secrets(passes)
    try:
        yield
    finally:
        os.environ.update(_taken)
        _taken.clear()


def users_environment() -> Mapping[str, str]:
    """The environment with what was taken: for the harness itself, which needs the key of a provider to record it."""
    return {**_taken, **os.environ}
