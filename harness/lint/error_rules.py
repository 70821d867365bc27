"""The rules that a provider's error is about, found from its text alone.

The words of the text are compared with those of every template, in order, and without what differs from one request to
the next: places, ids, numbers, quotes. What is left of these decides between rules to which the provider says the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final, Literal

from harness.lint.error_messages import PastedMessage, Word, messages_in, words_of
from harness.lint.known_errors import KnownError, known_errors, plain, weight_of, whole_weight
from harness.wire import WireRule, route_of, wire_of_rule

Sureness = Literal["certain", "likely", "possible"]
"""The provider's text is there; nearly, or a part that nobody else says; another rule's text fits as well or better."""

_MOST: Final = 3
"""Rules that are found."""

_WHOLE: Final = 0.97
_NEARLY: Final = 0.8
"""How much of a known text makes it whole, and how much nearly, by weight."""

_FEW: Final = 5
"""A known text with fewer fixed words is found word for word only."""

_FEW_IN_A_LINE: Final = 3
"""One with fewer than these only where a message is nothing else."""

_PARTS_OF_A_CODE: Final = 2
"""Strokes in a word that nobody writes but a provider: ``previous_response_not_found``."""

_SOME: Final = 8
"""One with fewer than these must be there with all its words: ``is not enabled for this model`` is said of much."""

_PART: Final = 0.8
"""Of a message that is cut off: how much of it the known text has."""

_FEW_OF_A_PART: Final = 4
_TELLTALE: Final = 27.0
"""The weight of five or six words that hardly another text has."""

_BEGINNING: Final = 15.0
_BEGINNING_OF_A_CUT: Final = 11.5
"""The weight of the first words of a text that nobody else begins so."""

_TIGHT: Final = 0.75
_DENSE: Final = 0.5
"""How close together the words of a part, and of a sentence, are: scattered over a longer text they say nothing."""

_MANY: Final = 3
"""A text that so many rules have says nothing, unless a place or a code in it decides."""

_PATH: Final = re.compile(r"/[\w./:-]*\w")
_BESIDE: Final = re.compile(r"""["'](?:param|code)\\?["']\s*:\s*\\?["']([^"'\\]+)""")


@dataclass(frozen=True, slots=True)
class FoundRule:
    """A rule that may be meant, how sure that is, and the message that says it."""

    rule: WireRule
    sureness: Sureness
    message: str


@dataclass(frozen=True, slots=True)
class _Fit:
    """How well a known text fits a message: how much of either the other has, and whether places and paths agree."""

    known: KnownError
    message: PastedMessage
    covered: float
    explained: float
    alike: float
    routed: bool

    @property
    def rank(self) -> tuple[float, ...]:
        """The best has the greatest: what fits, then path and places, then what is usual and what is certain."""
        both = 2 * self.covered * self.explained / (self.covered + self.explained)
        certain = {"MUST": 2, "SHOULD": 1}.get(self.known.rule.level, 0)
        return (round(both, 2), self.routed, round(self.alike, 2), self.known.usual, certain)

    def equals(self, other: _Fit) -> bool:
        """Nothing in the text decides between the two. Most requests ask for the model's next answer."""
        return self.rank[:3] == other.rank[:3] and self.known.rule.aside is other.known.rule.aside


def rules_for(pasted: str) -> list[FoundRule]:
    """The rules whose texts the pasted one has, the best first, at most three; none where nothing fits."""
    return list(_rules_for(pasted))


@lru_cache(maxsize=1024)
def _rules_for(pasted: str) -> tuple[FoundRule, ...]:
    """The same, remembered: a loop that is refused is often refused again and again."""
    best: dict[str, _Fit] = {}
    for fit in _fits(pasted):
        before = best.get(fit.known.rule.id)
        if before is None or fit.rank > before.rank:
            best[fit.known.rule.id] = fit
    fits = sorted(best.values(), key=lambda fit: fit.rank, reverse=True)
    if not fits or (not fits[0].alike and sum(map(fits[0].equals, fits)) >= _MANY):
        return ()
    near = [fit for fit in fits if fit.rank[0] >= fits[0].rank[0] * _NEARLY]
    return tuple(FoundRule(fit.known.rule, _sureness(fit, fits), fit.message.text) for fit in near[:_MOST])


def _sureness(fit: _Fit, fits: Sequence[_Fit]) -> Sureness:
    if fit is not fits[0] or any(map(fit.equals, fits[1:])):
        return "possible"
    return "certain" if fit.covered >= _WHOLE else "likely"


def _fits(pasted: str) -> Iterator[_Fit]:
    routed, beside = _wires_in(pasted), _words_beside(pasted)
    for message in messages_in(pasted):
        words = words_of(message.text)
        places = beside | {word.text for word in words if not word.fixed}
        for known in _candidates({word.text for word in words if word.fixed}):
            if shares := _shares(known, message, words):
                alike = _alike(places, known.places)
                yield _Fit(known, message, *shares, alike, wire_of_rule(known.rule.id) in routed)


def _candidates(there: set[str]) -> Iterator[KnownError]:
    """The known texts that have enough words in common with a message, in whatever order."""
    least = min(_PART * sum(map(weight_of, there)), _BEGINNING_OF_A_CUT)
    for known in known_errors():
        common = sum(map(weight_of, there.intersection(known.words)))
        if len(known.words) < _FEW or (common and common >= min(_NEARLY * whole_weight(known, distinct=True), least)):
            yield known


def _shares(known: KnownError, message: PastedMessage, words: Sequence[Word]) -> tuple[float, float] | None:
    """How much of the known text the message has, and how much of the message it is; None where that is little."""
    fixed = [word.text for word in words if word.fixed]
    whole = sum(map(weight_of, fixed)) or 1.0
    if len(known.words) < _FEW:
        return (1.0, min(whole_weight(known) / whole, 1.0)) if _is_there(known, message) else None
    at = _common(known.words, fixed)
    common = sum(weight_of(fixed[each]) for each in at)
    covered, explained = common / whole_weight(known), common / whole
    if _is_sentence(known, at, covered) or _is_beginning(known, words):
        return (covered, explained)
    is_cut = len(known.words) >= _SOME and _is_part(at, common, explained if message.whole else 0.0)
    return (covered, explained) if is_cut else None


def _is_there(known: KnownError, message: PastedMessage) -> bool:
    """A short text is all of the message, or stands in it word for word, where it has enough words for that."""
    text = plain(message.text)
    if message.whole and known.alone.fullmatch(text):
        return True
    is_long_enough = len(known.words) >= _FEW_IN_A_LINE or known.words[0].count("_") >= _PARTS_OF_A_CODE
    return is_long_enough and known.within.search(text) is not None


def _is_part(at: Sequence[int], common: float, explained: float) -> bool:
    """A part of a known text: nearly all of a message, or so much of the text that nobody else says it."""
    if explained >= _PART:
        return len(at) >= _FEW_OF_A_PART
    return common >= _TELLTALE and len(at) >= _TIGHT * (at[-1] - at[0] + 1)


def _is_sentence(known: KnownError, at: Sequence[int], covered: float) -> bool:
    """Nearly all words of a known text, near each other."""
    if covered < (_WHOLE if len(known.words) < _SOME else _NEARLY):
        return False
    return len(at) >= _DENSE * (at[-1] - at[0] + 1)


def _is_beginning(known: KnownError, words: Sequence[Word]) -> bool:
    """The first words of a known text are there, without another between them, and enough of them."""
    starts = (at for at, word in enumerate(words) if word.fixed and word.text == known.words[0])
    return any(_begins(known, islice(words, at, None)) for at in starts)


def _begins(known: KnownError, words: Iterator[Word]) -> bool:
    """As much of the text as there is must weigh more where the message goes on with other words."""
    same, is_cut = 0, True
    for word in words:
        is_same = word.fixed and same < len(known.words) and word.text == known.words[same]
        if word.fixed and not is_same:
            break
        same, is_cut = same + is_same, not word.fixed
    else:
        is_cut = True
    least = _BEGINNING_OF_A_CUT if is_cut else _BEGINNING
    return same >= _FEW_OF_A_PART and sum(map(weight_of, known.words[:same])) >= least


def _common(known: Sequence[str], words: Sequence[str]) -> list[int]:
    """Where in a message the heaviest words stand that it has in the same order as the known text."""
    rows = [[0.0] * (len(words) + 1)]
    for word in known:
        above, row, weight = rows[-1], [0.0], weight_of(word)
        for number, there in enumerate(words):
            same = above[number] + weight if word == there else 0.0
            row.append(max(same, above[number + 1], row[-1]))
        rows.append(row)
    return _steps(rows)


def _steps(rows: Sequence[Sequence[float]]) -> list[int]:
    """The columns in which the table grows along its best way."""
    found, at = [], len(rows[0]) - 1
    for above, row in zip(reversed(rows[:-1]), reversed(rows[1:]), strict=True):
        while at and row[at] == row[at - 1]:
            at -= 1
        if at and row[at] > above[at]:
            at -= 1
            found.append(at)
    return found[::-1]


def _alike(places: frozenset[str], seen: frozenset[str]) -> float:
    """How much two sets of words have in common."""
    every = places | seen
    return len(places & seen) / len(every) if every else 0.0


def _words_beside(pasted: str) -> frozenset[str]:
    """The words of the member and the code that an error body names beside its message."""
    return frozenset(word.text for value in _BESIDE.findall(pasted) for word in words_of(value))


def _wires_in(pasted: str) -> frozenset[str]:
    """The wires of the paths in a pasted line: ``POST /v1/messages``."""
    routes = (route_of("POST", path) for path in dict.fromkeys(_PATH.findall(pasted[:2000])))
    return frozenset(route.wire for route in routes if route is not None)
