"""What carries requests and answers on a channel beside HTTP: the server and the endpoint ask it, whichever it is.

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
