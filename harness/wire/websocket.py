"""A wire over a WebSocket: how the frames of a connection correspond to requests and answers over HTTP.

A frame that asks for a response is the body of a request with a few more members, and each event of the answer is a
frame. So a wire with a WebSocket reads, judges and renders as it does over HTTP. This module has only what is about the
connection, as one small value (``Wire.channels``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.finding import ProviderAnswer
from harness.wire.lenient import Json

if TYPE_CHECKING:
    from harness.wire.error_answer import ErrorAnswer


@dataclass(frozen=True, slots=True)
class SocketRequest:
    """A frame that asks for a response.

    ``body`` is the body of the same request over HTTP. ``lane`` is the name of the stream that its answer belongs to,
    empty for the stream without a name. ``warm_up``: the model must not generate anything.
    """

    body: bytes
    lane: str = ""
    warm_up: bool = False


@dataclass(frozen=True, slots=True)
class SteerRequest:
    """A frame that steers a response that is arriving: the id of the response, and the ``input``.

    ``number`` counts the accepted ones on the connection, from 1; 0: this one was not accepted.
    """

    response: str
    input: Any
    number: int = 0


@dataclass(frozen=True, slots=True)
class Steering:
    """What a server answers to a client that steers a response while it arrives.

    ``accepted``, ``failed`` (with a code) and ``pending`` (with the items of the response) make the frames that answer
    it on a lane. ``cut`` makes the event that ends a response after these events. ``succeeds`` makes the body that asks
    for the next response, from the body of the one before, its id and the inputs. ``in_front`` puts inputs in front of
    a body's own input.
    """

    accepted: Callable[[SteerRequest, str], str]
    failed: Callable[[SteerRequest, str, str], str]
    pending: Callable[[SteerRequest, Sequence[Json], str], str]
    cut: Callable[[Sequence[bytes]], bytes]
    succeeds: Callable[[bytes, str, Sequence[Any]], bytes]
    in_front: Callable[[bytes, Sequence[Any]], bytes]


@dataclass(frozen=True, slots=True)
class HeardFrame:
    """A frame of a server, as the frame of the same ``event`` over HTTP.

    ``lane`` is the name of its stream. After a frame with ``ends`` nothing more of its answer comes. ``error`` is set
    for an error frame: the answer over HTTP to a request that gets nothing else.
    """

    event: bytes
    lane: str = ""
    ends: bool = False
    error: ErrorAnswer | None = None


class FrameRefused(Exception):
    """A frame that asks for no response. ``answered`` is what the provider says, on ``lane``, and ``kind`` what it is.

    ``frame`` is the whole answer if that is no error frame.
    """

    def __init__(self, kind: str, answered: ProviderAnswer, lane: str = "", frame: str = "") -> None:
        super().__init__(answered.message)
        self.kind = kind
        self.answered = answered
        self.lane = lane
        self.frame = frame


@dataclass(frozen=True, slots=True)
class SocketMode:
    """How a wire speaks over a WebSocket, at the address to which its requests are posted.

    ``read`` reads a frame of a client; it raises ``FrameRefused``. ``event`` makes a frame for a lane from the data of
    an event, ``error`` one from an error answer. ``stream`` takes the frames of an HTTP stream, one event each, and
    returns the frames whose data are sent here: an error in the middle of an answer may have another form. ``after``
    takes the bodies of a warm-up and of a request that continues it, and returns one body with both. ``lent`` is the id
    of the response that a body continues, if only its connection keeps that response. ``limit`` is the error that ends
    a connection after too long a time, ``too_many_lanes`` the error for more than ``lanes`` lanes; ``active`` is how
    many lanes may have an answer at once. ``unknown`` is the data of an event of a type that no client knows,
    ``elsewhere`` the messages of a response on another lane. ``steering`` is for input while an answer arrives.

    A client needs the rest: ``asks`` makes the frame that sends this HTTP body's request on a lane, ``heard`` reads a
    frame of a server, and ``wrong`` is a frame that asks for nothing. ``begins``, ``underway`` and ``ends``: whether a
    frame begins a response, shows that it is being made, or ends it. ``is_error``: whether it is an error frame, which
    ends what it is about; ``is_whole_error``: whether the error has the form that clients know.
    """

    read: Callable[[str], SocketRequest | SteerRequest]
    event: Callable[[str, str], str]
    stream: Callable[[Sequence[bytes]], tuple[bytes, ...]]
    error: Callable[[ErrorAnswer, str], str]
    after: Callable[[bytes, bytes], bytes]
    not_found: Callable[[str], ProviderAnswer]
    limit: ProviderAnswer
    too_many_lanes: ProviderAnswer
    lanes: int
    active: int
    lent: Callable[[bytes], str]
    unknown: str
    elsewhere: tuple[str, ...]
    steering: Steering
    asks: Callable[[Json, str], str]
    heard: Callable[[str], HeardFrame]
    wrong: str
    begins: Callable[[Json], bool]
    underway: Callable[[Json], bool]
    ends: Callable[[Json], bool]
    is_error: Callable[[Json], bool]
    is_whole_error: Callable[[Json], bool]
