"""The history of a request taken apart for the rules: turns, calls, responses and their places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from harness.wire.base import Json
from harness.wire.gemini_generate.parts import ContentEntry
from harness.wire.gemini_generate.schema import DATA


class Placed(NamedTuple):
    """A part and where it is: the ``number``-th of its ``holder``, from 0."""

    part: Json
    holder: ContentEntry
    number: int

    @property
    def at(self) -> str:
        """The place in the API's spelling."""
        return place(self.holder, self.number)


class TurnSpan(NamedTuple):
    """Contents that count as one turn.

    ``parts`` are all their parts in order. ``calls`` are the calls of a model turn, ``responses`` the responses of any
    other.
    """

    contents: tuple[ContentEntry, ...]
    is_model: bool
    parts: tuple[Placed, ...]
    calls: tuple[Placed, ...]
    responses: tuple[Placed, ...]

    @property
    def first(self) -> ContentEntry:
        """The first content of the turn."""
        return self.contents[0]

    @property
    def last(self) -> ContentEntry:
        """The last content of the turn."""
        return self.contents[-1]

    @property
    def at(self) -> str:
        """The place of the first content."""
        return place(self.first)

    @property
    def text(self) -> str:
        """What the turn says, thoughts left out."""
        spoken = (placed.part for placed in self.parts if not placed.part.get("thought"))
        return "".join([str(part.get("text") or "") for part in spoken])


NOTHING: Final = TurnSpan((), False, (), (), ())
"""The empty turn before the first and after the last turn."""


@dataclass(frozen=True, slots=True, eq=False)
class GeminiHistory:
    """The contents of a request, as turns.

    ``call_turns`` are the model turns that call, each with what follows it. ``current`` is where the current turn
    begins: the last content that is neither the model's nor has responses.
    """

    turns: tuple[TurnSpan, ...]
    parts: tuple[Placed, ...]
    call_turns: tuple[tuple[TurnSpan, TurnSpan], ...]
    current: int

    @classmethod
    def of(cls, contents: Sequence[ContentEntry]) -> GeminiHistory:
        """The history that these contents make."""
        turns = _turns(contents)
        following = zip(turns, (*turns[1:], NOTHING), strict=False)
        starts = [turn.first.at for turn in turns if not turn.is_model and not turn.responses]
        return cls(
            turns,
            tuple([placed for turn in turns for placed in turn.parts]),
            tuple([(turn, after) for turn, after in following if turn.calls]),
            starts[-1] if starts else -1,
        )

    @property
    def model_turns(self) -> tuple[TurnSpan, ...]:
        """The turns of the model, in order."""
        return tuple(turn for turn in self.turns if turn.is_model)


def _turns(contents: Sequence[ContentEntry]) -> tuple[TurnSpan, ...]:
    """Neighbouring model contents put together; other contents are never merged."""
    turns: list[list[ContentEntry]] = []
    for content in contents:
        if turns and content.role == "model" == turns[-1][-1].role:
            turns[-1].append(content)
        else:
            turns.append([content])
    return tuple(map(_span, turns))


def _span(contents: list[ContentEntry]) -> TurnSpan:
    is_model = contents[0].role == "model"
    parts = tuple([Placed(part, content, index) for content in contents for index, part in enumerate(content.parts)])
    kind = "functionCall" if is_model else "functionResponse"
    paired = tuple([placed for placed in parts if isinstance(placed.part.get(kind), dict)])
    return TurnSpan(tuple(contents), is_model, parts, paired if is_model else (), () if is_model else paired)


def place(content: ContentEntry, index: int | None = None) -> str:
    """``contents[2]`` or ``contents[2].parts[0]``."""
    return f"contents[{content.at}]" + ("" if index is None else f".parts[{index}]")


def name_of(placed: Placed) -> str:
    """The name of the function that the part calls."""
    call = placed.part.get("functionCall")
    return str(call.get("name") or "") if isinstance(call, dict) else ""


def kind_of(part: Json) -> str:
    """What a part holds."""
    return next((kind for kind in DATA if part.get(kind) is not None), "an empty part")
