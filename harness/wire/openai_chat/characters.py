"""Halves of surrogate pairs: servers written in JavaScript send them in separate deltas, as escapes."""

from __future__ import annotations

__all__ = ["join_halves"]


def join_halves(text: str) -> str:
    """``text`` with every high surrogate joined to the low one that follows it; a half without its other stays."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text
