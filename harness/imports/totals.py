"""Comparisons counted, as lines of plain text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness_lab.recorded.comparison import Comparison, Reason, Verdict


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that was counted: its name, what the name means, and its ``kind`` (a wire, say)."""

    name: str
    example: str
    kind: str = ""


def verdicts(comparisons: Iterable[Comparison[Any]]) -> Counter[Verdict]:
    """How many comparisons have each verdict."""
    return Counter(each.verdict for each in comparisons)


def table(
    title: str, columns: Sequence[str], rows: Mapping[str, Sequence[int]], names: Iterable[str] = ()
) -> Iterator[str]:
    """A table of counts and an empty line; nothing if there is no row. ``names`` widen the first column."""
    if not rows:
        return
    width = max(map(len, (title, *rows, *names)))
    yield "  ".join([f"{title:{width}}", *columns])
    for name, counts in rows.items():
        yield "  ".join([f"{name:{width}}", *(f"{count:{len(to)}}" for count, to in zip(counts, columns, strict=True))])
    yield ""


def entries(title: str, explanations: Mapping[Any, str], found: Iterable[Entry]) -> Iterator[str]:
    """How often each name was found, in the order of ``explanations``, with its kinds, its meaning, and an example."""
    by_name: dict[str, list[Entry]] = {name: [] for name in explanations}
    for entry in found:
        by_name[entry.name].append(entry)
    if not any(by_name.values()):
        return
    yield title
    for name, those in by_name.items():
        if those:
            yield f"  {len(those):4}  {name}: {explanations[name]}"
            if kinds := Counter(each.kind for each in those if each.kind):
                yield f"        {', '.join(f'{kind} {count}' for kind, count in kinds.items())}"
            yield f"        for example {those[0].example}"
    yield ""


def named(reasons: Iterable[Reason[Any]]) -> dict[str, str]:
    """The meanings of the names of ``reasons``."""
    return {reason.name: reason.why for reason in reasons}


def by_reason(comparisons: Sequence[Comparison[Any]], reasons: Iterable[Reason[Any]]) -> Iterator[tuple[int, str]]:
    """In how many comparisons each reason explains something, if it explains any, with its text."""
    found = Counter(reason.why for each in comparisons for reason, _ in each.explained)
    return ((found[reason.why], reason.why) for reason in reasons if found[reason.why])


def absent(comparisons: Sequence[Comparison[Any]], reasons: Sequence[Reason[Any]]) -> int:
    """The number of reasons that apply to nothing that was compared."""
    return sum(not any(any(True for _ in reason.explains(each.happened)) for each in comparisons) for reason in reasons)


def stale_places(comparison: Comparison[Any]) -> dict[str, list[str]]:
    """The places at which nothing differs although reasons apply, with the reasons' texts."""
    found: dict[str, list[str]] = {}
    for reason, place in comparison.stale:
        found.setdefault(place, []).append(reason.why)
    return found
