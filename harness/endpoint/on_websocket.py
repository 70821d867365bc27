"""WebSockets at the endpoint: serving one, and the scripted faults of a case's WebSockets."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from harness.endpoint.socket_case import SocketCase
from harness.endpoint.socket_faults import fault_of
from harness.endpoint.source import ScriptSource
from harness.endpoint.suite import PlacedRequest
from harness.finding import ProviderAnswer
from harness.scenario import TurnStep
from harness.wire import Conversation, Route, Wire, wire
from harness.wire.sse import frame

if TYPE_CHECKING:
    from harness.endpoint.case_endpoint import CaseEndpoint
    from harness.endpoint.http_messages import HttpRequest
    from harness.endpoint.response_plan import ResponsePlan
    from harness.endpoint.rounds import ByWire, Rounds

_NAME: Final = "websocket"

_OF_HANDSHAKE: Final = re.compile(r"(?i)sec-websocket-|upgrade$|connection$")
"""Headers that concern the connection and not the requests on it."""


@dataclass(frozen=True, slots=True)
class ServedSocket:
    """A WebSocket that a client has asked for, and its I/O (``harness.endpoint.connections.ChannelConnection``)."""

    case: SocketCase

    def hangs(self) -> bool:
        """Whether the script never answers the client."""
        return self.case.hangs()

    def refuses(self) -> ResponsePlan | None:
        """The answer to the client if the script refuses the connection; else None."""
        return self.case.refuses()

    async def serve(self, request: HttpRequest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the frames of the connection until it ends. Raises ``OSError`` if the client has gone."""
        from harness.endpoint.socket_connection import SocketConnection  # most loops never ask for one

        await SocketConnection(self.case, request, reader, writer).serve()


class WebSockets:
    """The channel as the endpoint has it (``harness.endpoint.carriers.Carrier``)."""

    def connection(
        self,
        served: CaseEndpoint | Rounds | ByWire,
        route: Route,
        path: str,
        headers: Mapping[str, str],
        number: int,
        not_served: Counter[str],
        place: Callable[[], PlacedRequest],
    ) -> ServedSocket:
        """Connection ``number`` of a case, opened at ``path`` with ``headers``. ``place`` returns the asking test."""
        asked = {name: value for name, value in headers.items() if not _OF_HANDSHAKE.match(name)}
        mode = wire(route.wire).channels[_NAME]
        return ServedSocket(SocketCase(served, route, path, asked, mode, number, not_served, place))

    def forgotten(self, script: ScriptSource, speaker: Wire, conversation: Conversation) -> ProviderAnswer | None:
        """The answer to a request whose earlier response is forgotten; once for each step that demands it."""
        fault = fault_of(script)
        if fault is None or not fault.forgets or script.done["forgotten"]:
            return None
        script.done["forgotten"] += 1
        return speaker.channels[_NAME].not_found(conversation.continues or "")

    def messages(self, speaker: Wire, frames: Sequence[bytes], step: TurnStep) -> tuple[bytes, ...]:
        """The frames whose data are messages. An error in the middle of an answer has a special form on a WebSocket."""
        mode, fault = speaker.channels[_NAME], step.socket
        sent = mode.stream(frames)
        return (*sent[:1], frame(mode.unknown), *sent[1:]) if fault is not None and fault.unknown else sent


CARRIER: Final = WebSockets()
