"""Connections on a channel other than HTTP: how one is opened at a case's address, and what the server calls on it.

The module with the channel's name has both (``harness.wire.channels.on_channel``), as ``CARRIER``.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Protocol

from harness.endpoint.case_endpoint import CaseEndpoint
from harness.endpoint.http_messages import HttpRequest
from harness.endpoint.response_plan import ResponsePlan
from harness.endpoint.rounds import ByWire, Rounds
from harness.endpoint.suite import PlacedRequest
from harness.wire import Route
from harness.wire.channels import on_channel


class ChannelConnection(Protocol):
    """A connection that a client has asked for at the address of a case."""

    def hangs(self) -> bool:
        """Whether the script never answers the client."""

    def refuses(self) -> ResponsePlan | None:
        """The answer to the client if the script refuses the connection; else None."""

    async def serve(self, request: HttpRequest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer requests on the connection until it ends. Raises ``OSError`` if the client has gone."""


class Opener(Protocol):
    """Opens the connections of a channel."""

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
        """Connection ``number`` of a case, opened at ``path`` with ``headers``. ``place`` returns the asking test."""


def opener_of(name: str) -> Opener:
    """What opens the connections of the channel with this name."""
    found: Opener = on_channel(__package__, name).CARRIER
    return found
