"""The user's environment, and the part of it that a loop in this process may see."""

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
    """Remove the user's secrets from this process's environment, except the variables in ``passes``."""
    for name, value in list(os.environ.items()):
        if name not in passes and is_set_secret(name, value):
            _taken[name] = os.environ.pop(name)


@contextmanager
def without_secrets(passes: Collection[str]) -> Iterator[None]:
    """Run the block without the secrets (``take_secrets``), and restore them afterwards."""
    take_secrets(passes)
    try:
        yield
    finally:
        os.environ.update(_taken)
        _taken.clear()


def users_environment() -> Mapping[str, str]:
    """The environment including removed secrets. The harness needs it: a provider's key to record from the provider."""
    return {**_taken, **os.environ}
