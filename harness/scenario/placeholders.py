"""Words of a scenario that are known only when it runs: ``{{fresh}}``, and ``{{result.N.MEMBER}}``.

They are found by plain search, each text once from its beginning to its end. Nothing is evaluated, and whatever else
stands in double braces is text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final

from harness.trace import JsonValue

FRESH: Final = "{{fresh}}"
"""Stands in what a tool returns for a word that belongs to one call."""

_OPEN: Final = "{{result."
_CLOSE: Final = "}}"
_LONGEST: Final = 200
"""Characters in which a placeholder must end."""

_DIGITS: Final = frozenset("0123456789")
_MOST_DIGITS: Final = 6


class Missing(Enum):
    """Means that there is no value, because null is a value."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING


@dataclass(frozen=True, slots=True)
class ResultMember:
    """The member at ``path`` of the result of call number ``call``, counted from 1. A list has its places from 0."""

    call: int
    path: tuple[str, ...]

    def __str__(self) -> str:
        return f"{_OPEN}{'.'.join([str(self.call), *self.path])}{_CLOSE}"


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A placeholder from ``start`` to ``end`` of a text; ``member`` None: it begins like one but is malformed."""

    start: int
    end: int
    member: ResultMember | None


Fill = Callable[[ResultMember], JsonValue | Missing]
"""Returns the value of a member, or ``MISSING``."""


def names_results(text: str) -> bool:
    """Whether the text may contain a placeholder of a result."""
    return _OPEN in text


def placeholders(text: str) -> Iterator[Placeholder]:
    """The placeholders of results, in order.

    Only what has a digit behind ``{{result.`` counts: templates of pages have such braces, too, and no such names.
    """
    start = text.find(_OPEN)
    while start >= 0:
        inside = start + len(_OPEN)
        close = text.find(_CLOSE, inside, inside + _LONGEST)
        end = inside if close < 0 else close + len(_CLOSE)
        if text[inside : inside + 1] in _DIGITS:
            yield Placeholder(start, end, None if close < 0 else _member(text[inside:close]))
        else:
            end = inside
        start = text.find(_OPEN, end)


def _member(words: str) -> ResultMember | None:
    number, *path = words.split(".")
    if not _DIGITS.issuperset(number) or len(number) > _MOST_DIGITS or int(number) == 0:
        return None
    return ResultMember(int(number), tuple(path)) if path and all(map(_is_name, path)) else None


def _is_name(word: str) -> bool:
    return bool(word) and word.isprintable() and "{" not in word


def is_whole(text: str) -> bool:
    """Whether the text is one placeholder and nothing else."""
    found = next(placeholders(text), None)
    return found is not None and found.member is not None and (found.start, found.end) == (0, len(text))


def filled_text(text: str, fill: Fill) -> str:
    """The text with the value of each placeholder in its place; those without a value stay."""
    if not names_results(text):
        return text
    pieces: list[str] = []
    at = 0
    for each in placeholders(text):
        value = MISSING if each.member is None else fill(each.member)
        pieces += [text[at : each.start], text[each.start : each.end] if value is MISSING else as_text(value)]
        at = each.end
    return "".join([*pieces, text[at:]])


def filled_value(value: JsonValue, fill: Fill) -> JsonValue:
    """The same for all texts of a JSON value except member names. A text that is one placeholder becomes its value."""
    if isinstance(value, str):
        whole = next(placeholders(value)).member if is_whole(value) else None
        found = MISSING if whole is None else fill(whole)
        return filled_text(value, fill) if found is MISSING else found
    if isinstance(value, dict):
        return {name: filled_value(each, fill) for name, each in value.items()}
    return [filled_value(each, fill) for each in value] if isinstance(value, list) else value


def as_text(value: JsonValue) -> str:
    """A value as it stands in a text: a text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def member_at(value: JsonValue, path: tuple[str, ...]) -> JsonValue | Missing:
    """The member of a JSON value at this path."""
    for name in path:
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and _DIGITS.issuperset(name) and len(name) <= _MOST_DIGITS:
            if int(name) >= len(value):
                return MISSING
            value = value[int(name)]
        else:
            return MISSING
    return value
