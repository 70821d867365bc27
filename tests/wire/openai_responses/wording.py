"""Whether a provider's text may be what an answer of a rule says."""

from __future__ import annotations

import re

from harness.wire import ErrorTemplate, WireRule

_ANYTHING = "…"


def wordings_of(rule: WireRule, text: str) -> list[ErrorTemplate]:
    """The wordings of a rule that a text matches."""
    return [wording for wording in rule.templates if matches(wording.message, text)]


def saying(rules: tuple[WireRule, ...], text: str) -> list[str]:
    """The rules that have a wording for a text."""
    return [rule.id for rule in rules if wordings_of(rule, text)]


def matches(template: str, text: str) -> bool:
    """Whether a text can come of a template: its ``{words}`` stand for anything, and so does ``…`` in either."""
    pieces = re.split(r"\{\w+\}|…", template)
    if _ANYTHING not in text:
        return re.fullmatch(".*".join(map(re.escape, pieces)), text, re.DOTALL) is not None
    return _overlap(_ANYTHING.join(pieces), text)


def _overlap(first: str, second: str) -> bool:
    """Whether some text fits both patterns: ``reached`` are the places in ``second``, letter by letter of ``first``."""
    reached = _over_gaps({0}, second)
    for letter in first:
        if letter == _ANYTHING:
            reached = set(range(min(reached), len(second) + 1)) if reached else reached
        else:
            stay = {at for at in reached if second[at : at + 1] == _ANYTHING}
            reached = stay | {at + 1 for at in reached if second[at : at + 1] == letter}
        reached = _over_gaps(reached, second)
    return len(second) in reached


def _over_gaps(reached: set[int], text: str) -> set[int]:
    """A gap may be empty."""
    more = {at + 1 for at in reached if text[at : at + 1] == _ANYTHING} - reached
    return _over_gaps(reached | more, text) if more else reached
