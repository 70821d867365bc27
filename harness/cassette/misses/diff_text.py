"""Differences between two JSON values as text for a person, of readable length even for long values."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import groupby
from operator import getitem
from typing import Any, Final

from harness.cassette.misses.differences import NOTHING, Difference, place
from harness.ground.json_places import Step
from harness.wire.characters import sendable
from harness.wire.same_beginning import same_beginning

_LONGEST: Final = 120
"""Most characters of a text that are shown; of a longer text, the part that differs is shown."""

_MOST_PLACES: Final = 8
_MOST_LINES: Final = 16
"""Most lines of one value."""

_MOST_MEMBERS: Final = 12
_DEEPEST: Final = 5
_MOST_BESIDE: Final = 3


def sides(difference: Difference) -> tuple[str, str]:
    """The recorded and the requested value at a place, each in one line."""
    old, new = _readable(difference, _LONGEST // 2)
    return _in_line(old), _in_line(new)


def unified(found: Sequence[Difference], asked: Any, names: tuple[str, str]) -> str:
    """The differences between a recording and the request ``asked`` as a unified diff; ``names`` are its two names.

    It has one hunk for all differences in one object, with up to three short members that identify the object.
    """
    lines = [f"--- {names[0]}", f"+++ {names[1]}"]
    for holder, group in groupby(found[:_MOST_PLACES], key=lambda difference: difference.at[:-1]):
        lines.append(f"@@ {place(holder) or 'body'} @@")
        lines += _hunk(list(group), reduce(getitem, holder, asked))
    if rest := [place(difference.at) for difference in found[_MOST_PLACES:]]:
        named = ", ".join(dict.fromkeys(rest[:_MOST_PLACES]))
        lines.append(f"… and {len(rest)} more: {named}{', …' if len(rest) > _MOST_PLACES else ''}")
    return "\n".join(lines)


def _hunk(group: Sequence[Difference], holder: Any) -> Iterator[str]:
    names = {difference.at[-1] for difference in group if difference.at}
    yield from (f"   {line}" for line in _beside(holder, names))
    for difference in group:
        old, new = _readable(difference)
        if difference.moved:
            yield f"   … the same elements from {place(difference.at[-1:])} on, in another order: the first of them"
        yield from _side("-", difference.at[-1:], old)
        yield from _side("+", difference.at[-1:], new)


def _beside(holder: Any, names: set[Step]) -> list[str]:
    """Short members without a difference, such as the role of a message or the name of a call."""
    if not isinstance(holder, dict):
        return []
    short = (
        (name, value) for name, value in holder.items() if name not in names and not isinstance(value, dict | list)
    )
    lines = (f"{_written(name)}: {_written(value)}" for name, value in short)
    return [line for line in lines if len(line) <= _LONGEST // 2][:_MOST_BESIDE]


def _side(sign: str, last: tuple[Step, ...], value: Any) -> Iterator[str]:
    if value is NOTHING:
        return
    name = "".join(f"{_written(step) if isinstance(step, str) else f'[{step}]'}: " for step in last)
    lines = (name + json.dumps(value, indent=2, ensure_ascii=False)).split("\n")
    yield from (f"{sign}  {sendable(line)}" for line in lines[:_MOST_LINES])
    if len(lines) > _MOST_LINES:
        yield f"{sign}  … {len(lines) - _MOST_LINES} more lines"


# --- values cut to what can be read -------------------------------------------------------------------------


def _readable(difference: Difference, longest: int = _LONGEST) -> tuple[Any, Any]:
    """Both sides, shortened; two long texts are cut around their difference."""
    old, new = difference.recorded, difference.asked
    if isinstance(old, str) and isinstance(new, str) and max(len(old), len(new)) > longest:
        start = max(0, same_beginning(old, new) - longest // 3)
        return _excerpt(old, start, longest), _excerpt(new, start, longest)
    return _cut(old), _cut(new)


def _excerpt(text: str, start: int, longest: int = _LONGEST) -> str:
    end = start + longest
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"


def _cut(value: Any, depth: int = 0) -> Any:
    if isinstance(value, str) and len(value) > _LONGEST:
        return f"{value[:_LONGEST]}… ({len(value)} characters)"
    if not isinstance(value, dict | list) or not value:
        return value
    if depth == _DEEPEST:
        return "…"
    if isinstance(value, list):
        rest = [f"… {len(value) - _MOST_MEMBERS} more"] if len(value) > _MOST_MEMBERS else []
        return [*(_cut(item, depth + 1) for item in value[:_MOST_MEMBERS]), *rest]
    kept = {_excerpt(name, 0): _cut(value[name], depth + 1) for name in list(value)[:_MOST_MEMBERS]}
    return {**kept, "…": f"{len(value) - _MOST_MEMBERS} more"} if len(value) > _MOST_MEMBERS else kept


def _in_line(value: Any) -> str:
    if value is NOTHING:
        return "nothing"
    text = _written(value)
    return text if len(text) <= 2 * _LONGEST else f"{text[: 2 * _LONGEST]}…"


def _written(value: Any) -> str:
    return sendable(json.dumps(value, ensure_ascii=False))
