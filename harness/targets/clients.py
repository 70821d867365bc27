"""The provider SDKs of one run."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx2

from harness.errors import HarnessError
from harness.loop import EditableSession, SessionConfig
from harness.loop.sessions import session_of
from harness.loop.sessions.on_sdk import SessionOnSdk
from harness.loop.sessions.shared import LENT_KEY
from harness.scenario import Skill
from harness.wire import WireName

_NO_SKILLS: Mapping[str, Skill] = {}


class Clients:
    """The SDK clients of one run: one per SDK, made when it is first needed, shared by all cases of the run.

    One client per case would cost more than the case itself (a TLS context, connection pools).
    """

    paced = True

    def __init__(self, transport: httpx2.AsyncBaseTransport) -> None:
        timeout, hooks = httpx2.Timeout(600.0), {"request": [_check_key]}
        self._http = httpx2.AsyncClient(transport=transport, timeout=timeout, event_hooks=hooks)
        self._sdk: dict[Callable[[httpx2.AsyncClient], Any], Any] = {}

    def open_session(
        self, wire: WireName, config: SessionConfig, skills: Mapping[str, Skill] = _NO_SKILLS
    ) -> EditableSession:
        """A session of ``wire`` on the shared client. Only the text protocol describes ``skills`` to the model."""
        with _without_collecting():
            return self._session(wire, config, skills)

    def _session(self, wire: WireName, config: SessionConfig, skills: Mapping[str, Skill]) -> EditableSession:
        session = session_of(wire)
        return session.open(config, self._client(session), skills)

    def _client(self, session: SessionOnSdk) -> Any:
        if session.client not in self._sdk:
            self._sdk[session.client] = session.client(self._http)
        return self._sdk[session.client]

    async def close(self) -> None:
        """Close the clients and their HTTP client."""
        await self._http.aclose()


async def _check_key(request: httpx2.Request) -> None:
    """No provider would answer a request with the key of a client that only lends its connections."""
    if any(LENT_KEY in value for value in request.headers.values()):
        raise HarnessError("the request has no key of its session")


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Pause the garbage collector while SDKs are imported. The import makes a million objects that stay: the collector
    would look through them again and again, which takes a third of the import's time, and once more afterwards."""
    collecting, imported = gc.isenabled(), len(sys.modules)
    gc.disable()
    try:
        yield
    finally:
        if len(sys.modules) > imported:
            gc.freeze()
        if collecting:
            gc.enable()
