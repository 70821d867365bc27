"""Members of a request or response that may have any type: a member of an unwanted type counts as missing.

Readers accept all that they can; the rules report wrong types.
"""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
"""A parsed JSON object of a provider: its shape is the provider's, so its members are not typed here."""


def entries(value: Any) -> list[Any]:
    """``value`` if it is a list, else an empty list."""
    return value if isinstance(value, list) else []


def objects(value: Any) -> list[Json]:
    """The objects of a list, without its other entries."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def members(value: Any) -> Json:
    """``value`` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def string(value: Any) -> str:
    """``value`` if it is text, else ``""``."""
    return value if isinstance(value, str) else ""
