"""Plays recordings to a loop: each once, in order among recordings of requests with the same meaning."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from harness.cassette.interaction import Cassette, Headers, Interaction, Provenance
from harness.cassette.match_key import Key, MatchableRequest, matchable, matchable_of
from harness.cassette.misses import Miss, explained


class RedactsRequests(Protocol):
    """Redacts a request in the same way as its recording."""

    def redact_url(self, url: str) -> str:
        """Return the URL without its secrets."""

    def redact_body(self, body: bytes, content_type: str) -> bytes:
        """Return an uncompressed body of this content type without its secrets."""


@runtime_checkable
class LearnsFromRequests(Protocol):
    """Also redacts secrets that a request contains outside of its body."""

    def knowing_sent(self, url: str, request_headers: Headers, /) -> RedactsRequests:
        """Return a redactor for a request to ``url`` with these headers."""


class Untrue(Exception):
    """The index of a cassette contradicts its file."""


class Recordings(Protocol):
    """The recordings of a cassette by number, from 0, and the meaning of each request."""

    @property
    def provenance(self) -> Provenance | None:
        """Where the cassette comes from; None where its file does not say."""

    @property
    def keys(self) -> Sequence[Key]:
        """The match key of every recording, in the order of the file."""

    def interaction(self, number: int) -> Interaction:
        """Return a recording. Raises ``Untrue`` if its request does not match its key in ``keys``."""

    def whole(self) -> ReadCassette:
        """The same recordings, read only from the file."""


@dataclass(frozen=True, slots=True)
class ReadCassette:
    """A cassette that has been read."""

    cassette: Cassette
    keys: tuple[Key, ...]

    @property
    def provenance(self) -> Provenance | None:
        """Where the cassette comes from; None where its file does not say."""
        return self.cassette.provenance

    def interaction(self, number: int) -> Interaction:
        """Return the recording with this number, from 0."""
        return self.cassette.interactions[number]

    def whole(self) -> ReadCassette:
        """Return this value: everything in it comes from the file."""
        return self


def whole(cassette: Cassette) -> ReadCassette:
    """A cassette with the keys of its requests."""
    return ReadCassette(cassette, tuple(matchable_of(each).key for each in cassette.interactions))


class Player:
    """Plays each recording of a cassette once.

    A request is answered by the first unplayed recording with the same meaning (``harness.cassette.match_key``). So a
    retry gets the response of the recorded retry, repeated requests get their responses in order, parallel requests may
    come in any order, and conversations in one cassette do not disturb each other: each request carries its history.

    ``redactor`` is the one with which the cassette was recorded, and ``again`` the command that records it again.
    """

    def __init__(
        self, recordings: Cassette | Recordings, redactor: RedactsRequests | None = None, again: str = ""
    ) -> None:
        self._again = again
        self._recordings = whole(recordings) if isinstance(recordings, Cassette) else recordings
        self._redactor = redactor
        self._played: Counter[Key] = Counter()
        self._waiting = _numbers(self._recordings.keys)

    @property
    def provenance(self) -> Provenance | None:
        """Where the cassette comes from."""
        return self._recordings.provenance

    @property
    def unplayed(self) -> tuple[Interaction, ...]:
        """The recordings that were not played, in the order of the file."""
        if not any(self._waiting.values()):
            return ()
        self._trust_only_the_file()
        left = map(self._recordings.interaction, self._left())
        return tuple(each for each in left if not each.opens_socket)

    def play(self, method: str, path: str, body: bytes | None, headers: Headers | None = None) -> Interaction | Miss:
        """Play the recording that answers a request, and return it; ``path`` has the query, and no host.

        ``headers`` are only used to find secret values; they are not compared.
        """
        return self.take(method, path, body, headers) or self._miss(method, path, body, headers)

    def take(self, method: str, path: str, body: bytes | None, headers: Headers | None = None) -> Interaction | None:
        """Like ``play``, for callers with another answer for a missing recording, who need no explanation."""
        try:
            found = self._take(method, path, body, headers)
        except Untrue:
            found = None
        if found is None and self._trust_only_the_file():
            return self._take(method, path, body, headers)
        return found

    def _take(self, method: str, path: str, body: bytes | None, headers: Headers | None) -> Interaction | None:
        found = self._next(matchable(method, path, body).key)
        if found is None and self._redactor is not None:
            return self._next(_redacted_request(self._redactor, method, path, body, headers).key)
        return found

    def _next(self, key: Key) -> Interaction | None:
        waiting = self._waiting.get(key)
        if not waiting:
            return None
        found = self._recordings.interaction(waiting[0])
        waiting.popleft()
        self._played[key] += 1
        return found

    def _trust_only_the_file(self) -> bool:
        """Continue with the file instead of its index; False if that was already done."""
        true = self._recordings.whole()
        if true is self._recordings:
            return False
        self._recordings = true
        self._waiting = _numbers(true.keys)
        for key, times in self._played.items():
            for _ in range(times):
                self._waiting[key].popleft()
        return True

    def _left(self) -> list[int]:
        return sorted(number for waiting in self._waiting.values() for number in waiting)

    def _miss(self, method: str, path: str, body: bytes | None, headers: Headers | None) -> Miss:
        asked = (
            matchable(method, path, body)
            if self._redactor is None
            else _redacted_request(self._redactor, method, path, body, headers)
        )
        true = self._recordings.whole()
        cassette = replace(true.cassette, again=self._again)
        return explained(asked, cassette, true.keys, frozenset(self._left()))


def _numbers(keys: Sequence[Key]) -> defaultdict[Key, deque[int]]:
    """The numbers of the recordings of each key, in order."""
    found: defaultdict[Key, deque[int]] = defaultdict(deque)
    for number, key in enumerate(keys):
        found[key].append(number)
    return found


def _redacted_request(
    redactor: RedactsRequests, method: str, path: str, body: bytes | None, headers: Headers | None
) -> MatchableRequest:
    """The compared parts of a request without its secrets; only these are ever shown."""
    if isinstance(redactor, LearnsFromRequests):
        redactor = redactor.knowing_sent(path, headers or {})
    plain = body or b""
    kind = "application/json" if plain.lstrip()[:1] in (b"{", b"[") else ""
    return matchable(method, redactor.redact_url(path), redactor.redact_body(plain, kind))
