"""Reasons in comparisons: what they explain, and which of them are needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from harness.imports.comparison import Reason, RecordedComparison


def by_reason(
    comparisons: Sequence[RecordedComparison[Any]], reasons: Iterable[Reason[Any]]
) -> Iterator[tuple[int, str]]:
    """In how many comparisons each reason explains something, if it explains any, with its text."""
    found = Counter(reason.why for each in comparisons for reason, _ in each.explained)
    return ((found[reason.why], reason.why) for reason in reasons if found[reason.why])


def absent(comparisons: Sequence[RecordedComparison[Any]], reasons: Sequence[Reason[Any]]) -> int:
    """The number of reasons that apply to nothing that was compared."""
    return sum(not any(any(True for _ in reason.explains(each.happened)) for each in comparisons) for reason in reasons)


def stale_places(comparison: RecordedComparison[Any]) -> dict[str, list[str]]:
    """The places at which nothing differs although reasons apply, with the reasons' texts."""
    found: dict[str, list[str]] = {}
    for reason, place in comparison.stale:
        found.setdefault(place, []).append(reason.why)
    return found
