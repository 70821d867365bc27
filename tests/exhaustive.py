"""Which tests are exhaustive: CI runs them, and whoever asks for ``-m exhaustive`` (``CONTRIBUTING.md``).

A test function that goes through everything of a kind has the marker ``exhaustive``. One of which some cases show as
much after most changes has ``sampled(N)``: each Nth of its cases belongs to all tests, the others are exhaustive.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

__all__ = ["mark_exhaustive"]


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
