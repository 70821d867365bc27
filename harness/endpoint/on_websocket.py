"""WebSockets at the endpoint: what serves one, and what a script does to those that a case has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from harness.endpoint.source import ScriptSource
from harness.endpoint.suite import PlacedRequest
from harness.finding import ProviderAnswer
from harness.scenario import SocketFault, TurnStep
from harness.wire import Conversation, Route, Wire, wire
from harness.wire.sse import frame

if TYPE_CHECKING:
    from harness.endpoint.case_endpoint import CaseEndpoint
    from harness.endpoint.rounds import ByWire, Rounds
    from harness.endpoint.socket_case import SocketCase

_NAME: Final = "websocket"

_OF_HANDSHAKE: Final = re.compile(r"(?i)sec-websocket-|upgrade$|connection$")
"""Headers that say something of the connection, and nothing of the requests on it."""


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
    ) -> SocketCase:
        """Connection ``number`` of a case, asked for at ``path`` with ``headers``; ``place``: which test asks now."""
        from harness.endpoint.socket_case import SocketCase  # it needs the endpoint, which needs this module

        asked = {name: value for name, value in headers.items() if not _OF_HANDSHAKE.match(name)}
        return SocketCase(served, route, path, asked, wire(route.wire).channels[_NAME], number, not_served, place)

    def forgotten(self, script: ScriptSource, speaker: Wire, conversation: Conversation) -> ProviderAnswer | None:
        """The answer to a request whose earlier response is forgotten: once for each step that says so."""
        fault = _fault(script)
        if fault is None or not fault.forgets or script.done["forgotten"]:
            return None
        script.done["forgotten"] += 1
        return speaker.channels[_NAME].not_found(conversation.continues or "")

    def messages(self, speaker: Wire, frames: Sequence[bytes], step: TurnStep) -> tuple[bytes, ...]:
        """The frames whose data are messages; an error in the middle of an answer has a form of its own there."""
        mode, fault = speaker.channels[_NAME], step.socket
        sent = mode.stream(frames)
        return (*sent[:1], frame(mode.unknown), *sent[1:]) if fault is not None and fault.unknown else sent


CARRIER: Final = WebSockets()


def refused_status(script: ScriptSource | None) -> int | None:
    """The status with which a connection that is asked for now is refused, before the next step.

    0: it is closed without an answer; None: it is opened.
    """
    fault = _fault(script)
    return fault.refuse if fault is not None and fault.refuse is not None and _once_more(script, fault) else None


def hangs(script: ScriptSource | None) -> bool:
    """Whether a connection that is asked for now is never answered, before the next step."""
    fault = _fault(script)
    return fault is not None and fault.hangs and _once_more(script, fault)


def compresses(script: ScriptSource | None) -> bool:
    """Whether a connection that is opened now, before the next step, has its messages compressed."""
    fault = _fault(script)
    return fault is not None and fault.compresses


def _once_more(script: ScriptSource | None, fault: SocketFault) -> bool:
    """Whether another client is kept from its connection: each is, where nothing says how many ``times``."""
    if script is None or (fault.times and script.done["refused"] >= fault.times):
        return False
    script.done["refused"] += 1
    return True


def _fault(script: ScriptSource | None) -> SocketFault | None:
    """What the next step says of its WebSocket."""
    step = None if script is None else script.upcoming
    return step.socket if isinstance(step, TurnStep) else None
