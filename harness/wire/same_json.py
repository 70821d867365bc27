"""Whether two values are the same JSON. For Python 1, 1.0 and true are equal; for a provider they are not."""

from __future__ import annotations

import marshal
from typing import Any

_WITHOUT_REFERENCES = 2
"""The version of the format in which equal values have equal bytes, whichever objects they share."""


def same_json(one: Any, other: Any) -> bool:
    """Whether ``one`` and ``other`` have the same members and items, of the same types, in the same order.

    Values of parsed JSON only. Python's own comparison comes first, since it stops at the first difference.
    """
    if one != other:
        return False
    if isinstance(one, list):  # item by item: for the bytes of a whole history memory must be mapped and unmapped
        return all(map(_same_bytes, one, other))
    return _same_bytes(one, other)


def _same_bytes(one: Any, other: Any) -> bool:
    return json_key(one) == json_key(other)


def json_key(value: Any) -> bytes:
    """Bytes that are equal for two values of parsed JSON if and only if the values are the same."""
    return marshal.dumps(value, _WITHOUT_REFERENCES)
