"""Collects a case's records in the order in which they happen."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from harness.trace import Case, End, Event, Record, RequestRecord, ResponseRecord, Told, Trace

__all__ = ["Recorder"]

_CREDENTIALS = frozenset({"authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie", "proxy-authorization"})
_KEY_IN_QUERY = re.compile(r"([?&](?:key|api_key|access_token)=)[^&]*")
REDACTED = "[redacted]"


class Recorder:
    """One case's trace while it grows. ``clock`` gives seconds; only differences are kept."""

    def __init__(self, case: Case, clock: Callable[[], float]) -> None:
        self._case = case
        self._clock = clock
        self._start = clock()
        self._records: list[Record] = []
        self._exchanges = 0
        self._offset = 0

    def request(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> int:
        """A request has arrived. Returns the number of its exchange."""
        number = self._exchanges
        self._exchanges += 1
        self._offset = 0
        self._records.append(
            RequestRecord(number, method, _KEY_IN_QUERY.sub(rf"\1{REDACTED}", path), _clean(headers), body, self._now())
        )
        return number

    def delivered(self, size: int) -> None:
        """``size`` more bytes of the latest response's body are about to reach the loop."""
        self._offset += size

    def response(
        self, exchange: int, status: int, headers: Mapping[str, str], chunks: tuple[bytes, ...], end: End
    ) -> None:
        """A response has ended; ``chunks`` are the pieces that were delivered."""
        sizes = tuple([len(chunk) for chunk in chunks])
        self._records.append(ResponseRecord(exchange, status, dict(headers), b"".join(chunks), sizes, end, self._now()))

    def tell(self, event: Event) -> None:
        """The loop has told its user ``event``."""
        exchange = self._exchanges - 1 if self._exchanges else None
        self._records.append(Told(event, exchange, self._offset, self._now()))

    def trace(self) -> Trace:
        """What has been recorded so far."""
        return Trace(self._case, tuple(self._records))

    def _now(self) -> float:
        return self._clock() - self._start


def _clean(headers: Mapping[str, str]) -> dict[str, str]:
    lower = {name.lower(): value for name, value in headers.items()}
    return {name: REDACTED if name in _CREDENTIALS else value for name, value in lower.items()}
