"""Checks a parser with an example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from harness.fuzz.arguments.document import ReadObject, document_of
from harness.fuzz.arguments.example import ArgumentsExample, Stretch
from harness.fuzz.arguments.judging import evidently_right, judge, judge_cut
from harness.fuzz.arguments.subjects import Parser, is_python
from harness.fuzz.arguments.work import work
from harness.fuzz.campaign import Falsified
from harness.fuzz.strategies.splits import pieces

MOST_GROWTH: Final = 2.5
"""The most that the work may grow for twice the text; reading all of it again with every delta makes four."""


def check(example: ArgumentsExample, parser: Parser) -> int:
    """Check the parser. Returns how often it was run; raises ``Falsified`` for a mistake."""
    if example.stretch is not None:
        return _linear(example, example.stretch, parser) if is_python(parser) else 0
    document = document_of(example.text)
    deltas = pieces(example.text, example.sizes)
    shown = _shown(parser, deltas, document)
    if len(deltas) > 1:
        judge_cut(document, deltas, shown[-1], _shown_whole(parser, example.text))
    return 1


def _shown(parser: Parser, deltas: Sequence[str], document: ReadObject) -> Sequence[Any]:
    shown = _run(parser, deltas, document)
    if len(shown) != len(deltas) or not evidently_right(document, shown):
        judge(document, deltas, shown)
    return shown


def _run(parser: Parser, deltas: Sequence[str], document: ReadObject) -> Sequence[Any]:
    try:
        return parser(deltas, document.words)
    except Exception as error:
        raise Falsified("raises", "no exception", f"{type(error).__name__}: {error}") from error


@lru_cache(maxsize=256)
def _shown_whole(parser: Parser, text: str) -> Mapping[str, Any]:
    """What is shown of a text that comes in one delta. Cached, because the same text comes in many cuts."""
    whole: Mapping[str, Any] = _shown(parser, [text], document_of(text))[-1]
    return whole


def _linear(example: ArgumentsExample, stretch: Stretch, parser: Parser) -> int:
    _work(example.stretched(1), example.sizes, parser)  # what a parser prepares when it first runs is no part of it
    once, twice = (_work(example.stretched(stretch.times * factor), example.sizes, parser) for factor in (1, 2))
    if twice > MOST_GROWTH * once:
        raise Falsified(
            "linear", f"at most {MOST_GROWTH} times the work for twice the text", f"{twice / once:.1f} times"
        )
    return 3


def _work(text: str, sizes: Sequence[int], parser: Parser) -> int:
    deltas = _CountedDeltas(pieces(text, sizes))
    document = document_of(text)
    return work(lambda: _run(parser, deltas, document), lambda: deltas.come)


class _CountedDeltas(list[str]):
    """Deltas that know how many characters of them have been taken."""

    come = 0

    def __iter__(self) -> Any:
        for delta in super().__iter__():
            self.come += len(delta)
            yield delta
