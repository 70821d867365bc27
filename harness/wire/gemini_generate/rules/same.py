"""Whether two JSON values say the same, without writing either of them: as protobuf JSON compares.

The order of members does not count, 1 and 1.0 are one number (but not ``true``), and half a surrogate pair, which no
request may hold, is the replacement character that a careful loop sends in its place.
"""

from __future__ import annotations

from typing import Any, Final

from harness.wire.characters import sendable

_MISSING: Final = object()


def same(one: Any, other: Any) -> bool:
    """Whether the values say the same."""
    if isinstance(one, str) and isinstance(other, str):
        return sendable(one) == sendable(other)
    if isinstance(one, dict) and isinstance(other, dict):
        return len(one) == len(other) and _same_members(one, other)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) is isinstance(other, bool) and bool(one == other)


def _same_members(one: dict[str, Any], other: dict[str, Any]) -> bool:
    for name, value in one.items():
        if not same(value, other[name] if name in other else other.get(sendable(name), _MISSING)):
            return False
    return True


def fingerprint(value: Any) -> int:
    """A number that is equal for values that say the same."""
    if isinstance(value, str):
        return hash(sendable(value))
    if isinstance(value, dict):
        return hash(frozenset((sendable(name), fingerprint(member)) for name, member in value.items()))
    if isinstance(value, list):
        return hash(tuple(map(fingerprint, value)))
    return hash((isinstance(value, bool), value))
