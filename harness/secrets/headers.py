"""The headers that a cassette keeps: those that a replay or a reader of a recording needs, and no others.

Other headers are left out, so a header that a provider adds tomorrow is no leak. Headers that carry the key stay with a
placeholder for their value: they show how the target authenticated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from harness.secrets.placeholder import placeholder
from harness.wire import key_headers

Headers = Mapping[str, tuple[str, ...]]
"""All values of each header, names in lower case."""

_KEPT = frozenset(
    (
        "accept",
        "content-type",
        "anthropic-beta",
        "anthropic-version",
        "openai-beta",
        "openai-model",
        "openai-processing-ms",
        "openai-version",
        # Ids of requests: providers ask for them in reports, and they open nothing.
        "apim-request-id",
        "request-id",
        "x-request-id",
        "date",  # how old a recording is, where nothing else in the file says it
        # What a client that retries goes by.
        "retry-after",
        "retry-after-ms",
        "x-should-retry",
    )
)
_KEPT_FAMILIES = re.compile(r"(?:x-|anthropic-)ratelimit-[a-z-]+")


def kept_headers(headers: Headers, redact: Callable[[str], str]) -> Headers:
    """The headers that a cassette keeps; secrets in their values go through ``redact``."""
    kept: dict[str, tuple[str, ...]] = {}
    for name, values in headers.items():
        name = name.lower()
        if name in key_headers():
            kept[name] = tuple(placeholder(name) for _ in values)
        elif is_kept(name):
            kept[name] = tuple(redact(value) for value in values)
    return kept


def is_kept(name: str) -> bool:
    """Whether a cassette keeps the value of a header; ``name`` is in lower case."""
    return name in _KEPT or _KEPT_FAMILIES.fullmatch(name) is not None
