"""Evidence in words: short, exact, printable, whatever a loop has told."""

from __future__ import annotations

import json

from harness.trace import Record, SetCode, Told

__all__ = ["difference", "quote", "run_sign"]

_LENGTH = 80


def quote(text: str) -> str:
    """``text`` in double quotes with control characters escaped, cut to about 80 characters."""
    shown = text if len(text) <= _LENGTH else text[: _LENGTH - 1] + "…"
    return _printable(json.dumps(shown, ensure_ascii=False))


def difference(expected: str, got: str) -> tuple[str, str]:
    """Both texts quoted, from a little before the first character in which they differ."""
    at = _first_difference(expected, got)
    start = max(0, at - 20)
    if start == 0:
        return quote(expected), quote(got)
    return _window(expected, start), _window(got, start)


def run_sign(record: Record) -> str:
    """How the record at a tool's ``executed_at`` shows that the tool has run."""
    return "its code was set" if isinstance(record, Told) and isinstance(record.event, SetCode) else "it has run"


def _window(text: str, start: int) -> str:
    return f"{quote('…' + text[start : start + _LENGTH])} ({len(text)} characters)"


def _first_difference(one: str, other: str) -> int:
    """Where two texts part, found by halving so that equal beginnings are compared by the interpreter."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _printable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()
