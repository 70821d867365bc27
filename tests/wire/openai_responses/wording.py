"""Whether a provider's text may be what a wording says."""

from __future__ import annotations

import re
from functools import cache

from harness.wire import ErrorTemplate, WireRule

_ANYTHING = "…"


def wordings_of(rule: WireRule, text: str) -> list[ErrorTemplate]:
    """The wordings of a rule that a text matches."""
    return [wording for wording in rule.templates if matches(wording.message, text)]


def matches(template: str, text: str) -> bool:
    """Whether a text can come of a template: its ``{words}`` stand for anything, and so does ``…`` in either."""
    return _overlap(re.sub(r"\{\w+\}", _ANYTHING, template), text.replace("...", _ANYTHING))


def _overlap(first: str, second: str) -> bool:
    """Whether some text fits both patterns."""

    @cache
    def fits(i: int, j: int) -> bool:
        if i == len(first) and j == len(second):
            return True
        if i < len(first) and first[i] == _ANYTHING:
            return fits(i + 1, j) or (j < len(second) and fits(i, j + 1))
        if j < len(second) and second[j] == _ANYTHING:
            return fits(i, j + 1) or (i < len(first) and fits(i + 1, j))
        return i < len(first) and j < len(second) and first[i] == second[j] and fits(i + 1, j + 1)

    return fits(0, 0)
