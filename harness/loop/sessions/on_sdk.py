"""How the session of a wire is opened on a client of its provider's official SDK."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx2

from harness.loop.session import EditableSession, SessionConfig
from harness.wire.text_tags.prompt import Skill

_Open = Callable[[SessionConfig, Any, Mapping[str, Skill]], EditableSession]


@dataclass(frozen=True, slots=True)
class SessionOnSdk:
    """The session of one wire.

    ``client`` makes an SDK client over an HTTP client. Any number of sessions share that client, on all wires with the
    same ``client``. ``open`` makes a session on it; only the text protocol describes skills to the model.
    """

    client: Callable[[httpx2.AsyncClient], Any]
    open: _Open


def without_skills(open_session: Callable[[SessionConfig, Any], EditableSession]) -> _Open:
    """An ``open`` that ignores skills."""
    return lambda config, client, _: open_session(config, client)
