"""Placeholders for secrets.

A placeholder is made of letters and hyphens, so it is legal wherever a secret is: in a header, in every part of a URL,
in JSON at any depth. It depends on nothing but the kind: a request that is sent again is redacted to the same bytes,
whatever the key was that time.
"""

from __future__ import annotations

import re

_PLACEHOLDER = re.compile(r"REDACTED-[a-z0-9-]+")


def placeholder(kind: str) -> str:
    """``REDACTED-openai-key`` for the kind ``openai-key``; other characters become hyphens."""
    return f"REDACTED-{re.sub('[^a-z0-9]+', '-', kind.lower()).strip('-') or 'secret'}"


def is_placeholder(text: str) -> bool:
    """Return whether the whole text is a placeholder, which needs no redaction."""
    return _PLACEHOLDER.fullmatch(text) is not None
