"""What requests may ask for that no base request does, and the models that rules tell from each other.

A rule about a setting is silent in every request without it, and one about some models in every request for others. So
each setting is tried with each of its values on each model, and with another setting.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from zlib import crc32

from harness.ground.data_files import read_data
from harness.wire import WireName
from harness.wire.base import Json
from harness_lab.mutants.requests.templates import filled

_TYPES: Final[Sequence[Any]] = ("x", "", 0, 7, -1, 0.5, 1000000000, True, False, None, [], ["x"], {}, {"x": 1}, [{}])
"""A value of each type, and at the ends of what numbers may be."""


@dataclass(frozen=True, slots=True)
class AskedFor:
    """A setting: the dotted ``place`` of a member, and its value."""

    place: str
    value: Any

    @property
    def words(self) -> str:
        """It in words: ``temperature 0.5``."""
        return f"{self.place} {self.value!r:.80}"

    def made(self, body: Json) -> Json:
        """The body with it, which shares with it what is as it was."""
        return _with(body, self.place.split("."), self.value)


def _with(body: Json, steps: Sequence[str], value: Any) -> Json:
    step, *others = steps
    if not others:
        return {**body, step: value}
    below = body.get(step)
    return {**body, step: _with(below if isinstance(below, dict) else {}, others, value)}


def asked_for(name: WireName) -> Iterator[AskedFor]:
    """Every setting of a wire with each of the values that mean something."""
    for place, values in _VALUES.get(name, {}).items():
        yield from (AskedFor(place, value) for value in values)


def of_any_type(name: WireName) -> Iterator[AskedFor]:
    """Every setting with a value of each type."""
    yield from (AskedFor(place, value) for place in _VALUES.get(name, {}) for value in _TYPES)


def in_pairs(name: WireName, model: str, most: int) -> Iterator[tuple[AskedFor, AskedFor]]:
    """So many pairs of settings that mean something, other ones for each model: those with the lowest hashes."""
    ranked = sorted(asked_for(name), key=lambda each: crc32(f"{model} {each.words}".encode()))
    half = len(ranked) // 2
    pairs = zip(ranked[:half], ranked[half:], strict=False)
    yield from [(one, other) for one, other in pairs if one.place != other.place][:most]


_WORDS: Final = 8192
"""As many as the smallest context window has tokens."""

_ONE_WORD_TOO_MANY: Final = ("a " * (_WORDS // 2 - 1) + "\ud800", "a " * (_WORDS // 2) + "a")
"""In as few characters as can be, and with half a character among them."""

_MORE: Final[Mapping[tuple[WireName, str], Any]] = {
    ("openai-chat", "messages"): [
        {"role": "user", "content": [{"type": "text", "text": text} for text in _ONE_WORD_TOO_MANY]}
    ],
    ("gemini-generate", "generationConfig.temperature"): 10**400,
}
"""The last value of a setting, where no file can say it."""

_TABLE: Final = read_data(Path(__file__).with_suffix(".yaml"))


def _values(wire: WireName, place: str, values: Sequence[Any]) -> list[Any]:
    more = [_MORE[wire, place]] if (wire, place) in _MORE else []
    return [*filled(values, {}), *more]


_VALUES: Final[Mapping[WireName, Mapping[str, Sequence[Any]]]] = {
    wire: {place: _values(wire, place, values) for place, values in places.items()}
    for wire, places in _TABLE["values"].items()
}

MODELS: Final[Mapping[WireName, Sequence[str]]] = _TABLE["models"]
"""For each wire models of every kind that its table of models has facts about, and such as it knows nothing of."""

HEADERS: Final[Mapping[WireName, Sequence[Mapping[str, str]]]] = _TABLE["headers"]
"""Headers that rules look at, and no base request has."""
