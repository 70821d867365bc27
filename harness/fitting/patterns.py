"""Texts that match a regular expression of a schema.

The texts are candidates that the caller must check: JSON Schema means ECMA-262, and the parser here is Python's, which
reads most of it after the translation below. No library fits: rstr and sre-yield know no look-ahead, and rstr makes
other texts in each process.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any, Final

LONGEST: Final = 100_000
"""Characters of a text that is made for a schema."""

_TRIES: Final = 24
"""Texts that are made for a pattern."""

_PLAIN: Final = string.ascii_lowercase + string.digits + string.ascii_uppercase + "_- .,:;/@+!\"#$%&'()*<=>?[\\]^`{|}~"
"""Characters, the plainest first."""

_ECMA: Final[Sequence[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]]] = (
    (re.compile(r"\(\?<(?![=!])"), "(?P<"),
    (re.compile(r"\\k<(\w+)>"), r"(?P=\1)"),
    (re.compile(r"\\u\{([0-9a-fA-F]{1,8})\}"), lambda found: f"\\U{found[1]:0>8}"),
    (re.compile(r"\\c([A-Za-z])"), lambda found: f"\\x{ord(found[1]) % 32:02x}"),
    (re.compile(r"\[\^\]"), r"[\\s\\S]"),
)
"""Syntax that ECMA-262 writes in another way than Python."""

_PROPERTY: Final = re.compile(r"\\([pP])\{(?:\w+=)?(\w+)\}|\\.|[\[\]]", re.DOTALL)
_OF_PROPERTIES: Final[Mapping[str, str]] = {"N": "0-9", "Nd": "0-9", "Lu": "A-Z", "P": "!.,", "S": "$+", "Z": " "}
"""A few characters of properties of Unicode; letters are in most of the others."""


def of_pattern(pattern: str, random: Random, shortest: int = 0, *, plain: bool = True) -> Iterator[str]:
    """Texts of at least ``shortest`` characters in which ``pattern`` is likely to match.

    ``plain``: the plainest comes first. There is no text if Python cannot read the pattern.
    """
    parsed = _parse_tree(pattern)
    if parsed is None or shortest > LONGEST:
        return
    for spare in range(_TRIES):
        sampler = _Sampler(random, plain=plain and spare == 0)
        text = sampler.sequence(parsed)
        if len(text) < shortest:
            sampler = _Sampler(random, plain=plain and spare == 0, more=shortest - len(text))
            text = sampler.sequence(parsed)
        yield text
        if sampler.ahead:  # what is looked for ahead is to be somewhere in the text
            ahead = "".join(sampler.ahead)
            yield ahead + text[len(ahead) :]
            yield text + ahead


def is_pattern(value: object) -> bool:
    """Whether ``value`` is a regular expression that Python can read."""
    return isinstance(value, str) and _parse_tree(value) is not None


@lru_cache(maxsize=256)
def _parse_tree(pattern: str) -> Any:
    # Private, and there is no other: every generator of texts of patterns reads them so.
    from re import _parser  # type: ignore[attr-defined]

    for found, replacement in _ECMA:
        pattern = found.sub(replacement, pattern)
    try:
        return _parser.parse(_without_properties(pattern))
    except (re.error, OverflowError, RecursionError):
        return None


def _without_properties(pattern: str) -> str:
    """The pattern with ranges for properties of Unicode. Outside of brackets, a range gets brackets of its own."""
    inside = False

    def replaced(found: re.Match[str]) -> str:
        nonlocal inside
        if found[2] is None:
            inside = found[0] == "[" or (inside and found[0] != "]")
            return found[0]
        ranges = _OF_PROPERTIES.get(found[2], "a-zA-Z") if found[1] == "p" else "0-9"
        return ranges if inside else f"[{ranges}]"

    return _PROPERTY.sub(replaced, pattern)


class _Sampler:
    """Makes one text of a parsed pattern. ``plain``: take the first of all choices. ``more``: how many characters
    repetitions add beyond the fewest."""

    def __init__(self, random: Random, *, plain: bool, more: int = 0) -> None:
        self._random = random
        self._plain = plain
        self._more = more
        self._size = 0
        self._groups: dict[int, str] = {}
        self.ahead: list[str] = []
        """Texts that the pattern looks ahead for."""

    def sequence(self, parsed: Any) -> str:
        return "".join(self._one(str(operation), value) for operation, value in parsed)

    def _one(self, operation: str, value: Any) -> str:
        match operation:
            case "LITERAL":
                return self._made(chr(value))
            case "NOT_LITERAL":
                return self._made(self._of(_but({chr(value)})))
            case "ANY":
                return self._made(self._of(_PLAIN))
            case "IN":
                return self._made(self._of(_members(value)))
            case "BRANCH":
                return self.sequence(value[1][0] if self._plain else self._random.choice(value[1]))
            case "SUBPATTERN" | "ATOMIC_GROUP":
                text = self.sequence(value[-1] if operation == "SUBPATTERN" else value)
                if operation == "SUBPATTERN" and value[0] is not None:
                    self._groups[value[0]] = text
                return text
            case "GROUPREF":
                return self._made(self._groups.get(value, ""))
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                return self._repeated_text(*value)
            case "ASSERT" if value[0] > 0:
                self.ahead.append(self.sequence(value[1]))
        return ""

    def _made(self, text: str) -> str:
        self._size += len(text)
        return text

    def _of(self, characters: str) -> str:
        if not characters:
            return ""
        return characters[0] if self._plain else self._random.choice(characters[:64])

    def _repeated_text(self, least: int, most: int, inner: Any) -> str:
        extra = (1 if least == 0 else 0) if self._plain else self._random.randint(0, 3)
        times = min(int(most), least + extra)
        made: list[str] = []
        length = 0
        while len(made) < times and self._size < LONGEST:
            made.append(self.sequence(inner))
            length += len(made[-1])
            if self._more > 0 and len(made) > least:
                self._more -= len(made[-1])
            if len(made) == times and self._more > 0 and times < int(most) and length:
                times += 1
        return "".join(made)


def _members(items: Any) -> str:
    """The characters of a set, the plainest first; beyond ASCII only the first ones of each range."""
    negated = any(str(operation) == "NEGATE" for operation, _ in items)
    found: set[str] = set()
    for operation, value in items:
        match str(operation):
            case "LITERAL":
                found.add(chr(value))
            case "RANGE":
                found.update(map(chr, range(value[0], min(value[1], value[0] + 128) + 1)))
            case "CATEGORY":
                found.update(_category(str(value)))
    return _but(found) if negated else "".join(sorted(found, key=_plainness))


def _but(characters: set[str]) -> str:
    return "".join(each for each in _PLAIN + "\n\u00e9" if each not in characters)


def _plainness(character: str) -> tuple[int, str]:
    at = _PLAIN.find(character)
    return (at if at >= 0 else len(_PLAIN), character)


def _category(name: str) -> str:
    kinds = {"DIGIT": string.digits, "SPACE": " \t\n", "WORD": string.ascii_letters + string.digits + "_"}
    characters = kinds[name.rsplit("_", 1)[-1]]
    return _but(set(characters)) if "_NOT_" in name else characters
