"""A received request of a conversation. It is parsed only once, however often its content is needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from harness.endpoint.recognition import RecognisedRequest
from harness.wire import Conversation, Route, Wire
from harness.wire.base import GrowingRead


class ReceivedRequest:
    """A request that a client sent to the address of a case.

    ``path`` is as the provider would see it, ``body`` without encodings. ``headers`` have the names as they came,
    ``lower`` has them in lower case. ``connection`` and ``lane`` are as in ``Conversation``. ``test`` is the name of
    the test that made the request (``harness.endpoint.suite``), empty without one.
    """

    __slots__ = (
        "_asked",
        "_speaker",
        "body",
        "connection",
        "headers",
        "lane",
        "lower",
        "method",
        "path",
        "route",
        "test",
    )

    def __init__(
        self,
        route: Route,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: bytes,
        lower: Mapping[str, str] | None = None,
        connection: int = 0,
        lane: str = "",
        test: str = "",
    ) -> None:
        self.route = route
        self.method = method
        self.path = path
        self.headers = headers
        self.lower = {name.lower(): value for name, value in headers.items()} if lower is None else lower
        self.body = body
        self.connection = connection
        self.lane = lane
        self.test = test
        self._speaker: Wire | None = None
        self._asked: RecognisedRequest | None = None

    def read_as(self, other: ReceivedRequest) -> None:
        """Take over the parsed content of another request, if this one is the same."""
        alike = self.body == other.body and self.path == other.path and self.lower == other.lower
        if alike and (self.connection, self.lane) == (other.connection, other.lane):
            self._asked, self._speaker = other._asked, other._speaker

    def asked(self, speaker: Wire, before: Conversation | None = None) -> RecognisedRequest:
        """The request as ``speaker`` reads it. Raises ``UnreadableRequest`` if it cannot.

        ``before`` is an earlier request, as read by ``speaker``, with whose content this one may begin.
        """
        if self._asked is None or self._speaker is not speaker:
            if isinstance(speaker.read, GrowingRead):
                conversation = speaker.read.after(before, self.body)
            else:
                conversation = speaker.read(self.route, self.body, self.lower)
            if self.connection:
                conversation = replace(conversation, connection=self.connection, lane=self.lane)
            self._asked, self._speaker = RecognisedRequest(conversation), speaker
        return self._asked
