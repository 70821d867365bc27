"""A wire over a WebSocket: how the frames of a connection say what requests and answers over HTTP say.

A frame that asks for a response is the body of a request and a few members beside it, and each event of the answer is a
frame. So a wire that has a WebSocket reads, judges and renders as it does over HTTP; only what is about the connection
is said here, as one small value (``Wire.socket``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.finding import ProviderAnswer
from harness.wire.lenient import Json

if TYPE_CHECKING:
    from harness.wire.base import ErrorAnswer

__all__ = ["FrameRefused", "HeardFrame", "SocketMode", "SocketRequest"]


@dataclass(frozen=True, slots=True)
class SocketRequest:
    """A frame that asks for a response.

    ``body`` is the body of the request that says the same over HTTP. ``lane`` is the name of the stream that its answer
    belongs to, empty for the one without a name. ``warm_up``: nothing is to be generated.
    """

    body: bytes
    lane: str = ""
    warm_up: bool = False


@dataclass(frozen=True, slots=True)
class HeardFrame:
    """A frame of a server, as the frame of the ``event`` that says the same over HTTP.

    ``lane`` is the name of its stream, and with ``ends`` nothing more of its answer comes. Of an error frame ``error``
    is the answer over HTTP to a request that gets nothing else.
    """

    event: bytes
    lane: str = ""
    ends: bool = False
    error: ErrorAnswer | None = None


class FrameRefused(Exception):
    """A frame that asks for no response. ``answered`` is what the provider says, on ``lane``, and ``kind`` what it is.

    ``frame`` is the whole answer, where that is no error frame.
    """

    def __init__(self, kind: str, answered: ProviderAnswer, lane: str = "", frame: str = "") -> None:
        super().__init__(answered.message)
        self.kind = kind
        self.answered = answered
        self.lane = lane
        self.frame = frame


@dataclass(frozen=True, slots=True)
class SocketMode:
    """What a wire says over a WebSocket, at the address at which its requests are posted.

    ``read`` reads a frame of a client; it raises ``FrameRefused``. ``event`` makes a frame of the data of an event, for
    a lane, and ``error`` of an error answer. ``stream`` takes the frames of a stream as HTTP has them, one event each,
    and returns those whose data are sent here: an error in the middle of an answer may have another form. ``after``
    takes the bodies of a warm-up and of a request that goes on from it, and returns the body that says both. ``limit``
    is the error with which a connection ends that has lasted too long, ``too_many_lanes`` the one for a lane more than
    ``lanes``. ``unknown`` is the data of an event of a type that no client knows.

    A client of it needs the rest: ``asks`` makes the frame that asks on a lane what this body asks over HTTP, ``heard``
    reads a frame of a server, ``wrong`` is a frame that asks for nothing, and ``begins`` and ``ends`` say of a frame
    that a response begins or is over with it. An error frame, which ``is_error`` knows, is the end of what it is about.
    """

    read: Callable[[str], SocketRequest]
    event: Callable[[str, str], str]
    stream: Callable[[Sequence[bytes]], tuple[bytes, ...]]
    error: Callable[[ErrorAnswer, str], str]
    after: Callable[[bytes, bytes], bytes]
    not_found: Callable[[str], ProviderAnswer]
    limit: ProviderAnswer
    too_many_lanes: ProviderAnswer
    lanes: int
    unknown: str
    asks: Callable[[Json, str], str]
    heard: Callable[[str], HeardFrame]
    wrong: str
    begins: Callable[[Json], bool]
    ends: Callable[[Json], bool]
    is_error: Callable[[Json], bool]
