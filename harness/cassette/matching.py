"""Recordings played to a loop that asks anew: each once, in order among those that mean the same."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Protocol

from harness.cassette.interaction import Cassette, Interaction
from harness.cassette.meaning import Key, Meaning, meaning, meaning_of
from harness.cassette.miss import Miss

__all__ = ["Player", "Redacts"]


class Redacts(Protocol):
    """Takes out of a request what was taken out of its recording, in the same way."""

    def redact_url(self, url: str) -> str: ...

    def redact_body(self, body: bytes, content_type: str) -> bytes: ...


class Player:
    """Plays each recording of a cassette once.

    A request is answered by the first recording that means the same (``harness.cassette.meaning``) and was not played
    yet. So a retry gets what the retry got, repeated requests get their responses in order, parallel ones may come in
    any order, and conversations in one cassette do not disturb each other: each request carries its history.
    """

    def __init__(self, cassette: Cassette, *, redactor: Redacts | None = None) -> None:
        self._path = cassette.path
        self._recordings: Sequence[Interaction] = cassette.interactions
        self._redactor = redactor
        self._waiting: defaultdict[Key, deque[int]] = defaultdict(deque)
        for number, recording in enumerate(self._recordings):
            self._waiting[meaning_of(recording).key].append(number)

    def play(self, method: str, path: str, body: bytes | None) -> Interaction | Miss:
        """The recording that answers a request, which is played with this; ``path`` has the query, and no host."""
        asked = meaning(method, path, body)
        number = self._take(asked.key)
        if number is None and self._redactor is not None:
            asked = _redacted(self._redactor, method, path, body)
            number = self._take(asked.key)
        return self._miss(asked) if number is None else self._recordings[number]

    @property
    def unplayed(self) -> tuple[Interaction, ...]:
        """The recordings that were not played, in the order of the file."""
        numbers = sorted(number for waiting in self._waiting.values() for number in waiting)
        return tuple(self._recordings[number] for number in numbers)

    def _take(self, key: Key) -> int | None:
        waiting = self._waiting.get(key)
        return waiting.popleft() if waiting else None

    def _miss(self, asked: Meaning) -> Miss:
        if asked.key in self._waiting:
            return Miss("played", None, "", "", "", "")
        return Miss("unrecorded", None, "", "", asked.endpoint.path, "")


def _redacted(redactor: Redacts, method: str, path: str, body: bytes | None) -> Meaning:
    """What a request says once its secrets are out of it; only then is it shown to anybody."""
    plain = body or b""
    kind = "application/json" if plain.lstrip()[:1] in (b"{", b"[") else ""
    return meaning(method, redactor.redact_url(path), redactor.redact_body(plain, kind))
