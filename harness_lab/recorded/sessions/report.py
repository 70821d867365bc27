"""The verdicts on the recorded exchanges, as lines of plain text. The last line is the counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from harness.cassette.recordings.as_sent import RESTORED
from harness.imports.comparison import RecordedComparison
from harness.imports.totals import CountedEntry, entries, table, verdicts
from harness_lab.recorded.sessions.features import FEATURES
from harness_lab.recorded.sessions.read_exchange import UNSUPPORTED, ReadExchange

_MOST_SHOWN = 50
"""Disagreements shown one by one."""

_COLUMNS = ("exchanges", "parsed", "agreed", "disagreed", "unsupported")

_Compared = Sequence[RecordedComparison[ReadExchange]]


def report(compared: _Compared) -> Iterator[str]:
    """Tables per provider, wire and feature, restorations, unsupported exchanges, every disagreement, the counts."""
    yield from _table("provider", compared, lambda each: (each.exchange.provider,))
    yield from _table("wire", compared, lambda each: (each.wire or "none",))
    read = [each for each in compared if each.verdict != "not compared"]
    yield from _table("feature", read, lambda each: each.features, order=FEATURES)
    restored = (CountedEntry(name, each.happened.exchange.name) for each in compared for name in each.happened.restored)
    yield from entries("put back as it was sent", RESTORED, restored)
    unsupported = (CountedEntry(each.obstacle.name, each.happened.exchange.name) for each in compared if each.obstacle)
    yield from entries("unsupported", UNSUPPORTED, unsupported)
    yield from _disagreements([each for each in compared if each.differences])
    yield _counts(compared)


def _table(
    title: str, compared: _Compared, keys: Callable[[ReadExchange], Iterable[str]], order: Sequence[str] = ()
) -> Iterator[str]:
    """How many exchanges have each key, and their verdicts."""
    rows: dict[str, list[RecordedComparison[ReadExchange]]] = {key: [] for key in order}
    for each in compared:
        for key in keys(each.happened):
            rows.setdefault(key, []).append(each)
    names = [key for key in rows if rows[key]] if order else sorted(rows)
    yield from table(title, _COLUMNS, {name: (len(rows[name]), *_tally(rows[name])) for name in names})


def _tally(compared: _Compared) -> tuple[int, int, int, int]:
    """How many were parsed, agreed, disagreed and are unsupported."""
    counts = verdicts(compared)
    agreed, disagreed = counts["agrees"], counts["differs"]
    return agreed + disagreed, agreed, disagreed, counts["not compared"]


def _disagreements(disagreeing: _Compared) -> Iterator[str]:
    for each in disagreeing[:_MOST_SHOWN]:
        yield f"DISAGREED {each.happened.wire} {each.happened.exchange.name}"
        yield f"  {each.differences[0]}"
    if len(disagreeing) > _MOST_SHOWN:
        yield f"... and {len(disagreeing) - _MOST_SHOWN} more"
    if disagreeing:
        yield ""


def _counts(compared: _Compared) -> str:
    parsed, agreed, disagreed, unsupported = _tally(compared)
    counts = (
        f"{len(compared)} exchanges: {parsed} parsed, {agreed} agreed, {disagreed} disagreed, {unsupported} unsupported"
    )
    cut = sum(each.happened.cut for each in compared)
    return f"{counts}; {cut} streams agreed again when cut apart" if cut else counts
