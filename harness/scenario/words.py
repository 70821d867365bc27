"""How problems are put into words: alternatives, near misses, and values as they were written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import Any, Final

MOST_PROBLEMS: Final = 100
"""Problems of a file that are reported; of more only the number."""

_SHOWN = 60
_MOST_WORDS = 30
_LONGEST_WORD = 100
"""Characters of a word that others are compared with: the time grows with the square."""


def either(words: Iterable[str]) -> str:
    """``a``, ``a or b``, ``a, b or c``; of many and of long ones the beginnings."""
    some = [_cut(word) for word in islice(words, _MOST_WORDS + 1)]
    last = some.pop() if len(some) <= _MOST_WORDS else "others"
    some = some[:_MOST_WORDS]
    return f"{', '.join(some)} or {last}" if some else last


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``"; did you mean 'prompt'?"``, or nothing when no known word is near."""
    if len(word) > _LONGEST_WORD:
        return ""
    near = get_close_matches(word, [each for each in islice(known, 1_000) if len(each) <= _LONGEST_WORD], n=1)
    return f"; did you mean '{near[0]}'?" if near else ""


def shown(value: Any) -> str:
    """A value as a problem quotes it: short, in the spelling of JSON."""
    if isinstance(value, str):
        return f"'{_cut(value)}'"
    return _cut(json.dumps(value, ensure_ascii=False, default=str))


def first_problems(path: Path, problems: Sequence[str], found: int) -> list[str]:
    """The first of the problems of a file, and how many there are if that is more: ``found``."""
    if found <= MOST_PROBLEMS:
        return list(problems)
    more = f"{path}:1:1: expected a scenario, got {found - MOST_PROBLEMS:,} more problems; correct these first"
    return [*problems[:MOST_PROBLEMS], more]


def _cut(text: str) -> str:
    text = text.replace("\n", "\\n")
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
