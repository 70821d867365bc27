"""The features of examples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from harness.fuzz.requests.example import RequestExample, base_requests_by_name, change_of
from harness.fuzz.strategies.damage import Gone, Odd, Splice
from harness.wire import WIRES, Call, Refusal, Text, ThinkingPart, Turn

_TEXTS: Final = {
    "text without a letter": lambda text: not any(map(str.isalnum, text)),
    "blanks and line ends": lambda text: any(map(str.isspace, text)),
    "quotes and escapes": lambda text: '"' in text or "\\" in text,
    "control character": lambda text: "\x00" in text,
    "character beyond ASCII": lambda text: not text.isascii(),
    "character beyond 16 bits": lambda text: any(letter > "\uffff" for letter in text),
    "what looks like a result": lambda text: "[read_file]" in text,
}

FEATURES: Final = (
    *WIRES,
    *("no turn", "several turns", "turn without calls in between", "refusal", "text beside calls", "parallel calls"),
    *("plain thinking", "redacted thinking", "omitted thinking", "thinking between calls", "call without an id"),
    *("foreign history", "amended history", "headers", "other ids"),
    *_TEXTS,
    *("nothing changed", "mutant", "variant", "odd value", "missing value", "damaged bytes"),
)
"""Names of all of them."""


def features_of(example: RequestExample) -> Iterable[str]:
    """Those of ``FEATURES`` that an example has."""
    return {example.wire, *_of_the_loop(example), *_of_turns(example.turns), *_of_texts(example), *_of_change(example)}


def _of_the_loop(example: RequestExample) -> Iterator[str]:
    base, turns = base_requests_by_name()[example.base], example.turns
    held = {
        "foreign history": base.foreign,
        "amended history": base.amend is not None,
        "headers": bool(base.headers),
        "other ids": example.seed > 0,
        "no turn": not turns,
        "several turns": len(turns) > 1,
        "turn without calls in between": any(not turn.calls for turn in turns[:-1]),
    }
    return (name for name, there in held.items() if there)


def _of_turns(turns: Iterable[Turn]) -> Iterator[str]:
    for turn in turns:
        kinds = [type(part) for part in turn.parts]
        held = {
            "refusal": Refusal in kinds,
            "text beside calls": Text in kinds and Call in kinds,
            "parallel calls": len(turn.calls) > 1,
            "thinking between calls": Call in kinds and ThinkingPart in kinds[kinds.index(Call) :],
            "call without an id": any(call.id == "" for call in turn.calls),
        }
        yield from (name for name, there in held.items() if there)
        yield from (f"{part.form} thinking" for part in turn.parts if isinstance(part, ThinkingPart))


def _of_texts(example: RequestExample) -> Iterator[str]:
    parts = [part for turn in example.turns for part in turn.parts]
    texts = [part.arguments if isinstance(part, Call) else part.text for part in parts]
    return (name for name, holds in _TEXTS.items() if any(map(holds, texts)))


def _of_change(example: RequestExample) -> Iterator[str]:
    if (change := change_of(example)) is not None:
        yield "mutant" if change.is_wrong else "variant"
    elif not example.damage:
        yield "nothing changed"
    names = {Odd: "odd value", Gone: "missing value", Splice: "damaged bytes"}
    yield from (names[type(each)] for each in example.damage)
