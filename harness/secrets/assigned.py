"""Secrets that only their name reveals: ``AWS_SECRET_ACCESS_KEY=...``, ``api_key: ...``.

The search begins at the last word of a name: to look for all names everywhere takes ten times as long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from harness.secrets.randomness import looks_random

_BEFORE: Final = {
    "key": re.compile(r"(?:api|access|account|secret|private|signing|encryption|subscription)[_-]?\Z", re.IGNORECASE),
    "token": re.compile(r"(?:api|access|auth|authorization|bearer|refresh|id|session|security)[_-]?\Z", re.IGNORECASE),
    "secret": re.compile(""),
    "password": re.compile(""),
    "passwd": re.compile(""),
}
"""The last words of names, and what must precede each of them: there are many harmless keys and tokens."""

_FORMS: Final = tuple(((word, word.upper(), word.capitalize()), before) for word, before in _BEFORE.items())

ASSIGNED: Final = tuple(form for forms, _ in _FORMS for form in forms)
"""Every text with such a value contains one of these."""

_LONGEST_BEFORE = 16
_VALUE = re.compile(r"(?:_id|_ID)?[\"'\\]{0,3}\s{0,4}[:=]\s{0,4}[\"'\\]{0,3}(?P<secret>[A-Za-z0-9+/_.~-]{16,}={0,2})")


def assigned_spans(text: str) -> Iterator[tuple[int, int]]:
    """Values that look random and are assigned to the name of a secret, as start and end."""
    for forms, before in _FORMS:
        for form in forms:
            at = text.find(form)
            while at >= 0:
                end = at + len(form)
                value = _VALUE.match(text, end)
                if value and before.search(text, max(0, at - _LONGEST_BEFORE), at) and looks_random(value["secret"]):
                    yield value.span("secret")
                at = text.find(form, end)
