"""Partial arguments: a push parser against parsing the accumulated text after every delta.

Both say after every delta what is new in ``path`` and ``content``. The re-parser is quadratic: where a full run would
take too long it is sampled at evenly spaced prefixes and scaled to the number of deltas. jiter is what the provider
SDKs use; ``partial_mode="trailing-strings"`` also shows the open string.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median

import jiter

from benchmarks.tracking.figure import Figure, Goal
from benchmarks.tracking.measure import cpu, exponent, interleaved, per, repeated, rounds_of
from harness.loop.partial_arguments import PartialArguments

KB = 1024
SAMPLES = 48
TIMES_FASTER = {(4 * KB, 4): 5.0, (32 * KB, 4): 30.0, (256 * KB, 4): 300.0}
GROWTH = Goal("ours", "at most", 1.05)
LOSS = Goal("ours", "at most", 50e-6)

_PARAGRAPH = """<section class="menu" data-day="1">
\t<h2>Crème brûlée — 4,50 €</h2>
\t<p>Fresh daily, baked at 5 o'clock by Zoë and Jürgen: 焼きたてのパン 🥐 and \u2028 rye, walnut bread, plum cake.</p>
\t<p class="note">Please order "large" cakes two days ahead; we deliver from ten in the morning.</p>
\t<script>if (a < b && /\\d+/.test("x")) { log('C:\\\\bakery'); }</script>
</section>
"""
"""About 75 backslash escapes in 1,024 characters of arguments, as in pages that models write."""


def figures(quick: bool) -> Iterator[Figure]:
    rounds = 3 if quick else 7
    for size in (4, 32, 256) if quick else (4, 32, 256, 1024):
        for step in (4,) if quick else (4, 16, 64):
            yield _large(size * KB, step, rounds)
    yield _growth("growth from 32 KB to 1 MB, what is new after every delta", push, rounds, GROWTH)
    yield _growth("growth, the whole value every 40 characters", push_whole, rounds)
    yield _worst_loss(rounds)


# --- the candidates ---------------------------------------------------------------------------------------


def push(deltas: list[str]) -> None:
    feed = PartialArguments(watch=("path", "content")).feed
    for delta in deltas:
        feed(delta)


def push_whole(deltas: list[str]) -> None:
    """A consumer that wants the whole value whenever it has grown by 40 characters."""
    parser = PartialArguments(watch=("path", "content"))
    grown = 0
    for delta in deltas:
        grown += sum([len(text) for _, text in parser.feed(delta)])
        if grown >= 40:
            grown = 0
            parser.value("content")


def reparse(deltas: list[str]) -> None:
    accumulated = b""
    for delta in deltas:
        accumulated += delta.encode()
        jiter.from_json(accumulated, partial_mode="trailing-strings")


def reparse_sampled(deltas: list[str]) -> float:
    """CPU seconds that ``reparse`` would take, estimated."""
    body = "".join(deltas).encode()
    ends = [len(body) * (2 * sample + 1) // (2 * SAMPLES) for sample in range(SAMPLES)]

    def parse_samples() -> None:
        for end in ends:
            accumulated = body[:end]  # the copy that adding a delta to the text costs
            jiter.from_json(accumulated, partial_mode="trailing-strings")

    return cpu(parse_samples) / SAMPLES * len(deltas)


# --- the figures ------------------------------------------------------------------------------------------


def _large(size: int, step: int, rounds: int) -> Figure:
    """The time of a delta, over all deltas of one call's arguments."""
    deltas = _cut(_arguments(size), step)
    times = 1 + 200_000 // len(deltas)  # long enough to be measured, cold start shared out
    sampled = len(deltas) > 2048
    times_faster = TIMES_FASTER.get((size, step))
    measures: dict[str, Callable[[], float]] = {
        "push": lambda: cpu(repeated(partial(push, deltas), times)) / times,
        "jiter": partial(reparse_sampled, deltas) if sampled else lambda: cpu(partial(reparse, deltas)),
    }
    taken = rounds_of(measures, rounds)
    return Figure.of(
        f"a delta of {step} characters, of {size // KB:,} KB",
        per(taken["push"], len(deltas)),
        *([Goal("ratio", "at most", 1 / times_faster)] if times_faster else []),
        beside="jiter, sampled" if sampled else "jiter",
        theirs=per(taken["jiter"], len(deltas)),
    )


def _growth(what: str, work: Callable[[list[str]], None], rounds: int, *goals: Goal) -> Figure:
    small, large = (partial(work, _cut(_arguments(size * KB), 4)) for size in (32, KB))
    times = interleaved({"small": repeated(small, 8), "large": large}, rounds)
    found = [exponent(one / 8, other, 32) for one, other in zip(times["small"], times["large"], strict=True)]
    return Figure.of(what, found, *goals, unit="exponent")


def _worst_loss(rounds: int) -> Figure:
    """Below some hundred characters re-parsing is cheaper; this is what a call loses there at most."""
    texts = ["{}", '{"path": "a.html"}', *(_arguments(size) for size in (64, 128, 256, 512))]
    found = [_loss(_cut(text, step), rounds) for text in texts for step in (4, 16, 64, len(text))]
    return Figure.of("a call with tiny arguments, the most that it loses against jiter", max(found, key=median), LOSS)


def _loss(deltas: list[str], rounds: int) -> list[float]:
    works = {"push": repeated(partial(push, deltas), 200), "jiter": repeated(partial(reparse, deltas), 200)}
    times = interleaved(works, rounds)
    return per([ours - theirs for ours, theirs in zip(times["push"], times["jiter"], strict=True)], 200)


def _arguments(size: int) -> str:
    """Tool arguments of about ``size`` characters: a page with escapes, half of its non-ASCII as ``\\uXXXX``."""
    plain = json.dumps(_PARAGRAPH, ensure_ascii=False)[1:-1]
    escaped = json.dumps(_PARAGRAPH)[1:-1]
    head, tail = '{"path": "index.html", "content": "', '"}'
    room = size - len(head) - len(tail)
    return head + (plain + escaped) * (room // len(plain + escaped)) + "x" * (room % len(plain + escaped)) + tail


def _cut(text: str, step: int) -> list[str]:
    return [text[at : at + step] for at in range(0, len(text), step)]
