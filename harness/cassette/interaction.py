"""The content of a cassette: recorded HTTP exchanges of any recorder, and their provenance."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from harness.cassette.over_socket import OverSocket
from harness.secrets.headers import Headers
from harness.trace import End
from harness.wire import WireName

__all__ = ["Cassette", "Delivery", "Headers", "Interaction", "OverSocket", "Provenance"]


_SWITCHING: Final = 101


@dataclass(frozen=True, slots=True)
class Delivery:
    """How a response arrived.

    ``chunks`` are the lengths of the pieces of its body, in bytes; together they are the whole body. ``waits`` are
    the milliseconds before each of them: before the first since the request was sent, then since the piece before.
    ``socket`` is None for a response over HTTP.
    """

    chunks: tuple[int, ...]
    waits: tuple[float, ...]
    end: End = "eof"
    socket: OverSocket | None = None


@dataclass(frozen=True, slots=True)
class Interaction:
    """A request and its response.

    Bodies are uncompressed; the request's body is None if it was not recorded. ``line`` is where the interaction begins
    in its file, from 1; 0 without a file. ``delivery`` is None if the recorder did not store it. ``wire`` is set for a
    response without a recorded request, from the response itself: ``method`` and ``url`` are empty then.
    """

    method: str
    url: str
    request_headers: Headers
    request: bytes | None
    status: int
    response_headers: Headers
    response: bytes
    line: int = 0
    delivery: Delivery | None = None
    wire: WireName | None = None

    @property
    def socket(self) -> OverSocket | None:
        """The connection beside HTTP on which it was sent; None: over HTTP, or unknown."""
        return None if self.delivery is None else self.delivery.socket

    @property
    def opens_socket(self) -> bool:
        """Whether it is no exchange with a model, but the opening of a connection for exchanges."""
        return self.status == _SWITCHING


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a cassette of ours comes from.

    ``source`` is who answered: a model (``live``) or a scripted endpoint (``script``). ``server`` names the upstream
    for a person (its base URL, or a server and its version), ``model`` is the model that was asked, ``recorded`` the
    day (``2026-11-22``), ``harness`` the version that recorded it.
    """

    source: Literal["live", "script"]
    scenario: str
    wire: str
    target: str
    server: str
    model: str
    recorded: str
    harness: str


@dataclass(frozen=True, slots=True)
class Cassette:
    """A cassette file, read.

    ``provenance`` is None if another recorder wrote it. ``again`` is the command that records it again, ``""`` if it is
    unknown.
    """

    path: Path
    interactions: tuple[Interaction, ...]
    provenance: Provenance | None = None
    again: str = ""
