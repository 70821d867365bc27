"""What sessions have in common, whatever the provider: ids for calls that came without a usable one, results as
text, and the wait that an answer's headers ask for."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

import httpx2

from harness.wire.characters import sendable

__all__ = ["result_text", "retry_after", "unique_id"]


def unique_id(given: Any, taken: Collection[str], form: str) -> str:
    """``given``, or where that is no text, empty or ``taken``, the next free id of ``form`` (``"call_{:04}"``)."""
    call_id = given if isinstance(given, str) else ""
    number = len(taken)
    while not call_id or call_id in taken:
        number += 1
        call_id = form.format(number)
    return call_id


def result_text(result: Any) -> str:
    """A tool's result as the JSON text that the model reads."""
    return sendable(json.dumps(result, ensure_ascii=False))


def retry_after(headers: httpx2.Headers) -> float | None:
    """Seconds. The milliseconds, where the provider sends them, are the exact value; a date is not understood."""
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            return float(headers[name]) / unit
        except (KeyError, ValueError):
            continue
    return None
