"""Shapes named many at a time: ``*`` in the text of a shape stands for anything."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

__all__ = ["matching"]


def matching(pattern: str, shapes: Iterable[object]) -> list[str]:
    """The texts of ``shapes`` that a pattern means, from their first character to their last."""
    meant = _compiled(pattern)
    return [text for text in map(str, shapes) if meant.fullmatch(text)]


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, pattern.split("*"))))
