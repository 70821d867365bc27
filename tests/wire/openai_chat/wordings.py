"""Wordings against texts: a word in braces stands for anything."""

from __future__ import annotations

import re

from harness.wire import ErrorTemplate


def pattern_of(template: str) -> str:
    """A regular expression for everything that a template can say."""
    pieces = re.split(r"(\{\w+\})", template)
    return "".join(".*?" if number % 2 else re.escape(piece) for number, piece in enumerate(pieces))


def says(wording: ErrorTemplate, text: str) -> bool:
    """Whether a wording can say the text. … at its end stands for the rest."""
    template = wording.message
    if not text.endswith("…"):
        return re.fullmatch(pattern_of(template), text, re.DOTALL) is not None
    begun = text.removesuffix("…").rstrip()
    starts = (template[:end] for end in range(1, len(template) + 1))
    return any(re.fullmatch(pattern_of(start), begun, re.DOTALL) for start in starts)
