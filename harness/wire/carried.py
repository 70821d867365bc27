"""Whether a result that goes back contains a JSON value, however a loop wraps it."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from typing import Any

from harness.wire.base import Result
from harness.wire.results import says


def carries(result: Result, value: Any) -> bool:
    """Whether the result contains ``value``: anywhere in its JSON, in a JSON text within, or as a part of its text."""
    if says(result, value):
        return True
    read = _read(result.output)
    meant = [value]
    if isinstance(value, str) and isinstance(inner := _read(value), dict | list):
        meant.append(inner)  # a loop may send what a JSON text says
    if any(_same(each, one) for each in _leaves(read, whole=True) for one in meant):
        return True
    if isinstance(value, list) and value and not is_python_text(result.output):
        return _in_order(result.output, value)
    spellings = [value.strip()] if isinstance(value, str) else list(_spellings(value))
    return any(spelling in text for text in texts_within(result) for spelling in spellings)


def _in_order(output: str, items: list[Any]) -> bool:
    """Whether the text contains the items in order: a wire may have a part for each item."""
    start = 0
    for item in items:
        texts = [item] if isinstance(item, str) else [json.dumps(item, ensure_ascii=False), *_spellings(item)]
        ends = [at + len(text) for text in texts if (at := output.find(text, start)) >= 0]
        if not ends:
            return any(spelling in output for spelling in _spellings(items))
        start = min(ends)
    return True


def texts_within(result: Result) -> list[str]:
    """The result as a text, and the texts in its JSON."""
    return [result.output, *(each for each in _leaves(_read(result.output)) if isinstance(each, str))]


def _spellings(value: Any) -> Iterator[str]:
    if not isinstance(value, dict | list):
        return
    for ascii_only in (False, True):
        yield json.dumps(value, ensure_ascii=ascii_only)
        yield json.dumps(value, ensure_ascii=ascii_only, separators=(",", ":"))
        yield json.dumps(value, ensure_ascii=ascii_only, indent=2)


def _same(one: Any, other: Any) -> bool:
    """Whether both are the same value; a loop may add members to an object and leave out members that are null."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return all(_same(one.get(key), each) for key, each in other.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, str) and isinstance(other, str):
        return one.strip() == other.strip()
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other or (not _is_long(other) and abs(one - other) <= 1e-9 * abs(other))
    return bool(one == other)


def _is_long(value: object) -> bool:
    """Whether it is a whole number that a double may round: mostly an id, in which every digit counts."""
    return isinstance(value, int) and abs(value) > 2**53


def _leaves(value: Any, *, whole: bool = False, depth: int = 6) -> Iterator[Any]:
    """The values inside, with JSON texts parsed; ``whole``: objects and lists, too."""
    if depth == 0:
        return
    if isinstance(value, str):
        yield value
        if (read := _read(value)) is not value:
            yield from _leaves(read, whole=whole, depth=depth - 1)
        return
    if whole or not isinstance(value, dict | list):
        yield value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in inner:
        yield from _leaves(each, whole=whole, depth=depth - 1)


def _read(text: str) -> Any:
    """The JSON value of a text; the text itself if it is no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def is_python_text(text: str) -> bool:
    """Whether the text is the ``repr`` of a dictionary or a list, and no JSON."""
    return python_value(text) is not None


def python_value(text: str) -> dict[Any, Any] | list[Any] | None:
    """The dictionary or list whose ``repr`` is this text; None if there is none, or if the text is JSON."""
    text = text.strip()
    if text[:1] not in ("{", "[") or _read(text) is not text:
        return None
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    return value if isinstance(value, dict | list) else None
