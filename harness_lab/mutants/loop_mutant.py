"""What a broken loop is: the reference loop, where it is broken, and what must find that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import httpx2

from harness.gateway import Gateway
from harness.targets.base import Target
from harness.targets.clients import Clients
from harness.targets.reference import ReferenceTarget, Seams
from harness.targets.sessions import Sessions
from harness.targets.wire_only import WireOnlySessions
from harness.wire import WireName
from harness_lab.mutants.edits import EditedPosts, EditedRequests

__all__ = ["Edit", "LoopMutant"]

Edit = Callable[[object], object]


@dataclass(frozen=True, slots=True)
class LoopMutant:
    """A broken loop. One of ``rules`` (which of them depends on the wire) must find it in each of ``scenarios``.

    ``edit`` is done to the JSON body of every request. ``unseen_on`` are wires whose requests do not show the rule what
    it needs. ``streams``: the mistake shows only on an SDK, which takes a response piece by piece.
    """

    name: str
    summary: str
    rules: tuple[str, ...]
    scenarios: tuple[str, ...]
    seams: Seams = Seams()  # noqa: RUF009 - frozen
    edit: Edit | None = None
    unseen_on: tuple[WireName, ...] = ()
    streams: bool = False

    def build(self, transport: httpx2.AsyncBaseTransport) -> Target:
        """The broken loop, its requests led to ``transport``."""
        below = EditedRequests(transport, self.edit) if self.edit else transport
        return self._on(Clients(below))

    def build_wire_only(self, gateway: Gateway) -> Target:
        """The broken loop without an SDK: fast, on the wires with tool calls of their own."""
        return self._on(EditedPosts(gateway, self.edit) if self.edit else WireOnlySessions(gateway))

    def _on(self, sessions: Sessions) -> Target:
        return ReferenceTarget(sessions, name=f"mutant:{self.name}", seams=self.seams)
