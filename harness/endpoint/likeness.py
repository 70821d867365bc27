"""Measures how alike two conversations begin. This finds a side conversation again in another run of the case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, TypeVar

from harness.endpoint.recognition import Opening, RecognisedRequest

_COMPARED: Final = 2_000
"""Most characters of a text that are compared; two long prompts differ in their first lines."""

_Key = TypeVar("_Key")


@dataclass(frozen=True, slots=True)
class Beginning:
    """How the first request of a conversation opens, and the tools that it offers."""

    opening: Opening
    tools: frozenset[str]

    def likeness(self, other: Beginning) -> float:
        """From 0, for two different kinds (one offers tools, the other does not), to 3, for equal beginnings."""
        if bool(self.tools) != bool(other.tools):
            return 0.0
        system, user = zip(self.opening, other.opening, strict=True)
        return 0.1 + 0.9 * _ratio(*system) + 2.0 * _ratio(*user)


def beginning_of(asked: RecognisedRequest) -> Beginning:
    """The beginning of a conversation, taken from its first request."""
    return Beginning(asked.opening, asked.tools)


def most_alike(wanted: Beginning, among: Mapping[_Key, Beginning]) -> _Key | None:
    """The key of the beginning most like ``wanted`` (the first of several); None if none is of the same kind."""
    best, found = 0.0, None
    for key, each in among.items():
        if (score := wanted.likeness(each)) > best:
            best, found = score, key
    return found


def _ratio(one: str, other: str) -> float:
    one, other = one[:_COMPARED], other[:_COMPARED]
    return 1.0 if one == other else SequenceMatcher(None, one, other).ratio()
