"""Makes Hypothesis depend on its seed alone.

Hypothesis also draws constants from the source of local modules, depending on which are imported: a worker imports
others than the process that started it, and a checkout has others than an installed package. There is no setting for
that, so its own function is replaced while a chunk runs (``tests/fuzz/test_determined.py`` fails when that is not
enough any more).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants


@contextmanager
def by_the_seed_alone() -> Iterator[None]:
    """In the block, seed, strategy and database alone determine what Hypothesis draws."""
    providers.CONSTANTS_CACHE.cache.clear()
    try:
        with patch.object(providers, "_get_local_constants", Constants):
            yield
    finally:
        providers.CONSTANTS_CACHE.cache.clear()
