"""Text read in pieces, and what came of it: what the tests of the parser share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from harness.fuzz.strategies.text_tags import TAG_PAIRS, call
from harness.fuzz.text_tags.documents import NASTY
from harness.wire.text_tags import ReadPiece, TextCall, TextTags

__all__ = ["NASTY", "TAG_PAIRS", "Found", "Outcome", "call", "read"]


@dataclass(frozen=True)
class Found:
    """A call that was found, under an id that says in which order the calls of its text were first told."""

    id: str
    name: str
    arguments: str
    problem: str


@dataclass(frozen=True)
class Outcome:
    """What was told, neighbours joined, and what was found. ``told``: (kind or call id, name, text)."""

    told: tuple[tuple[str, str, str], ...]
    calls: tuple[Found, ...]
    without_calls: str
    without_thinking: str

    @property
    def text(self) -> str:
        return "".join(text for kind, _, text in self.told if kind == "text")

    @property
    def thinking(self) -> str:
        return "".join(text for kind, _, text in self.told if kind == "thinking")

    def arguments(self, call_id: str) -> str:
        return "".join(text for kind, _, text in self.told if kind == call_id)


def read(*pieces: str) -> Outcome:
    parser = TextTags()
    said = [each for piece in pieces for each in parser.feed(piece)] + parser.end()
    told_calls = dict.fromkeys(what for what, _ in said if isinstance(what, TextCall))
    ids = {call: f"call_{number}" for number, call in enumerate(told_calls, 1)}
    found = tuple(Found(ids[each], each.name, each.arguments, each.problem) for each in parser.calls)
    return Outcome(_joined(said, ids), found, parser.without("call"), parser.without("thinking"))


def _joined(said: Iterable[ReadPiece], ids: dict[TextCall, str]) -> tuple[tuple[str, str, str], ...]:
    told: list[tuple[str, str, str]] = []
    for what, text in said:
        kind, name = (ids[what], what.name) if isinstance(what, TextCall) else (what, "")
        if told and told[-1][:2] == (kind, name):
            text = told.pop()[2] + text
        told.append((kind, name, text))
    return tuple(told)
