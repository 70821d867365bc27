"""The examples that come first, always the same."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, product
from typing import Final

from harness.fuzz.strategies.text_tags import TAG_PAIRS, call, in_units
from harness.fuzz.text_tags.documents import LONG_ONES, NASTY
from harness.fuzz.text_tags.example import ArrivingText, arriving
from harness.fuzz.text_tags.oracles import LONG
from harness.wire.text_tags.tags import Tag

_SIZES: Final = (1, 2, 3, 5, 7, 13)


def enumerated() -> Iterator[ArrivingText]:
    """The long documents, whose work is counted; tags and characters in pieces; every nasty document in every cut, its
    beginnings, alone and with a call after them, without one character, and two of them in a row."""
    yield from _long()
    yield from _tags()
    yield from _halves()
    for text in NASTY.values():
        yield from _cut(text)
    for text in NASTY.values():
        yield from _broken_off(text)
        yield from _without_one(text)
    yield from _in_a_row()


def _tags() -> Iterator[ArrivingText]:
    """Every tag, whole and half, cut everywhere."""
    for tag in Tag:
        for end in range(1, len(tag) + 1):
            text = f"Say{tag[:end]}!"
            for cut in range(1, len(text)):
                yield arriving([text[:cut], text[cut:]])


def _cut(text: str) -> Iterator[ArrivingText]:
    """The text whole, in every cut in two, and in pieces of every size."""
    units = len(in_units(text, (1,)))
    yield arriving([text])
    for at in range(1, units):
        yield arriving(in_units(text, (at, units)))
    for size in range(1, 17):
        yield arriving(in_units(text, (size,)))


def _broken_off(text: str) -> Iterator[ArrivingText]:
    """Every beginning of the text, followed by nothing, or by a call, which must not be lost."""
    forms = cycle(product(TAG_PAIRS, (False, True), _SIZES))
    for end in range(len(text)):
        tags, colon, size = next(forms)
        yield arriving(in_units(text[:end], (size,)))
        yield arriving(in_units(text[:end] + call("last", '{"y":"z"}', tags, colon=colon), (size,)))


def _without_one(text: str) -> Iterator[ArrivingText]:
    """The text without one of its characters."""
    sizes = cycle(_SIZES)
    for at in range(len(text)):
        yield arriving(in_units(text[:at] + text[at + 1 :], (next(sizes),)))


def _halves() -> Iterator[ArrivingText]:
    """Half a surrogate pair, alone, in text, in thinking and in a string, and two that meet."""
    for text in (f"a{half}b" for half in ("\ud83d", "\ude00", "\ude00\ud83d", "\\ud83d", "\\ud83d\\ude00", "😀")):
        for whole in (
            text,
            f"<think>{text}</think>",
            call(arguments=f'{{"x":"{text}"}}'),
            call(arguments=f'{{x:"{text}"'),
        ):
            for size in (1, 2, 3):
                yield arriving(in_units(whole, (size,)))


def _in_a_row() -> Iterator[ArrivingText]:
    for one, other in product(NASTY.values(), repeat=2):
        yield arriving(in_units(one + other, (3,)))


def _long() -> Iterator[ArrivingText]:
    for first, again in LONG_ONES.values():
        yield arriving([first or again, again], LONG)
        for size in (1, 7):
            yield arriving([first or again, *in_units(again, (size,))], LONG)
