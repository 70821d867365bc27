"""Makes examples: an enumeration that is always the same, and examples that Hypothesis draws."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Final

from hypothesis import strategies as st

from harness.fuzz.requests.changes import changes
from harness.fuzz.requests.example import RequestExample, base_requests_by_name, fits
from harness.fuzz.requests.loop import loop_of
from harness.fuzz.strategies.choices import Choices, chosen
from harness.fuzz.strategies.damage import some_damage
from harness.fuzz.strategies.requests import SHAPES, TOKENS, shaped, sound_loop, with_turns, worded
from harness.wire import WIRES, Call, FinishReason, Text, ThinkingPart, Turn
from harness.wire.played import BaseRequest, PlayedLoop, base_requests

_LONG: Final = frozenset(
    (
        *("chat-window-full-at-deepseek", "ant-image-too-large", "ant-context-too-long"),
        *("ant-no-room-for-the-answer", "gem-input-too-long"),
    )
)
"""Wrong requests with very long content are slow, and are about length only: one example of each is enough."""

_KINDS: Final = ("mutant", "damage", "nothing", "mutant", "variant", "mutant")

_TRIES: Final = 16
"""The most changes that are tried in a loop before it is left unchanged: not every mistake is possible in every
loop."""


# --- the enumeration --------------------------------------------------------------------------------------------


def enumerated() -> Iterator[RequestExample]:
    """Every token and every shape of a turn on every wire, and every change of every base request."""
    for first in (next(iter(base_requests(name).values())) for name in WIRES):
        yield from (_example_of(first, _token_everywhere(token)) for token in TOKENS)
        yield from (_example_of(first, shaped(shape)) for shape in SHAPES)
    for base in base_requests_by_name().values():
        yield RequestExample(base.wire, base.name, ())
        for name in ("", *_changes(base.name), *_long(base)):
            yield RequestExample(base.wire, base.name, base.turns, name)


def _token_everywhere(token: str) -> Turn:
    """A token as all thinking, all text, and the arguments of two tools."""
    text, path = worded(token), {"path": token}
    calls = (Call("list_files", json.dumps(path)), Call("read_file", json.dumps(path, ensure_ascii=False)))
    return Turn((ThinkingPart(text), Text(text), *calls), FinishReason.TOOL_CALLS)


def _example_of(base: BaseRequest, turn: Turn) -> RequestExample:
    return RequestExample(base.wire, base.name, with_turns(base, (turn,)).turns)


@cache
def _changes(base: str) -> tuple[str, ...]:
    """The changes that may be made on a base request, the wrong ones first."""
    found = base_requests_by_name()[base]
    return tuple(name for name, each in changes(found.wire).items() if name not in _LONG and fits(each, found))


def _long(base: BaseRequest) -> Iterator[str]:
    named = (change for name, change in changes(base.wire).items() if name in _LONG)
    return (change.stated.name for change in named if change.bases[0].name == base.name)


# --- what is drawn ----------------------------------------------------------------------------------------------


@cache
def drawn() -> st.SearchStrategy[RequestExample]:
    """Examples of all wires, each as often as the others."""
    return chosen(_drawn)


def _drawn(choices: Choices) -> RequestExample:
    """Draw an example. The first of each kind comes more often than the rest: Hypothesis likes zero."""
    kind = choices.of(_KINDS)
    at, seed = choices.below(256), choices.below(4)
    text = sound_loop(choices, choices.of(WIRES))
    example = RequestExample(text.wire, text.name, text.turns, seed=seed)
    if kind == "nothing":
        return example
    try:
        played = loop_of(example).played
    except Exception:  # noqa: BLE001 - whatever it is, the check of this example reports it
        return example
    if kind == "damage":
        return replace(example, damage=some_damage(choices, played.last.body))
    return replace(example, change=_made(played, at, wrong=kind == "mutant"))


def _made(played: PlayedLoop, at: int, *, wrong: bool) -> str:
    """The first change from ``at`` on that can be made in the last request; empty if there is none."""
    every = changes(played.wire.name)
    names = [name for name in _changes(played.base.name.split()[0]) if every[name].is_wrong == wrong]
    posted = played.last
    for step in range(min(_TRIES, len(names))):
        name = names[(at + step) % len(names)]
        if every[name].stated.edit(posted):
            return name
    return ""
