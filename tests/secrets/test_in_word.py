"""A shape that says ``in_word`` matches letters of ``long_words`` alone, and as many as those have at least."""

from __future__ import annotations

import re
import re._constants as sre
import re._parser as parser
import string
from collections.abc import Iterable
from typing import Any

import pytest

from harness.secrets.shape import SecretShape, long_words
from harness.secrets.shapes import SHAPES

LETTERS = frozenset(string.ascii_letters + string.digits + "_.~+/=$!%-")
SHORTEST = 14


def test_long_words_are_runs_of_these_letters() -> None:
    letters = "".join(sorted(LETTERS))
    others = "".join(chr(each) for each in range(0x250) if chr(each) not in LETTERS)
    assert [word[0] for word in long_words(f"{letters}\n{letters[:SHORTEST]} {letters[: SHORTEST - 1]}")] == [
        letters,
        letters[:SHORTEST],
    ]
    assert not any(long_words(each * SHORTEST) for each in others)


@pytest.mark.parametrize("shape", [each for each in SHAPES if each.in_word], ids=lambda each: each.kind)
def test_in_word_is_true(shape: SecretShape) -> None:
    pattern = _pattern(shape)
    assert not pattern.flags & re.IGNORECASE, "other letters count as the same"
    only, shortest = _matches(parser.parse(pattern.pattern))
    assert only, "it matches other letters, too"
    assert shortest >= SHORTEST
    assert all(LETTERS.issuperset(sign) for sign in shape.signs)


def _pattern(shape: SecretShape) -> re.Pattern[str]:
    held = [cell.cell_contents for cell in shape.spans.__closure__ or ()]  # type: ignore[attr-defined]
    return next(each for each in held if isinstance(each, re.Pattern))


def _matches(parts: Iterable[tuple[Any, Any]]) -> tuple[bool, int]:
    """Whether what is matched has these letters only, and how many there are at least."""
    only, shortest = True, 0
    for operation, value in parts:
        found = (False, 0)
        if operation is sre.LITERAL:
            found = chr(value) in LETTERS, 1
        elif operation is sre.IN:
            found = all(map(_is_in, value)), 1
        elif operation in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            inner = _matches(value[2])
            found = inner[0], value[0] * inner[1]
        elif operation is sre.SUBPATTERN:
            found = _matches(value[3])
        elif operation is sre.BRANCH:
            branches = list(map(_matches, value[1]))
            found = all(each for each, _ in branches), min(each for _, each in branches)
        elif operation in (sre.ASSERT, sre.ASSERT_NOT, sre.AT):
            found = True, 0
        only, shortest = only and found[0], shortest + found[1]
    return only, shortest


def _is_in(item: tuple[Any, Any]) -> bool:
    operation, value = item
    if operation is sre.LITERAL:
        return chr(value) in LETTERS
    return operation is sre.RANGE and LETTERS.issuperset(map(chr, range(value[0], value[1] + 1)))
