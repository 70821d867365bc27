"""Hypothesis, made to depend on its seed alone.

It also draws constants that it reads in the source of local modules, whichever happen to be imported: in a worker other
ones than in the process that started it, and in a checkout others than where the package is installed. There is no
setting for it, so its own function is replaced while a chunk is worked on (``tests/fuzz/test_determined.py`` fails when
that is no longer enough).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants


@contextmanager
def by_the_seed_alone() -> Iterator[None]:
    """What Hypothesis draws in the block is determined by seed, strategy and database."""
    providers.CONSTANTS_CACHE.cache.clear()
    try:
        with patch.object(providers, "_get_local_constants", Constants):
            yield
    finally:
        providers.CONSTANTS_CACHE.cache.clear()
