"""The transports beside HTTP: each is a channel, a connection on which requests and their answers are messages.

A channel is one value. Options, scenarios, plans and reports offer the ``CHANNELS`` and take their words from them, so
none of them names a channel. How a wire speaks on a channel is a fact of the wire (``Wire.channels``). The code that
opens a channel or answers on it is in the module of a package that has the channel's name (``on_channel``).
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

    ``name`` is its name in options, files and traces, and ``label`` the word for one of its connections in texts.
    ``guide`` is the page of the documentation about it, ``upgrade`` the value of the ``upgrade`` header that asks for
    it. ``broken`` are the names of the exceptions that clients raise when a connection has ended; a code in such an
    exception is no HTTP status.
    """

    name: str
    label: str
    guide: str
    upgrade: str
    broken: tuple[str, ...] = ()

    @property
    def one(self) -> str:
        """The words for one connection."""
        return f"a {self.label}"

    @property
    def many(self) -> str:
        """The words for several connections."""
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
    """The channel that a request with this header ``upgrade`` asks for; None if the harness does not have it."""
    wanted = upgrade.lower()
    return next((each for each in CHANNELS.values() if each.upgrade in wanted), None)


def words(form: str) -> str:
    """The words for a text about any channel: the ``label``, ``one`` or ``many`` of every channel."""
    return " or ".join(getattr(each, form) for each in CHANNELS.values())


def on_channel(package: str, name: str) -> Any:
    """The module of a package for a channel (``on_websocket``), imported when it is needed."""
    return import_module(f"{package}.on_{name}")
