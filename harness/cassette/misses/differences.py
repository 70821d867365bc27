"""Where two JSON values differ, in the order in which a person reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import Enum
from itertools import zip_longest
from typing import Any, Final

from harness.cassette.match_key import canonical_text
from harness.ground.json_places import Step


class Nothing(Enum):
    """Marks a missing value (null is a value)."""

    NOTHING = "nothing"


NOTHING: Final = Nothing.NOTHING

_MOST_ALIGNED: Final = 200
"""Most elements of two lists for which inserted and removed elements are detected."""

_PLAIN: Final = re.compile(r"[\w$-]+")


@dataclass(frozen=True, slots=True)
class Difference:
    """A place with two different values, or with a value on one side only.

    ``at`` is the place in the request. A missing value has the place at the end, or its recorded index. ``moved``: from
    here on a list has the same elements in another order.
    """

    at: tuple[Step, ...]
    recorded: Any
    asked: Any
    moved: bool = False


def place(at: Sequence[Step]) -> str:
    """A place as providers write it: ``messages[2].content[0].text``."""
    steps = (f"[{step}]" if isinstance(step, int) else _member(step) for step in at)
    return "".join(steps).removeprefix(".")


def _member(name: str) -> str:
    return f".{name}" if _PLAIN.fullmatch(name) else f"[{name!r}]"


def differences(recorded: Any, asked: Any, at: tuple[Step, ...] = ()) -> Iterator[Difference]:
    """The smallest values that differ; members in the order of the recording, then those that are new."""
    if isinstance(recorded, dict) and isinstance(asked, dict):
        for name in dict.fromkeys((*recorded, *asked)):
            yield from differences(recorded.get(name, NOTHING), asked.get(name, NOTHING), (*at, name))
    elif isinstance(recorded, list) and isinstance(asked, list):
        yield from _between_lists(recorded, asked, at)
    elif type(recorded) is not type(asked) or recorded != asked:  # for Python, True is 1
        yield Difference(at, recorded, asked)


def common_prefix(one: Sequence[Any], other: Sequence[Any]) -> int:
    """How many elements at the beginning are the same."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((number for number, (left, right) in pairs if left != right), min(len(one), len(other)))


def _between_lists(recorded: list[Any], asked: list[Any], at: tuple[Step, ...]) -> Iterator[Difference]:
    old, new = list(map(canonical_text, recorded)), list(map(canonical_text, asked))
    start = common_prefix(old, new)
    if len(old) == len(new) and sorted(old[start:]) == sorted(new[start:]):
        if start < len(old):
            yield Difference((*at, start), recorded[start], asked[start], moved=True)
        return
    for (old_at, old_end), (new_at, new_end) in _changed_runs(old, new, start):
        pairs = zip_longest(recorded[old_at:old_end], asked[new_at:new_end], fillvalue=NOTHING)
        for number, (before, after) in enumerate(pairs):
            index = (old_at if after is NOTHING else new_at) + number
            yield from differences(before, after, (*at, index))


def _changed_runs(old: list[str], new: list[str], start: int) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """The ranges of different elements in two lists; lists of equal length are compared one by one."""
    shared_end = common_prefix(old[start:][::-1], new[start:][::-1])
    old_end, new_end = len(old) - shared_end, len(new) - shared_end
    if old_end == new_end or max(old_end, new_end) - start > _MOST_ALIGNED:
        yield (start, old_end), (start, new_end)
        return
    matcher = SequenceMatcher(None, old[start:old_end], new[start:new_end], autojunk=False)
    for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if tag != "equal":
            yield (start + old_from, start + old_to), (start + new_from, start + new_to)
