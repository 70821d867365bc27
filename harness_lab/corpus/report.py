"""What a corpus run found, as lines of plain text. The last line is the counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from harness_lab.corpus.as_sent import RESTORED
from harness_lab.corpus.features import FEATURES
from harness_lab.corpus.outcome import REASONS, Outcome, Verdict

__all__ = ["report"]

_MOST_SHOWN = 50
"""Disagreements shown one by one."""


def report(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Tables per provider, wire and feature, what was put back, what is unsupported, every disagreement, the counts."""
    yield from _table("provider", outcomes, lambda each: (each.exchange.provider,))
    yield from _table("wire", outcomes, lambda each: (each.wire or "none",))
    judged = [each for each in outcomes if each.verdict != "unsupported"]
    yield from _table("feature", judged, lambda each: each.features, order=FEATURES)
    yield from _examples("put back as it was sent", RESTORED, outcomes, lambda each: each.restored)
    unsupported = [each for each in outcomes if each.verdict == "unsupported"]
    yield from _examples("unsupported", REASONS, unsupported, lambda each: (each.detail,))
    yield from _disagreements([each for each in outcomes if each.verdict == "disagreed"])
    yield _counts(outcomes)


Keys = Callable[[Outcome], Iterable[str]]


def _table(title: str, outcomes: Sequence[Outcome], keys: Keys, order: Sequence[str] = ()) -> Iterator[str]:
    """How many exchanges have each key, and what became of them; nothing where there is no exchange."""
    rows: dict[str, list[Outcome]] = {key: [] for key in order}
    for outcome in outcomes:
        for key in keys(outcome):
            rows.setdefault(key, []).append(outcome)
    names = [key for key in rows if rows[key]] if order else sorted(rows)
    if not names:
        return
    width = max(map(len, [title, *names]))
    yield f"{title:{width}}  exchanges  parsed  agreed  disagreed  unsupported"
    for name in names:
        agreed, disagreed, unsupported = _tally(rows[name])
        total, parsed = len(rows[name]), agreed + disagreed
        yield f"{name:{width}}  {total:9}  {parsed:6}  {agreed:6}  {disagreed:9}  {unsupported:11}"
    yield ""


def _tally(outcomes: Sequence[Outcome]) -> tuple[int, int, int]:
    verdicts: tuple[Verdict, ...] = ("agreed", "disagreed", "unsupported")
    agreed, disagreed, unsupported = (sum(each.verdict == verdict for each in outcomes) for verdict in verdicts)
    return agreed, disagreed, unsupported


def _examples(title: str, meanings: dict[str, str], outcomes: Sequence[Outcome], keys: Keys) -> Iterator[str]:
    """What each key means, how many exchanges have it, and one of them."""
    found = {name: [each for each in outcomes if name in keys(each)] for name in meanings}
    if not any(found.values()):
        return
    yield title
    for name, those in found.items():
        if those:
            yield f"  {len(those):4}  {name}: {meanings[name]}"
            yield f"        for example {those[0].exchange.name}"
    yield ""


def _disagreements(outcomes: Sequence[Outcome]) -> Iterator[str]:
    for outcome in outcomes[:_MOST_SHOWN]:
        yield f"DISAGREED {outcome.wire} {outcome.exchange.name}"
        yield f"  {outcome.detail}"
    if len(outcomes) > _MOST_SHOWN:
        yield f"... and {len(outcomes) - _MOST_SHOWN} more"
    if outcomes:
        yield ""


def _counts(outcomes: Sequence[Outcome]) -> str:
    agreed, disagreed, unsupported = _tally(outcomes)
    counts = (
        f"{len(outcomes)} exchanges: {agreed + disagreed} parsed, {agreed} agreed, {disagreed} disagreed, "
        f"{unsupported} unsupported"
    )
    cut = sum(each.cut for each in outcomes)
    return f"{counts}; {cut} streams agreed again when cut apart" if cut else counts
