"""Comparisons counted, as lines of plain text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.imports.comparison import Reason, RecordedComparison, Verdict


@dataclass(frozen=True, slots=True)
class CountedEntry:
    """One thing that was counted: its name, what the name means, and its ``kind`` (a wire, say)."""

    name: str
    example: str
    kind: str = ""


def verdicts(comparisons: Iterable[RecordedComparison[Any]]) -> Counter[Verdict]:
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


def entries(title: str, explanations: Mapping[Any, str], found: Iterable[CountedEntry]) -> Iterator[str]:
    """How often each name was found, in the order of ``explanations``, with its kinds, its meaning, and an example."""
    by_name: dict[str, list[CountedEntry]] = {name: [] for name in explanations}
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
