"""Where two texts begin to differ, to show a difference between long texts."""

from __future__ import annotations


def same_beginning(one: str, other: str) -> int:
    """How many characters two texts share at their beginning.

    It compares halves, which the interpreter does fast: most of a long text is the same.
    """
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
