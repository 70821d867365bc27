"""One tool call's arguments as they arrive: a text, and where it is cut."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from harness.fuzz.strategies.splits import pieces

if TYPE_CHECKING:
    from harness.trace import JsonValue

_UNJOINED: Final = re.compile("(?<=[\ud800-\udbff])(?=[\udc00-\udfff])")
"""Between raw halves of a pair: JSON would join them."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """The characters from ``start`` to ``end`` of a text, repeated ``times``: a short form of a long text."""

    start: int
    end: int
    times: int

    def __post_init__(self) -> None:
        if not (0 <= self.start < self.end and self.times >= 1):
            raise ValueError(f"expected a stretch of at least one character, at least once, got {self}")


@dataclass(frozen=True, slots=True)
class ArgumentsExample:
    """``text`` need not be JSON. It comes in deltas of these ``sizes``, over and over; without a size in one delta.

    A size of 0 is a delta without a character, which Anthropic sends before any other. With a ``stretch`` only the
    growth of the work with the text is checked.
    """

    text: str
    sizes: tuple[int, ...] = ()
    stretch: Stretch | None = None

    def stretched(self, times: int) -> str:
        """The text with its stretch so many times over."""
        if self.stretch is None:
            return self.text
        start, end = self.stretch.start, self.stretch.end
        return self.text[:start] + self.text[start:end] * times + self.text[end:]

    @property
    def deltas(self) -> list[str]:
        """The pieces in which the text arrives, a stretched part at its full length."""
        return pieces(self.text if self.stretch is None else self.stretched(self.stretch.times), self.sizes)


def to_json(example: ArgumentsExample) -> Mapping[str, JsonValue]:
    """The example for a file. Adjacent halves of a pair are kept apart in a list of texts."""
    parts: list[JsonValue] = [*_UNJOINED.split(example.text)]
    document: dict[str, JsonValue] = {
        "text": parts if len(parts) > 1 else example.text,
        "sizes": list(example.sizes),
    }
    if (stretch := example.stretch) is not None:
        document["stretch"] = {"start": stretch.start, "end": stretch.end, "times": stretch.times}
    return document


def from_json(document: Mapping[str, JsonValue]) -> ArgumentsExample:
    """The example that ``to_json`` wrote. Raises ``ValueError`` for any other document."""
    _members(document, ("text", "sizes"), ("stretch",), "an example")
    text, stretch = _text(document["text"]), document.get("stretch")
    sizes = _counts(document["sizes"], "sizes")
    if sizes and not any(sizes):
        raise ValueError("expected sizes that are not all 0")
    return ArgumentsExample(text, sizes, None if stretch is None else _stretch(stretch, text))


def _text(value: JsonValue) -> str:
    parts = value if isinstance(value, list) else [value]
    texts = [part for part in parts if isinstance(part, str)]
    if len(texts) < len(parts):
        raise ValueError(f"expected a text, or a list of texts, under 'text', got {value!r}")
    return "".join(texts)


def _stretch(value: JsonValue, text: str) -> Stretch:
    if not isinstance(value, dict):
        raise ValueError(f"expected an object under 'stretch', got {value!r}")
    names = ("start", "end", "times")
    _members(value, names, (), "a stretch")
    start, end, times = _counts([value[name] for name in names], "stretch")
    if end > len(text):
        raise ValueError(f"expected a stretch within the {len(text)} characters of the text, got {value!r}")
    return Stretch(start, end, times)


def _members(document: Mapping[str, Any], required: tuple[str, ...], optional: tuple[str, ...], what: str) -> None:
    missing = [name for name in required if name not in document]
    unknown = [name for name in document if name not in (*required, *optional)]
    if missing or unknown:
        known = ", ".join((*required, *optional))
        raise ValueError(f"expected {what} with {known}; missing {missing}, unknown {unknown}")


def _counts(value: JsonValue, name: str) -> tuple[int, ...]:
    numbers = value if isinstance(value, list) else [None]
    counts = [number for number in numbers if isinstance(number, int) and not isinstance(number, bool) and number >= 0]
    if len(counts) < len(numbers):
        raise ValueError(f"expected whole numbers, 0 or more, under {name!r}, got {value!r}")
    return tuple(counts)
