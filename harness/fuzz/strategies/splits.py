"""How a text, or the bytes of a response, arrive in pieces."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import Final, TypeVar

from hypothesis import strategies as st

Data = TypeVar("Data", str, bytes)

LARGEST_PIECE: Final = 16


def sizes(*, max_sizes: int = 12) -> st.SearchStrategy[tuple[int, ...]]:
    """Sizes of pieces, each from 1 to ``LARGEST_PIECE``; none for a text that comes whole.

    Drawn as bytes and not as a list of integers, which makes examples faster.
    """
    return st.binary(max_size=max_sizes).map(lambda drawn: tuple(1 + byte % LARGEST_PIECE for byte in drawn))


def pieces(data: Data, sizes: Sequence[int]) -> list[Data]:
    """``data`` cut into pieces of these sizes, over and over until its end; without a size in one piece.

    A size of 0 is an empty piece. Raises ``ValueError`` for a size below 0, and where every size is 0.
    """
    if len(sizes) == 1 and sizes[0] > 0:
        return [data[at : at + sizes[0]] for at in range(0, len(data), sizes[0])]
    if sizes and (min(sizes) < 0 or not any(sizes)):
        raise ValueError(f"expected sizes of at least 0, and not all 0, got {tuple(sizes)}")
    cut: list[Data] = []
    at = 0
    for size in cycle(sizes or (len(data) or 1,)):
        if at >= len(data):
            break
        cut.append(data[at : at + size])
        at += size
    return cut
