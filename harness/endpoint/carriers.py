"""What carries requests and answers on a channel beside HTTP: the server and the endpoint ask it, whichever it is.

What a channel needs here is in the module with its name (``harness.wire.channels.on_channel``), as ``CARRIER``.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from harness.endpoint.response_plan import ResponsePlan
from harness.endpoint.source import ScriptSource
from harness.endpoint.suite import PlacedRequest
from harness.finding import ProviderAnswer
from harness.scenario import TurnStep
from harness.wire import Conversation, Route, Wire
from harness.wire.channels import on_channel

if TYPE_CHECKING:
    from harness.endpoint.case_endpoint import CaseEndpoint
    from harness.endpoint.http_messages import HttpRequest
    from harness.endpoint.rounds import ByWire, Rounds


class ChannelConnection(Protocol):
    """A connection that a client has asked for at the address of a case."""

    def hangs(self) -> bool:
        """Whether the script never answers the client."""

    def refuses(self) -> ResponsePlan | None:
        """The answer to the client, where the script refuses it the connection."""

    async def serve(self, request: HttpRequest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer what comes on the connection, until it ends. Raises ``OSError`` where the client has gone."""


class Carrier(Protocol):
    """A channel as the endpoint has it. The events of an answer are messages there, and come whole."""

    def connection(
        self,
        served: CaseEndpoint | Rounds | ByWire,
        route: Route,
        path: str,
        headers: Mapping[str, str],
        number: int,
        not_served: Counter[str],
        place: Callable[[], PlacedRequest],
    ) -> ChannelConnection:
        """Connection ``number`` of a case, asked for at ``path`` with ``headers``; ``place``: which test asks now."""

    def forgotten(self, script: ScriptSource, speaker: Wire, conversation: Conversation) -> ProviderAnswer | None:
        """The answer to a request that goes on from a response, where the script has that forgotten now."""

    def messages(self, speaker: Wire, frames: Sequence[bytes], step: TurnStep) -> tuple[bytes, ...]:
        """The frames of a stream whose data are the messages of an answer, with what the script puts among them."""


def carrier_of(name: str) -> Carrier:
    """The carrier of the channel with this name."""
    found: Carrier = on_channel(__package__, name).CARRIER
    return found


def carrier(speaker: Wire, conversation: Conversation) -> Carrier | None:
    """What carries the answer to a request; None where it came over HTTP.

    A request says the number of its connection and no channel, because no wire has two.
    """
    return carrier_of(next(iter(speaker.channels))) if conversation.connection and speaker.channels else None
