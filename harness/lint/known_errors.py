"""What providers answer with, as words that a pasted error can be compared with: the templates of every rule.

A text has *fixed* words, which the provider always says, and *places*: words of members, ids and codes that it was seen
with. Words count by their weight: the fewer texts have one, the more it says.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from harness.lint.error_messages import words_of
from harness.wire import ErrorTemplate, WireRule, wire_rules
from harness.wire.other_texts import OTHER_TEXTS

_WORD: Final = re.compile(r"\{\w*\}")
"""What differs from one answer to the next, as templates write it."""

_IN_A_BODY: Final = r"\w+[.\[][\w.\[\]*-]*"
"""A member and what is in it: ``messages.1.content``, ``input[3].id``."""


@dataclass(frozen=True, slots=True, eq=False)
class KnownError:
    """A text that a provider answers with to requests that break ``rule``. ``usual``: it is the rule's first.

    ``alone`` finds a message that is nothing else, ``within`` one that has the text somewhere, word for word.
    """

    rule: WireRule
    usual: bool
    words: tuple[str, ...]
    places: frozenset[str]
    alone: re.Pattern[str]
    within: re.Pattern[str]


@cache
def known_errors() -> tuple[KnownError, ...]:
    """Every text with which a provider refuses a request. What none refuses is in the harness's own words."""
    return tuple(known for rule in wire_rules().values() for known in _of_rule(rule))


def _of_rule(rule: WireRule) -> Iterator[KnownError]:
    for number, template in enumerate(rule.templates):
        if template.status >= 400:
            yield from _of_template(rule, template, usual=not number and not rule.aside)
    for text in OTHER_TEXTS.get(rule.id, ()):
        yield _known(rule, text, "", usual=True)


def _of_template(rule: WireRule, template: ErrorTemplate, *, usual: bool) -> Iterator[KnownError]:
    seen_with = f"{template.seen} {template.param or ''} {template.code or ''}"
    for text in dict.fromkeys(filter(None, (template.message, template.seen))):
        yield _known(rule, text, seen_with, usual=usual)


def _known(rule: WireRule, text: str, seen_with: str, *, usual: bool) -> KnownError:
    words = words_of(_WORD.sub("\x00", text))
    fixed = tuple(word.text for word in words if word.fixed)
    places = frozenset(word.text for word in [*words, *words_of(seen_with)] if not word.fixed)
    parts = [re.escape(part) for part in _WORD.split(plain(text))]
    first = _IN_A_BODY if len(parts) > 1 and not parts[0] else ""
    within = first + r"\S+".join(parts[1:] if first else parts)
    return KnownError(rule, usual, fixed, places, re.compile(".+".join(parts)), re.compile(rf"(?<!\w){within}(?!\w)"))


def plain(text: str) -> str:
    """A text in lower case without quotes, and without marks at either end."""
    return re.sub(r"[\"'`]", "", text).lower().strip(" .,:;*\n")


@cache
def _weights() -> Mapping[str, float]:
    texts = {known.words for known in known_errors()}
    counted = Counter(word for words in texts for word in set(words))
    return {word: math.log(1 + len(texts) / count) for word, count in counted.items()}


@cache
def _unknown() -> float:
    weights = sorted(_weights().values())
    return weights[len(weights) // 2]


@cache
def whole_weight(known: KnownError, *, distinct: bool = False) -> float:
    """The weight of all fixed words of a text; ``distinct``: of each once."""
    return sum(map(weight_of, set(known.words) if distinct else known.words))


def weight_of(word: str) -> float:
    """How much a word says. One that no text has weighs as much as most of them do."""
    return _weights().get(word) or _unknown()
