"""The transports beside HTTP: each is a channel, a connection on which requests and their answers are messages.

A channel is one value. Options, scenarios, plans and reports offer the ``CHANNELS``, and ask one of them for its words;
what can be said on it is a fact of a wire (``Wire.channels``). So none of them knows which channels there are. What
opens one, or answers on it, is in the module of a package that has the channel's name (``on_channel``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from harness.errors import BadInput

HTTP: Final = "http"


@dataclass(frozen=True, slots=True)
class Channel:
    """A transport beside HTTP.

    ``name`` is as options, files and traces have it, and ``label`` what texts call one of its connections. ``guide`` is
    the page of the documentation about it, ``upgrade`` what a request asks HTTP for (its header ``upgrade``).
    ``broken`` are the names of the exceptions by which clients say that a connection has ended; a code that they have
    is none of HTTP's.
    """

    name: str
    label: str
    guide: str
    upgrade: str
    broken: tuple[str, ...] = ()

    @property
    def one(self) -> str:
        """One connection of it, in a text."""
        return f"a {self.label}"

    @property
    def many(self) -> str:
        """Its connections, in a text."""
        return f"{self.label}s"


_WEBSOCKET: Final = Channel("websocket", "WebSocket", "docs/websocket.md", "websocket", ("ConnectionClosed",))

CHANNELS: Final[Mapping[str, Channel]] = {each.name: each for each in (_WEBSOCKET,)}
"""All channels by their names."""

TRANSPORTS: Final = (HTTP, *CHANNELS)
"""The names of all transports: what ``--transport`` and a scenario may name."""


def channel(name: str) -> Channel:
    """The channel of this name. Raises ``BadInput``, which lists the transports, if there is none."""
    if name not in CHANNELS:
        raise BadInput(f"expected a transport of {', '.join(TRANSPORTS)}; got {name!r}: choose one of these")
    return CHANNELS[name]


def asked_for(upgrade: str) -> Channel | None:
    """The channel that a request with this header ``upgrade`` asks for; None where it is none of ours."""
    wanted = upgrade.lower()
    return next((each for each in CHANNELS.values() if each.upgrade in wanted), None)


def words(form: str) -> str:
    """What a text says that is about any channel: ``label``, ``one`` or ``many`` of each."""
    return " or ".join(getattr(each, form) for each in CHANNELS.values())


def on_channel(package: str, name: str) -> Any:
    """The module of a package with all that it does on a channel (``on_websocket``), imported when it is needed."""
    return import_module(f"{package}.on_{name}")
