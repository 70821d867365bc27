"""Choices that are read from bytes: a value made of them costs Hypothesis one draw, and shrinks with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")

_LENGTHS: Final = (16, 64)


class Choices:
    """One choice after another, a byte each. When the bytes are used up, every choice is the first, the simplest."""

    __slots__ = ("_at", "_drawn")

    def __init__(self, drawn: bytes) -> None:
        self._drawn = drawn
        self._at = 0

    def below(self, limit: int) -> int:
        """A number from 0 to ``limit`` - 1, where ``limit`` is at most 256."""
        if self._at >= len(self._drawn):
            return 0
        self._at += 1
        return self._drawn[self._at - 1] % limit

    def of(self, options: Sequence[T]) -> T:
        """Return one of the options."""
        return options[self.below(len(options))]

    def seldom(self) -> bool:
        """Once in four times."""
        return self.below(4) == 3

    def ordered(self, items: Sequence[T]) -> list[T]:
        """The items in some order, which is their own when nothing is left to choose."""
        left, order = list(items), []
        while left:
            order.append(left.pop(self.below(len(left))))
        return order


def chosen(make: Callable[[Choices], T]) -> st.SearchStrategy[T]:
    """A strategy for the results of ``make``."""
    few, many = _LENGTHS
    return st.binary(min_size=few, max_size=many).map(lambda drawn: make(Choices(drawn)))
