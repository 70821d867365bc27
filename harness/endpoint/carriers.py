"""Carries requests and answers on a channel other than HTTP. Server and endpoint use every channel the same way.

What a channel needs here is in the module with its name (``harness.wire.channels.on_channel``), as ``CARRIER``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from harness.endpoint.source import ScriptSource
from harness.finding import ProviderAnswer
from harness.scenario import TurnStep
from harness.wire import Conversation, Wire
from harness.wire.channels import on_channel


class Carrier(Protocol):
    """A channel as the endpoint has it. The events of an answer are messages there, and come whole."""

    def forgotten(self, script: ScriptSource, speaker: Wire, conversation: Conversation) -> ProviderAnswer | None:
        """The answer to a request whose earlier response is forgotten now, as the script demands; else None."""

    def messages(self, speaker: Wire, frames: Sequence[bytes], step: TurnStep) -> tuple[bytes, ...]:
        """The frames of a stream. Their data are the messages of an answer and what the script inserts among them."""


def carrier_of(name: str) -> Carrier:
    """The carrier of the channel with this name."""
    found: Carrier = on_channel(__package__, name).CARRIER
    return found


def carrier(speaker: Wire, conversation: Conversation) -> Carrier | None:
    """The carrier of the answer to a request; None if the request came over HTTP.

    A request contains the number of its connection but no channel, because no wire has two channels.
    """
    return carrier_of(next(iter(speaker.channels))) if conversation.connection and speaker.channels else None
