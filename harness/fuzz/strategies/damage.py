"""Damage to the body of a request on its way: missing or odd members, and missing or odd bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

from hypothesis import strategies as st

from harness.fuzz.strategies.choices import Choices, chosen

Place = tuple[str | int, ...]
"""The way to a value: names of members and places in lists, from the outside in. It is empty for the body itself."""


@dataclass(frozen=True, slots=True)
class Odd:
    """Another value is at ``place``. ``text`` is its JSON, so that it can be compared and hashed."""

    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Gone:
    """The value at ``place`` is removed."""

    place: Place


@dataclass(frozen=True, slots=True)
class Splice:
    """From byte ``at`` on, ``gone`` bytes are replaced by ``put``."""

    at: int
    gone: int
    put: bytes = b""


Damage = Odd | Gone | Splice

ODD: Final[tuple[Any, ...]] = (
    *(None, True, 0, -3, 1.5, 10**30, "", " ", "x", "\ud800", "€", [], {}, [None], [[]], [{}], [1, "a"]),
    *("user", "assistant", "model", "tool", "required", "function_call", "message", "reasoning", "item_reference"),
    *({"type": "text"}, {"type": 5}, {"type": ["text"]}, {"role": "user"}, {"role": 7, "content": []}),
    *({"type": "tool_use"}, {"type": "tool_result", "tool_use_id": "x", "content": 5}, [{"type": "tool_result"}]),
    *({"functionCall": {}}, {"functionResponse": 3}, {"text": None}, [{"role": "tool"}], {"type": "thinking"}),
)
"""Values that a parser does not expect: empty, of another type, and incomplete parts."""


def places(value: Any, way: Place = ()) -> Iterator[Place]:
    """The way to every value inside a JSON value."""
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in steps:
        yield (*way, step)
        yield from places(inner, (*way, step))


def damage(body: Any, *, most: int = 3) -> st.SearchStrategy[tuple[Damage, ...]]:
    """Up to ``most`` things that happen to this body, mostly to its members.

    >>> @given(damage({"model": "m", "messages": []}))
    ... def test_my_server_answers(done):
    ...     assert my_server(damaged({"model": "m", "messages": []}, done)).status in (200, 400)
    """
    return chosen(lambda choices: some_damage(choices, body, most=most))


def some_damage(choices: Choices, body: Any, *, most: int = 3) -> tuple[Damage, ...]:
    """``damage``, from choices."""
    if choices.below(6) == 5:
        length = len(json.dumps(body))
        put = bytes(choices.below(256) for _ in range(choices.below(4)))
        return (Splice(_number(choices) % (length + 1), choices.of((0, 1, 2, length)), put),)
    ways = list(places(body)) or [()]
    return tuple(_somewhere(choices, ways) for _ in range(1 + choices.below(most)))


def _somewhere(choices: Choices, ways: Sequence[Place]) -> Damage:
    place = ways[_number(choices) % len(ways)]
    return Gone(place) if choices.below(3) == 2 else Odd(place, json.dumps(choices.of(ODD)))


def _number(choices: Choices) -> int:
    return 256 * choices.below(256) + choices.below(256)


def damaged(body: Any, done: tuple[Damage, ...]) -> bytes:
    """The bytes of ``body`` with the damage, one after the other. The body itself stays unchanged.

    Damage at a place that is already gone is skipped.
    """
    holder = {"body": deepcopy(body)}
    for each in done:
        if not isinstance(each, Splice):
            _change(holder, each)
    content = json.dumps(holder.get("body")).encode()
    for each in done:
        if isinstance(each, Splice):
            content = content[: each.at] + each.put + content[each.at + each.gone :]
    return content


def _change(body: Any, change: Odd | Gone) -> None:
    *way, step = ("body", *change.place)
    holder: Any = body
    try:
        for each in way:
            holder = holder[each]
        if isinstance(change, Gone):
            del holder[step]
        else:
            holder[step] = json.loads(change.text)
    except (LookupError, TypeError):
        return
