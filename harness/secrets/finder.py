"""Secrets in a text as it is: secrets of known shape, secrets of known value, and the user's patterns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from urllib.parse import quote, quote_plus

from harness.secrets.edits import Edit
from harness.secrets.learned import SHORTEST_VALUE
from harness.secrets.placeholder import is_placeholder, placeholder
from harness.secrets.published import published_spans
from harness.secrets.shape import SecretShape
from harness.secrets.shapes import SHAPES


@dataclass(frozen=True, slots=True)
class Pattern:
    """A user's own pattern to redact: its name, and its regular expression.

    A group named ``secret`` is replaced alone; without one, the whole match is.
    """

    name: str
    expression: re.Pattern[str]


class Finder:
    """``values`` are secrets by their names, ``OPENAI_API_KEY`` for instance.

    ``learned`` are further secrets. If one of these has a known shape, the shape names the kind, because a request of a
    replay does not come with everything that was learned during the recording.
    """

    def __init__(
        self, values: Mapping[str, str], patterns: Sequence[Pattern], learned: Mapping[str, str] | None = None
    ) -> None:
        self._named = _needles(values)
        self._learned = [each for each in _needles(learned or {}) if each[0] not in dict(self._named)]
        self._needles = sorted([*self._named, *self._learned], key=lambda item: -len(item[0]))
        self._patterns = tuple(patterns)
        self.harmless: set[str] = set()

    @property
    def knows_values(self) -> bool:
        """Whether any secret is known by its value."""
        return bool(self._needles)

    @property
    def has_patterns(self) -> bool:
        """Whether the user has added patterns."""
        return bool(self._patterns)

    def values(self, text: str) -> Iterator[Edit]:
        """Yield an edit for each place where a known secret occurs, the longest secrets first."""
        return _occurrences(text, self._needles)

    def all(self, text: str, words: Sequence[re.Match[str]], bars: Sequence[int]) -> Iterator[Edit]:
        """Yield an edit for everything to be replaced in the text as it is; the one that names the kind comes first.

        ``words`` are the ``long_words`` of the text.
        """
        yield from self.known(text, words)
        yield from self.patterns(text, bars)

    def known(self, text: str, words: Sequence[re.Match[str]]) -> Iterator[Edit]:
        """Edits for all secrets, without the user's patterns, in the order of ``all``."""
        yield from _occurrences(text, self._named)
        yield from _shapes(text, words)
        yield from _occurrences(text, self._learned)

    def patterns(self, text: str, bars: Sequence[int]) -> Iterator[Edit]:
        """Edits for the user's patterns. ``bars`` are offsets, in order, over which no match may reach."""
        for pattern in self._patterns:
            group = "secret" if "secret" in pattern.expression.groupindex else 0
            start = 0
            for end in (*bars, len(text)):
                for match in pattern.expression.finditer(text, start, end):
                    found = match.start(group), match.end(group)
                    if found[0] < found[1] and not is_placeholder(match[group]):
                        yield Edit(*found, placeholder(pattern.name))
                start = end


def _shapes(text: str, words: Sequence[re.Match[str]]) -> Iterator[Edit]:
    """Yield an edit for each text with the shape of a secret that is not a placeholder already."""
    for shape in _possible(text, words):
        for start, end in shape.spans(text):
            if not is_placeholder(text[start:end]):
                yield Edit(start, end, placeholder(shape.kind))
    for kind, start, end in published_spans(text, words):
        if not is_placeholder(text[start:end]):
            yield Edit(start, end, placeholder(kind))


class _Signs:
    """Finds the shapes that a text may have by their signs. Most texts have no sign, which a few searches show.

    A sign that contains another one, in any case of letters, is looked for only if that one has been found.
    """

    def __init__(self, *, in_word: bool) -> None:
        by_sign: dict[str, list[int]] = {}
        for number, shape in enumerate(SHAPES):
            for sign in shape.signs if shape.in_word is in_word else ():
                by_sign.setdefault(sign, []).append(number)
        lower = dict.fromkeys(sign.lower() for sign in by_sign)
        least = [each for each in lower if not any(other in each for other in lower if other != each)]
        self._by_least = [(each, [item for item in by_sign.items() if each in item[0].lower()]) for each in least]

    def numbers(self, text: str) -> Iterator[int]:
        """The numbers of the shapes that a text may have."""
        lower = text.lower()
        for least, signs in self._by_least:
            if least in lower:
                for sign, numbers in signs:
                    if sign in text:
                        yield from numbers


_IN_WORDS: Final = _Signs(in_word=True)
_ANYWHERE: Final = _Signs(in_word=False)


def _possible(text: str, words: Sequence[re.Match[str]]) -> Sequence[SecretShape]:
    """The shapes that a text may have, in their order."""
    numbers = {*_ANYWHERE.numbers(text)}
    if len(words) == 1:
        numbers |= _in_word(words[0][0])
    elif words:
        numbers.update(_IN_WORDS.numbers("\n".join([word[0] for word in words])))
    return [SHAPES[number] for number in sorted(numbers)] if numbers else ()


@lru_cache(maxsize=4096)
def _in_word(word: str) -> frozenset[int]:
    """The numbers of the shapes that a word may have. Cached, because many texts are just one id."""
    return frozenset(_IN_WORDS.numbers(word))


def _needles(values: Mapping[str, str]) -> list[tuple[str, str]]:
    """The ways in which each value may be written, with its placeholder, the longest first."""
    known = {needle: placeholder(name) for name, value in values.items() for needle in needles(value)}
    return sorted(known.items(), key=lambda item: -len(item[0]))


def _occurrences(text: str, needles: Sequence[tuple[str, str]]) -> Iterator[Edit]:
    for needle, replacement in needles:
        at = text.find(needle)
        while at >= 0:
            yield Edit(at, at + len(needle), replacement)
            at = text.find(needle, at + len(needle))


def needles(value: str) -> set[str]:
    """The ways to write a known value that no view decodes."""
    value = value.strip()
    return {value, quote(value, safe=""), quote_plus(value)} if len(value) >= SHORTEST_VALUE else set()
