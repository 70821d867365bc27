"""Paths as a user would type them."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path


def shown(path: Path) -> str:
    """The path as the user would type it: relative to the working directory if it is below it."""
    return shown_in(Path.cwd(), path)


@lru_cache(maxsize=256)
def shown_in(here: Path, path: Path) -> str:
    """The path as a user in the folder ``here`` would type it."""
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
