"""Simpler examples: fewer turns, fewer parts, shorter texts, plainer letters, less damage.

Each is smaller than the example in one respect and larger in none, so that shrinking ends. Each is also as valid: a
correct loop that is refused is shrunk only to correct loops.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

from harness.fuzz.requests.example import RequestExample
from harness.fuzz.strategies.damage import Damage, Odd, Splice
from harness.fuzz.strategies.requests import worded
from harness.wire import Call, FinishReason, Part, ThinkingPart, Turn

Item = TypeVar("Item")


def smaller(example: RequestExample) -> Iterator[RequestExample]:
    """The boldest first."""
    for turns in _fewer(example.turns):
        yield replace(example, turns=turns)
    for damage in _fewer(example.damage):
        yield replace(example, damage=damage)
    if example.seed:
        yield replace(example, seed=0)
    for at, turn in enumerate(example.turns):
        for less in _turns(turn):
            yield replace(example, turns=(*example.turns[:at], less, *example.turns[at + 1 :]))
    for at, each in enumerate(example.damage):
        for mild in _damage(each):
            yield replace(example, damage=(*example.damage[:at], mild, *example.damage[at + 1 :]))


def _fewer(items: tuple[Item, ...]) -> Iterator[tuple[Item, ...]]:
    """Nothing, either half, and all but one."""
    if not items:
        return
    yield ()
    middle = len(items) // 2
    if middle > 0:
        yield items[:middle]
        yield items[middle:]
    if len(items) > 2:
        yield from (items[:at] + items[at + 1 :] for at in range(len(items)))


# --- turns ------------------------------------------------------------------------------------------------------


def _turns(turn: Turn) -> Iterator[Turn]:
    for parts in _fewer(turn.parts):
        if any(not isinstance(part, ThinkingPart) for part in parts):
            yield _of(turn, parts)
    for at, part in enumerate(turn.parts):
        for less in _parts(part):
            yield _of(turn, (*turn.parts[:at], less, *turn.parts[at + 1 :]))


def _of(turn: Turn, parts: tuple[Part, ...]) -> Turn:
    """The turn with other parts. Without its calls, its stop reason changes, too."""
    called = any(isinstance(part, Call) for part in parts)
    return replace(
        turn, parts=parts, stop=FinishReason.END if turn.stop is FinishReason.TOOL_CALLS and not called else turn.stop
    )


def _parts(part: Part) -> Iterator[Part]:
    if isinstance(part, Call):
        for arguments in _arguments(part.arguments):
            yield replace(part, arguments=arguments)
        return
    for text in _texts(part.text):
        if text == worded(text):
            yield replace(part, text=text)
    if isinstance(part, ThinkingPart) and part.form != "plain":
        yield replace(part, form="plain")


def _arguments(text: str) -> Iterator[str]:
    """Shorter and plainer paths, in the same spelling."""
    try:
        path = json.loads(text)["path"]
    except (ValueError, LookupError, TypeError):
        return
    separators = (", ", ": ") if text.startswith('{"path": ') else (",", ":")
    for less in ("", *_texts(path)) if path and isinstance(path, str) else ():
        yield json.dumps({"path": less}, ensure_ascii=False, separators=separators)


def _texts(text: str) -> Iterator[str]:
    """A letter, a half, a character less, and then a plain letter for a character."""
    if len(text) > 1:
        yield "a"
        yield text[: len(text) // 2]
        yield text[len(text) // 2 :]
    if len(text) > 2:
        yield from (text[:at] + text[at + 1 :] for at in range(len(text)))
    yield from (text[:at] + "a" + text[at + 1 :] for at, letter in enumerate(text) if letter != "a")


# --- damage -----------------------------------------------------------------------------------------------------


def _damage(damage: Damage) -> Iterator[Damage]:
    if isinstance(damage, Odd) and damage.text != "null":
        yield replace(damage, text="null")
    if isinstance(damage, Splice):
        if damage.gone:
            yield replace(damage, gone=damage.gone // 2)
            yield replace(damage, gone=damage.gone - 1)
        for put in _fewer(tuple(damage.put)):
            yield replace(damage, put=bytes(put))
