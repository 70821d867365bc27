"""A text that a regular expression matches, drawn from its parts: the same for a seed on every run."""

from __future__ import annotations

import re
import re._constants as ops  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
import string
from collections.abc import Sequence
from random import Random
from typing import Any

_ANY = string.ascii_letters + string.digits
_WORD = _ANY + "_"
_MOST = 400
_CLASSES = {
    ops.CATEGORY_DIGIT: string.digits,
    ops.CATEGORY_WORD: _WORD,
    ops.CATEGORY_SPACE: " ",
    ops.CATEGORY_NOT_SPACE: _ANY,
    ops.CATEGORY_NOT_WORD: " ",
}


def text_of(pattern: str, seed: str) -> str:
    """A text of the shortest lengths that ``pattern`` allows."""
    random = Random(seed)
    for _ in range(50):
        drawn = _drawn(list(parser.parse(pattern)), random)
        if re.search(pattern, drawn):
            return drawn
    raise AssertionError(f"cannot draw a text of {pattern}")


def _drawn(items: Sequence[Any], random: Random) -> str:
    return "".join(_one(operation, argument, random) for operation, argument in items)


def _one(operation: Any, argument: Any, random: Random) -> str:
    if operation is ops.LITERAL:
        return chr(argument)
    if operation is ops.ANY or operation is ops.NOT_LITERAL:
        return random.choice(_ANY)
    if operation is ops.IN:
        return random.choice(_letters(argument))
    if operation in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
        least, most, inner = argument
        count = least if least else min(int(most), 1) if random.random() < 0.3 else 0
        if most > least and least == 1:
            count = 1 if "SPACE" in str(inner) else min(12, int(most))  # one or more: as a key would have
        return "".join(_drawn(list(inner), random) for _ in range(min(count, _MOST)))
    if operation is ops.SUBPATTERN:
        return _drawn(list(argument[3]), random)
    if operation is ops.BRANCH:
        return _drawn(list(random.choice(argument[1])), random)
    if operation is ops.CATEGORY:
        return random.choice(_CLASSES[argument])
    return ""


def _letters(items: Sequence[Any]) -> str:
    letters: list[str] = []
    for operation, argument in items:
        if operation is ops.NEGATE:
            return _ANY
        if operation is ops.LITERAL:
            letters.append(chr(argument))
        elif operation is ops.RANGE:
            letters += [chr(code) for code in range(argument[0], argument[1] + 1)]
        elif operation is ops.CATEGORY:
            letters += _CLASSES[argument]
    good = [letter for letter in letters if letter.isalnum()]
    return "".join(good or letters)
