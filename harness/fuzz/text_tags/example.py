"""An example of this campaign: the text of one answer, as it arrives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from harness.trace import JsonValue
from harness.wire.characters import joined

_MEMBERS = {"deltas", "times"}


@dataclass(frozen=True)
class ArrivingText:
    """``deltas``: the text of an answer, in the pieces in which it arrives; halves of a character may be separated.

    ``times`` is how often the part after the first delta is repeated. More than once is the short form of a long text,
    whose work is counted.
    """

    deltas: tuple[str, ...]
    times: int = 1

    def repeated(self, times: int) -> tuple[str, ...]:
        """The deltas for a reader, with so many repetitions."""
        return (*self.deltas[:1], *self.deltas[1:] * times)

    @cached_property
    def text(self) -> str:
        """The whole text, each character in one piece."""
        return joined("".join(self.repeated(self.times)))

    def to_json(self) -> dict[str, JsonValue]:
        """Return the deltas, and the number of repetitions if it is more than one."""
        document: dict[str, JsonValue] = {"deltas": list(self.deltas)}
        return document if self.times == 1 else {**document, "times": self.times}

    @classmethod
    def from_json(cls, document: Mapping[str, JsonValue]) -> ArrivingText:
        """Raises ``ValueError`` for anything that ``to_json`` does not write."""
        deltas, times = document.get("deltas"), document.get("times", 1)
        if strange := sorted(document.keys() - _MEMBERS):
            raise ValueError(f"expected the members 'deltas' and 'times', got {strange[0]!r}")
        if not isinstance(deltas, list):
            raise ValueError(f"expected a list of texts under 'deltas', got {deltas!r}")
        texts = [delta for delta in deltas if isinstance(delta, str)]
        if len(texts) < len(deltas):
            raise ValueError(f"expected a list of texts under 'deltas', got one with {_no_text(deltas)!r} in it")
        if not isinstance(times, int) or isinstance(times, bool) or times < 1:
            raise ValueError(f"expected a number of repetitions under 'times', 1 or more, got {times!r}")
        return arriving(texts, times)


def arriving(deltas: Sequence[str], times: int = 1) -> ArrivingText:
    """The example with these deltas, empty ones left out. Halves that meet within one of them are a character."""
    return ArrivingText(tuple([joined(delta) for delta in deltas if delta]), times)


def _no_text(values: Sequence[JsonValue]) -> JsonValue:
    return next(value for value in values if not isinstance(value, str))
