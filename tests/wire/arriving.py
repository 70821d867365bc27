"""What the tests of arrivals share: how a call must have arrived, from its pieces as another reader tells them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate

from harness.wire import WireName, wire
from harness.wire.arrival import Arrival


def arrivals_of(name: WireName, body: bytes, arguments: Sequence[str] | None = None) -> tuple[Arrival, ...]:
    """The arrivals in a stream; ``arguments``: of its calls, where they are not those that it says itself."""
    if arguments is None:
        arguments = [call.arguments for call in wire(name).parse("text/event-stream", body).turn.calls]
    found = wire(name).arrivals("text/event-stream", body, arguments)
    assert found is not None
    return found


def lengths_of(pieces: Iterable[str]) -> list[int]:
    """How long a text is after each of its pieces, put together without our code."""
    said = accumulate([piece for piece in pieces if piece])
    return [len(text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")) for text in said]


def crlf(body: bytes) -> bytes:
    """The same stream with other line ends, of which the pattern over the bytes knows nothing: its events are read."""
    return body.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
