"""How problems are put into words: alternatives, near misses, and values as they were written."""

from __future__ import annotations

import json
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

__all__ = ["did_you_mean", "either", "shown"]

_SHOWN = 60


def either(words: Iterable[str]) -> str:
    """``a``, ``a or b``, ``a, b or c``."""
    *some, last = words
    return f"{', '.join(some)} or {last}" if some else last


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``"; did you mean 'prompt'?"``, or nothing when no known word is near."""
    near = get_close_matches(word, list(known), n=1)
    return f"; did you mean '{near[0]}'?" if near else ""


def shown(value: Any) -> str:
    """A value as a problem quotes it: short, in the spelling of JSON."""
    if isinstance(value, str):
        return f"'{_cut(value)}'"
    return _cut(json.dumps(value, ensure_ascii=False, default=str))


def _cut(text: str) -> str:
    text = text.replace("\n", "\\n")
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
