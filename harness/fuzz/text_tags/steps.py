"""Work counted, without a clock."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar

T = TypeVar("T")


def steps(work: Callable[[], T]) -> tuple[int, T]:
    """The number of lines of Python that ``work`` executes, and its result. Work in C is not counted."""
    counted = 0

    def count(frame: FrameType, event: str, argument: Any) -> Any:  # noqa: ARG001 - the signature of a trace function
        nonlocal counted
        counted += 1
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        result = work()
    finally:
        sys.settrace(before)
    return counted, result
