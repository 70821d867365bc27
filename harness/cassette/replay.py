"""A source that answers from a cassette only: a request without a recording is reported and never sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Final

from harness.cassette import Delivery, Interaction
from harness.cassette.folders import in_folders
from harness.cassette.framing import FRAMING_OF_PLAIN
from harness.cassette.matching import Player
from harness.cassette.misses import Miss
from harness.endpoint import ModelRequest, RecordedResponse, Unknown
from harness.scenario import Cut

_NOT_REPLAYED: Final = FRAMING_OF_PLAIN | {"set-cookie"}


class ReplaySource:
    """The recorded answers of one case. ``timed``: they come with their recorded waits.

    ``folders`` are the loop's own folders in this run, if it has any.
    """

    repeats: Final = True

    def __init__(self, player: Player, *, timed: bool = False, folders: Mapping[str, str] | None = None) -> None:
        self._player = player
        self._timed = timed
        self._folders = folders or {}

    def next(self, request_in: ModelRequest) -> RecordedResponse | Unknown:
        """Return the recorded response to the request, or ``Unknown`` with the reason why there is none."""
        headers = listed(request_in.headers)
        played = self._player.play(request_in.method, request_in.path, request_in.body, headers)
        if isinstance(played, Interaction):
            played = in_folders(played, self._folders)
        return answer(played, timed=self._timed)

    def left(self) -> Sequence[str]:
        """Return the recordings that were not played, one line each with method, URL and line of the file."""
        unplayed = self._player.unplayed
        return [f"{each.method} {each.url}" + (f" (line {each.line})" if each.line else "") for each in unplayed]


def listed(headers: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The headers of a request in the form of a cassette."""
    return {name.lower(): (value,) for name, value in headers.items()}


def recorded(interaction: Interaction, *, timed: bool = False) -> RecordedResponse:
    """The response of an interaction, in its recorded pieces, or in one piece if none were recorded.

    If the loop left during the recording, everything that it had got is played to the end: it is up to the loop whether
    it leaves again.
    """
    listed = interaction.response_headers.items()
    headers = {name: ", ".join(values) for name, values in listed if name not in _NOT_REPLAYED}
    delivery = interaction.delivery
    if delivery is None:
        return RecordedResponse(interaction.status, headers, (interaction.response,))
    pieces = list(_pieces(interaction.response, delivery))
    chunks, waits = tuple([piece for piece, _ in pieces]), tuple([wait for _, wait in pieces])
    end = "eof" if delivery.end == "closed" else delivery.end
    cut = Cut() if delivery.socket is None else delivery.socket.cut
    return RecordedResponse(interaction.status, headers, chunks, waits if timed else (), end, cut)


def answer(played: Interaction | Miss, *, timed: bool = False) -> RecordedResponse | Unknown:
    """Return the recorded response, or ``Unknown`` with the reason if nothing is recorded."""
    if isinstance(played, Interaction):
        return recorded(played, timed=timed)
    return Unknown(str(played), played.at, played.expected, played.got)


def _pieces(body: bytes, delivery: Delivery) -> Iterator[tuple[bytes, float]]:
    """The pieces with the seconds before them. A piece that was only a secret is empty: only its wait remains."""
    waited = 0.0
    for end, length, wait in zip(accumulate(delivery.chunks), delivery.chunks, delivery.waits, strict=True):
        waited += wait / 1000
        if length:
            yield body[end - length : end], waited
            waited = 0.0
