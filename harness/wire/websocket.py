"""A wire over a WebSocket: how the frames of a connection say what requests and answers over HTTP say.

A frame that asks for a response is the body of a request and a few members beside it, and each event of the answer is a
frame. So a wire that has a WebSocket reads, judges and renders as it does over HTTP; only what is about the connection
is said here, as one small value (``Wire.socket``).
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

    ``body`` is the body of the request that says the same over HTTP. ``lane`` is the name of the stream that its answer
    belongs to, empty for the one without a name. ``warm_up``: nothing is to be generated.
    """

    body: bytes
    lane: str = ""
    warm_up: bool = False


@dataclass(frozen=True, slots=True)
class SteerRequest:
    """A frame that says something to a response which is on its way: its id, and the ``input``.

    ``number`` counts those that were accepted on the connection, from 1; 0: it was not.
    """

    response: str
    input: Any
    number: int = 0


@dataclass(frozen=True, slots=True)
class Steering:
    """What a server answers to a client that steers a response while it arrives.

    ``accepted``, ``failed`` (with a code) and ``pending`` (with the items of the response) make the frames that answer
    it on a lane. ``cut`` is the event with which a response ends that has sent these, ``succeeds`` the body that asks
    for the next one: it takes that of the one before, its id and the inputs. ``in_front`` puts inputs in front of that
    of a body.
    """

    accepted: Callable[[SteerRequest, str], str]
    failed: Callable[[SteerRequest, str, str], str]
    pending: Callable[[SteerRequest, Sequence[Json], str], str]
    cut: Callable[[Sequence[bytes]], bytes]
    succeeds: Callable[[bytes, str, Sequence[Any]], bytes]
    in_front: Callable[[bytes, Sequence[Any]], bytes]


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

    ``read`` reads a frame of a client; it raises ``FrameRefused``. ``event`` makes a frame of the data of an event,
    for a lane, and ``error`` of an error answer. ``stream`` takes the frames of a stream as HTTP has them, one
    event each, and returns those whose data are sent here: an error in the middle of an answer may have another
    form. ``after`` takes the bodies of a warm-up and of a request that goes on from it, and returns the body that
    says both. ``lent`` is the id of the response that a body goes on from, where only its connection keeps that.
    ``limit`` is the error with which a connection ends that has lasted too long, ``too_many_lanes`` the one for a
    lane more than ``lanes``, of which so many as ``active`` have an answer at once. ``unknown`` is the data of an
    event of a type that no client knows, ``elsewhere`` the messages of a response on another lane. ``steering`` is
    for what is said while an answer arrives.

    A client of it needs the rest: ``asks`` makes the frame that asks on a lane what this body asks over HTTP,
    ``heard`` reads a frame of a server, ``wrong`` is a frame that asks for nothing, and ``begins``, ``underway``
    and ``ends`` say of a frame that a response begins, is being made or is over with it. An error frame, which
    ``is_error`` knows, is the end of what it is about; ``is_whole_error``: one in the form that clients know.
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
