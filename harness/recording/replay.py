"""A source that answers from a cassette, and from nothing else: what is not recorded is told, never asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

from harness.cassette import Interaction
from harness.cassette.matching import Player
from harness.cassette.miss import Miss
from harness.gateway import Question, Recorded, Unknown

__all__ = ["ReplaySource", "answer", "recorded"]

_FRAMING: Final = frozenset(
    {"content-length", "transfer-encoding", "connection", "keep-alive", "content-encoding", "set-cookie"}
)


class ReplaySource:
    """The recorded answers of one case. ``timed`` gives them with the waits that they were recorded with."""

    def __init__(self, player: Player, *, timed: bool = False) -> None:
        self._player = player
        self._timed = timed

    def next(self, question: Question) -> Recorded | Unknown:
        return answer(self._player.play(question.method, question.path, question.body), timed=self._timed)

    def left(self) -> Sequence[str]:
        unplayed = self._player.unplayed
        return [f"{each.method} {each.url}" + (f" (line {each.line})" if each.line else "") for each in unplayed]


def recorded(interaction: Interaction, *, timed: bool = False) -> Recorded:
    """The response of an interaction, in the pieces in which it came; in one where the recorder kept none.

    Where the loop of the recording went away, what it had got is given to its end: whether it goes away again is its
    own doing.
    """
    headers = {name: ", ".join(values) for name, values in interaction.response_headers.items() if name not in _FRAMING}
    delivery = interaction.delivery
    if delivery is None:
        return Recorded(interaction.status, headers, (interaction.response,))
    waits = tuple(wait / 1000 for wait in delivery.waits) if timed else ()
    end = "eof" if delivery.end == "closed" else delivery.end
    return Recorded(interaction.status, headers, tuple(_pieces(interaction.response, delivery.chunks)), waits, end)


def answer(played: Interaction | Miss, *, timed: bool = False) -> Recorded | Unknown:
    """What the endpoint answers, or tells where nothing is recorded."""
    if isinstance(played, Interaction):
        return recorded(played, timed=timed)
    return Unknown(str(played), played.at, played.expected, played.got)


def _pieces(body: bytes, lengths: tuple[int, ...]) -> Iterator[bytes]:
    ends = accumulate(lengths)
    return (body[end - length : end] for end, length in zip(ends, lengths, strict=True))
