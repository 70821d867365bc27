"""JSON text, as providers write it and as they read it.

It is written without spaces and without escapes that UTF-8 does not need; half a surrogate pair is written as its
escape. It is read strictly: Python accepts NaN, Infinity and numbers too large for a double, and would write them back;
no provider does.
"""

from __future__ import annotations

import json
from math import isinf
from typing import Any, NoReturn

from harness.wire.characters import is_sendable, sendable_value


def _refuse_number(number: str) -> NoReturn:
    raise ValueError(f"{number} is not JSON")


def _finite(number: str) -> float:
    value = float(number)
    return _refuse_number(number) if isinf(value) else value


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_DECODER = json.JSONDecoder(parse_constant=_refuse_number, parse_float=_finite)


def compact(value: Any) -> str:
    """``value`` as JSON text, which can always be encoded."""
    text = _ENCODER.encode(value)
    return text if is_sendable(text) else encoded(text).decode()


def encoded(text: str) -> bytes:
    """JSON text as bytes. Half a surrogate pair, which UTF-8 cannot encode, becomes its JSON escape."""
    return text.encode("utf-8", "backslashreplace")


def document(value: Any) -> bytes:
    """``value`` as a JSON document that every reader takes: half a surrogate pair is U+FFFD."""
    try:
        return _ENCODER.encode(value).encode()
    except UnicodeEncodeError:
        return _ENCODER.encode(sendable_value(value)).encode()


def strict(text: str) -> Any:
    """The value of a JSON text. Raises ``ValueError``, and ``RecursionError`` where it is nested too deeply."""
    return _DECODER.decode(text)
