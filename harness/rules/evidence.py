"""Evidence in words: short, exact, printable, whatever a loop has reported."""

from __future__ import annotations

import json

from harness.trace import EventRecord, JsonValue, Record, SetCode
from harness.wire.same_beginning import same_beginning

_LENGTH = 80


def quote(text: str) -> str:
    """``text`` in double quotes with control characters escaped, cut to about 80 characters."""
    shown = text if len(text) <= _LENGTH else text[: _LENGTH - 1] + "…"
    return _printable(json.dumps(shown, ensure_ascii=False))


def json_words(value: JsonValue) -> str:
    """``value`` as JSON in one line, cut to about 80 characters."""
    text = json.dumps(value, ensure_ascii=False)
    return _printable(text if len(text) <= _LENGTH else text[: _LENGTH - 1] + "…")


def difference(expected: str, got: str) -> tuple[str, str]:
    """Both texts quoted, from a little before the first character in which they differ."""
    at = same_beginning(expected, got)
    start = max(0, at - 20)
    if start == 0:
        return quote(expected), quote(got)
    return _window(expected, start), _window(got, start)


def json_difference(expected: JsonValue, got: JsonValue) -> tuple[str, str]:
    """Both values as JSON; from a little before the first difference where each begins with as much as is shown."""
    texts = [json.dumps(each, ensure_ascii=False) for each in (expected, got)]
    start = same_beginning(*texts) - 20
    if start < _LENGTH - 40:
        return json_words(expected), json_words(got)
    one, other = (_printable(f"…{text[start : start + _LENGTH]} ({len(text)} characters)") for text in texts)
    return one, other


def run_sign(record: Record) -> str:
    """How the record at a tool's ``ran_at`` shows that the tool ran."""
    return "its code was set" if isinstance(record, EventRecord) and isinstance(record.event, SetCode) else "it ran"


def _window(text: str, start: int) -> str:
    return f"{quote('…' + text[start : start + _LENGTH])} ({len(text)} characters)"


def _printable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()
