"""Whether a value says anything, however a loop wraps it or writes it as JSON."""

from __future__ import annotations

from collections.abc import Collection

from harness.ground.bounded_json import loads


def says_nothing(value: object, wrappers: Collection[str] | None = None) -> bool:
    """Whether a value has no word, number or truth value: null, an empty text, and what has nothing else inside.

    ``wrappers`` are the names of members that say nothing themselves, None: all names.
    """
    if isinstance(value, str):
        inner = _read(value)
        return not inner.strip() if isinstance(inner, str) else says_nothing(inner, wrappers)
    if isinstance(value, dict):
        named = wrappers is None or value.keys() <= set(wrappers)
        return named and all(says_nothing(each, wrappers) for name, each in value.items() if name != "type")
    return value is None or (isinstance(value, list) and all(says_nothing(each, wrappers) for each in value))


def _read(text: str) -> object:
    """The JSON value that a text is; of any other text itself."""
    try:
        value: object = loads(text)
    except ValueError:
        return text
    return value
