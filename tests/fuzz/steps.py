"""An enumeration in another order, for tests that look for its first example with some property."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def in_steps(examples: Sequence[T], size: int = 101) -> Iterator[T]:
    """All examples, each once: every 101st, and then those between. An example of every kind comes soon, while the
    enumeration has thousands of one kind in a row."""
    for first in range(size):
        yield from examples[first::size]
