"""Collects a case's records in the order in which they happen."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from harness.endpoint.request import ReceivedRequest
from harness.trace import (
    MAIN,
    BesideRecord,
    Case,
    End,
    Event,
    EventRecord,
    Record,
    RequestRecord,
    ResponseRecord,
    Trace,
)
from harness.wire import key_headers

_NO_KEYS = frozenset({"cookie", "proxy-authorization"})
"""Headers with secrets other than a provider's key."""


_KEY_IN_QUERY = re.compile(r"([?&](?:key|api_key|access_token)=)[^&]*")
REDACTED = "[redacted]"

_KEY = re.compile(r"(?:\S+ Credential=([^/\s]+)/.*|(?:\S+ )?(\S+))")
"""A key, with or without its scheme; in a request signed by AWS's clients, the id of the key."""


@cache
def credentials() -> frozenset[str]:
    """The headers that carry secrets, in lower case."""
    return key_headers() | _NO_KEYS


class Recorder:
    """The growing trace of one case. ``clock`` returns seconds; only differences are kept.

    ``size`` is the number of bytes of all bodies.
    """

    def __init__(self, case: Case, clock: Callable[[], float]) -> None:
        self._case = case
        self._clock = clock
        self._start = clock()
        self.size = 0
        self._records: list[Record] = []
        self._keys: dict[str, str] = {}
        self._exchanges = 0
        self._latest: dict[int | None, int] = {}
        self._responses: dict[int, _OpenResponse] = {}
        self._open: dict[int, _OpenResponse] = {}

    def request(self, request: ReceivedRequest, conversation: int | None = MAIN, follows: int | None = None) -> int:
        """Record that a request of ``conversation`` has arrived. Returns the number of its exchange. ``follows`` is as
        in the record."""
        number = self._exchanges
        self._exchanges += 1
        self._latest[conversation] = number
        path = request.path if "?" not in request.path else _KEY_IN_QUERY.sub(rf"\1{REDACTED}", request.path)
        headers = self._without_credentials(request.lower)
        self.size += len(request.body)
        self._records.append(
            RequestRecord(
                number,
                request.method,
                path,
                headers,
                request.body,
                self._now(),
                conversation,
                request.connection,
                request.lane,
                follows,
            )
        )
        return number

    def renumber(self, conversation: int | None) -> None:
        """Assign all requests of the main conversation so far to ``conversation``."""
        for at, record in enumerate(self._records):
            if isinstance(record, RequestRecord) and record.conversation == MAIN:
                self._records[at] = replace(record, conversation=conversation)
        self._latest[conversation] = self._latest.pop(MAIN)

    def respond(self, exchange: int, status: int, headers: Mapping[str, str]) -> Callable[[Sequence[bytes]], bytes]:
        """Record that the head of a response is about to reach the loop.

        Returns a function that records pieces of the body when they are about to reach the loop (``delivered`` records
        one), and returns them joined.
        """
        response = self._open[exchange] = self._responses[exchange] = _OpenResponse(status, headers)
        return response.deliver

    def delivered(self, exchange: int, chunk: bytes) -> None:
        """Record that a piece of a response's body is about to reach the loop; after the response's end, ignore it."""
        response = self._open.get(exchange)
        if response is not None:
            response.deliver((chunk,))

    def replaced(self, exchange: int, body: bytes) -> None:
        """Replace what was delivered of a response by ``body``, which is about to reach the loop."""
        response = self._open[exchange]
        response.chunks, response.joined, response.size = [body], [body], len(body)

    def completed(self, exchange: int, body: bytes) -> None:
        """Record that another request is about to fetch a broken response; ``body`` is all of it."""
        for at, record in enumerate(self._records):
            if isinstance(record, ResponseRecord) and record.exchange == exchange:
                self._records[at] = replace(record, body=body, chunks=(len(body),), end="eof")

    def ended(self, exchange: int, end: End) -> ResponseRecord | None:
        """Record that either side has ended a response. Returns its record; None if it had ended before."""
        response = self._open.pop(exchange, None)
        if response is None:
            return None
        body, sizes = response.end()
        record = ResponseRecord(exchange, response.status, dict(response.headers), body, sizes, end, self._now())
        self._records.append(record)
        self.size += len(body)
        return record

    def emitted(self, event: Event, conversation: int = MAIN) -> None:
        """Record that the loop has emitted ``event``, which is about ``conversation``."""
        exchange = self._latest.get(conversation)
        response = None if exchange is None else self._responses.get(exchange)
        offset = 0 if response is None else response.size
        self._records.append(EventRecord(event, exchange, offset, self._now(), conversation))

    def passed(self, seconds: float) -> None:
        """Advance the loop's time by ``seconds`` that it does not really wait."""
        self._start -= seconds

    def happened(self, record: BesideRecord) -> None:
        """Record what has happened now, other than requests, responses and events."""
        self._records.append(replace(record, at=self._now()))

    def restore(self, records: Sequence[Record]) -> None:
        """Use ``records``, with their times, as everything that has been recorded so far."""
        self._records = list(records)

    def trace(self) -> Trace:
        """The trace so far."""
        return Trace(self._case, tuple(self._records))

    def __len__(self) -> int:
        """How many records there are."""
        return len(self._records)

    @property
    def exchanges(self) -> int:
        """How many exchanges have begun."""
        return self._exchanges

    @property
    def open(self) -> tuple[int, ...]:
        """The exchanges whose responses have not ended."""
        return tuple(self._open)

    def _without_credentials(self, headers: Mapping[str, str]) -> Mapping[str, str]:
        """Redact keys: the first of the case as ``[redacted]``, another as ``[redacted 2]``, so a change is visible."""
        secret = credentials()
        if secret.isdisjoint(headers):
            return headers
        return {name: self._mark(name, value) if name in secret else value for name, value in headers.items()}

    def _mark(self, name: str, credential: str) -> str:
        key = _KEY.fullmatch(credential) if name not in _NO_KEYS else None
        if key is None:
            return REDACTED
        number = len(self._keys) + 1
        return self._keys.setdefault(key[1] or key[2], REDACTED if number == 1 else f"[redacted {number}]")

    def _now(self) -> float:
        return self._clock() - self._start


@dataclass(slots=True)
class _OpenResponse:
    """An unfinished response: its ``chunks``, the same ``joined`` as they were delivered together, and their ``size``.

    One thread delivers, and the loop may emit in another: what arrives in between counts the next time.
    """

    status: int
    headers: Mapping[str, str]
    chunks: list[bytes] = field(default_factory=list)
    joined: list[bytes] = field(default_factory=list)
    size: int = 0
    is_over: bool = False

    def deliver(self, pieces: Sequence[bytes]) -> bytes:
        """Take some pieces, and return them joined. Pieces after the end reach nobody and do not count."""
        joined = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        if not self.is_over:
            self.chunks += pieces
            self.joined.append(joined)
            self.size += len(joined)
        return joined

    def end(self) -> tuple[bytes, tuple[int, ...]]:
        """The whole body, and the lengths of its pieces."""
        self.is_over = True
        chunks, body = self.chunks, b"".join(self.joined)
        self.chunks, self.joined = [], []
        if len(chunks) == len(body) and all(chunks):
            return body, (1,) * len(body)  # every byte by itself, of which there are many
        return body, tuple(map(len, chunks))
