"""Whether a text is what a rule says, whatever stands in place of its words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from harness.wire.anthropic_messages import WIRE
from harness.wire.rule import ErrorTemplate, WireRule

_ANYTHING = "\0"


def wordings() -> Iterator[tuple[WireRule, str, ErrorTemplate]]:
    for rule in WIRE.rules:
        for wording in rule.templates:
            yield rule, wording.name, wording


def says(template: str, text: str) -> bool:
    """Whether ``text`` is ``template`` with any words in its braces; ``…`` in ``text`` stands for anything, too."""
    if "…" in text:
        return _meet(re.sub(r"{\w+}", _ANYTHING, template), text.replace("…", _ANYTHING))
    pieces = re.split(r"({\w+})", template)
    pattern = "".join([".*" if piece.startswith("{") else re.escape(piece) for piece in pieces])
    return re.fullmatch(pattern, text, re.DOTALL) is not None


def _meet(one: str, other: str) -> bool:
    """Whether two texts with gaps have a filling in common: ``reached`` are the places in ``other``, step by step."""
    reached = _over_gaps({0}, other)
    for letter in one:
        if letter == _ANYTHING:
            reached = set(range(min(reached), len(other) + 1)) if reached else reached
        else:
            stay = {at for at in reached if at < len(other) and other[at] == _ANYTHING}
            reached = stay | {at + 1 for at in reached if at < len(other) and other[at] == letter}
        reached = _over_gaps(reached, other)
    return len(other) in reached


def _over_gaps(reached: set[int], text: str) -> set[int]:
    """A gap may stand for nothing at all."""
    more = {at + 1 for at in reached if at < len(text) and text[at] == _ANYTHING} - reached
    return _over_gaps(reached | more, text) if more else reached


def saying(text: str) -> list[str]:
    """The rules that have a wording for a text."""
    return sorted({rule.id for rule, _, wording in wordings() if says(wording.message, text)})
