"""Whether a text looks drawn at random, as keys are, or written, as everything else is."""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import lru_cache
from typing import Final

_RANDOM: Final = 3.5
"""Bits per character from which a text counts as random (as in the generic rule of gitleaks)."""

_DRAWN: Final = 3.0
"""The same for a text whose beginning or name marks it as a key: hexadecimal digits have no more than 4."""

_WORDS: Final = re.compile(r"[A-Za-z]+(?:[-_. ][A-Za-z]+)+(?:[-_.]?\d{1,4})?")


def bits(text: str) -> float:
    """Shannon's entropy of the characters of a text, in bits per character."""
    counts = Counter(text).values()
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts) if text else 0.0


@lru_cache(maxsize=4096)
def looks_drawn(text: str) -> bool:
    """Whether a text with the beginning or the name of a key is random, and no example of words or of one letter."""
    return bits(text) >= _DRAWN and not (_WORDS.fullmatch(text) and (text.islower() or text.isupper()))


def looks_random(text: str) -> bool:
    """Whether a text without such a beginning looks random: letters and digits, hardly one of them twice."""
    return bool(re.search(r"\d", text) and re.search(r"[A-Za-z]", text)) and bits(text) >= _RANDOM
