"""Which wire a recorded request belongs to."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from harness.wire import Route, recognise

__all__ = ["route_of"]

_FROM_VERSION = re.compile(r".*(/v\d\w*/.*)")


def route_of(method: str, url: str) -> Route | None:
    """The wire of a request to ``url``; None for a request to anything but a model.

    A proxy's own path may stand in front of the provider's.
    """
    try:
        split = urlsplit(url)
    except ValueError:  # http://[ and the like
        return None
    path = f"{split.path}?{split.query}" if split.query else split.path
    found = recognise(method.upper(), path)
    if found is None and (behind := _FROM_VERSION.fullmatch(path)):
        return recognise(method.upper(), behind[1])
    return found
