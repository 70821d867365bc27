"""A request taken apart for the rules: turns, calls, responses and their places."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from harness.wire.base import Json, Violation
from harness.wire.gemini_generate.continuation.issued import Issued
from harness.wire.gemini_generate.parts import Content

__all__ = [
    "Found",
    "Placed",
    "Request",
    "Span",
    "calls_of",
    "kind_of",
    "parts_of",
    "place",
    "placed_parts",
    "responses_of",
]

Found = Iterator[Violation]
"""What a rule finds."""

Span = tuple[Content, ...]
"""Contents that count as one turn."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A part and where it is: the ``index``-th of its ``holder``."""

    part: Json
    holder: Content
    index: int

    @property
    def at(self) -> str:
        """The place in the API's spelling."""
        return place(self.holder, self.index)


@dataclass(frozen=True)
class Request:
    """The history of a request beside what the endpoint has issued."""

    model: str
    contents: tuple[Content, ...]
    issued: Issued

    @cached_property
    def turns(self) -> tuple[Span, ...]:
        """The contents with neighbouring model contents put together; other contents are never merged."""
        turns: list[list[Content]] = []
        for content in self.contents:
            if turns and content.role == "model" == turns[-1][-1].role:
                turns[-1].append(content)
            else:
                turns.append([content])
        return tuple(map(tuple, turns))

    @cached_property
    def model_turns(self) -> tuple[Span, ...]:
        return tuple(turn for turn in self.turns if turn[0].role == "model")

    @cached_property
    def call_turns(self) -> tuple[tuple[Span, Span], ...]:
        """Every model turn that calls, with the content that follows it (empty at the end)."""
        return tuple((turn, after) for turn, after in pairwise((*self.turns, ())) if calls_of(turn))

    @cached_property
    def version(self) -> tuple[int, int]:
        """(3, 6) for gemini-3.6-flash; (0, 0) for a name without a version."""
        found = re.search(r"gemini-(\d+)(?:\.(\d+))?", self.model)
        return (int(found[1]), int(found[2] or 0)) if found else (0, 0)

    @property
    def checks_signatures(self) -> bool:
        """Gemini 3 and later, except its image models (GEM-08, GEM-16)."""
        return self.version >= (3, 0) and "image" not in self.model

    @property
    def refuses_prefill(self) -> bool:
        """3.6 and later, and 3.5-flash-lite (GEM-22)."""
        return self.version >= (3, 6) or "gemini-3.5-flash-lite" in self.model


def calls_of(turn: Span) -> list[Placed]:
    """The calls of a model turn; none of a turn of anyone else."""
    return _having("functionCall", turn) if turn and turn[0].role == "model" else []


def responses_of(turn: Span) -> list[Placed]:
    """The function responses of a turn; none of a model turn."""
    return _having("functionResponse", turn) if turn and turn[0].role != "model" else []


def parts_of(turn: Span) -> list[Json]:
    """All parts of a turn."""
    return [part for content in turn for part in content.parts]


def placed_parts(contents: Span) -> Iterator[Placed]:
    return (Placed(part, content, index) for content in contents for index, part in enumerate(content.parts))


def _having(key: str, turn: Span) -> list[Placed]:
    return [
        Placed(part, content, index)
        for content in turn
        for index, part in enumerate(content.parts)
        if isinstance(part.get(key), dict)
    ]


def place(content: Content, index: int | None = None) -> str:
    """``contents[2]`` or ``contents[2].parts[0]``."""
    return f"contents[{content.at}]" + ("" if index is None else f".parts[{index}]")


def kind_of(part: Json) -> str:
    """The member that says what a part is."""
    return next((key for key in part if key not in ("thought", "thoughtSignature")), "an empty part")
