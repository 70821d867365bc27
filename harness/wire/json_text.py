"""JSON as providers write it: no spaces, nothing escaped that UTF-8 can say, half a surrogate pair as its escape."""

from __future__ import annotations

import json
from typing import Any

from harness.wire.characters import is_sendable

__all__ = ["compact", "encoded"]

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def compact(value: Any) -> str:
    """``value`` as JSON text, which can always be encoded."""
    text = _ENCODER.encode(value)
    return text if is_sendable(text) else encoded(text).decode()


def encoded(text: str) -> bytes:
    """JSON text as bytes. What Python writes for a half that UTF-8 cannot say is the JSON escape."""
    return text.encode("utf-8", "backslashreplace")
