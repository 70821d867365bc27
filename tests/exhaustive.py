"""Which tests are exhaustive: CI runs them, and whoever asks for ``-m exhaustive`` (``CONTRIBUTING.md``).

A test function that goes through everything of a kind has the marker ``exhaustive``. One of which some cases show as
much after most changes has ``sampled(N)``: each Nth of its cases belongs to all tests, the others are exhaustive.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

_MARKED = re.compile(r"\bmark\.(exhaustive|sampled)\b")


def mark_exhaustive(items: Iterable[pytest.Item]) -> None:
    """Mark the cases of sampled functions that are no part of their samples. The first case of each is one."""
    seen: Counter[str] = Counter()
    for item in items:
        if (sampled := item.get_closest_marker("sampled")) is None:
            continue
        function = item.nodeid.partition("[")[0]
        if seen[function] % sampled.args[0]:
            item.add_marker(pytest.mark.exhaustive)
        seen[function] += 1


@cache
def has_none(path: Path) -> bool:
    """Whether a path is a test module of which no test is exhaustive: its text names neither marker."""
    is_module = path.name.startswith("test_") and path.suffix == ".py"
    return is_module and _MARKED.search(path.read_text(encoding="utf-8")) is None


def unnamed(items: Iterable[pytest.Item]) -> list[str]:
    """The modules of exhaustive tests whose text names no marker: where these are asked for they would be left out."""
    exhaustive = {item.path for item in items if item.get_closest_marker("exhaustive")}
    return sorted(str(path) for path in exhaustive if has_none(path))
