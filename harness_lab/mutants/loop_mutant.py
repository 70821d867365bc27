"""What a broken loop is: the reference loop, where it is broken, and what must find that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import httpx2

from harness.endpoint import Endpoints
from harness.targets.base import Target
from harness.targets.clients import Clients
from harness.targets.reference import ReferenceTarget, Seams
from harness.targets.sessions import Sessions
from harness.targets.wire_only import WireOnlySessions
from harness.wire import WireName, wire
from harness_lab.mutants import failed_attempts
from harness_lab.mutants.dialects import AnswersHeard, Hear, PostsHeard
from harness_lab.mutants.edits import EditedPosts, EditedRequests
from harness_lab.mutants.needs import everywhere

Edit = Callable[[object], object]


@dataclass(frozen=True, slots=True)
class LoopMutant:
    """A broken loop. One of ``rules`` (which of them depends on the wire) must find it in each of ``scenarios``.

    ``edit`` is done to the JSON body of every request, ``after_a_failure`` to histories, by one who knows how the
    requests of the case were answered. ``needs`` says of a wire whether the mistake is possible on it, or is one there;
    ``unseen_on`` are wires whose requests do not show the rule what it needs. ``streams``: the mistake shows only on an
    SDK, which takes a response piece by piece. ``hear`` is what the loop makes of the events of a stream, which shows
    in ``dialect``, on the wires that have it.
    """

    name: str
    summary: str
    rules: tuple[str, ...]
    scenarios: tuple[str, ...]
    seams: Seams = Seams()  # noqa: RUF009 - frozen
    edit: Edit | None = None
    after_a_failure: failed_attempts.Edit | None = None
    unseen_on: tuple[WireName, ...] = ()
    needs: Callable[[WireName], bool] = everywhere
    streams: bool = False
    hear: Hear | None = None
    dialect: str = ""

    def shows_on(self, name: WireName) -> bool:
        """Whether it is a mistake on a wire, which has the dialect, and requests that show the rule what it needs."""
        has_dialect = not self.dialect or self.dialect in wire(name).dialects
        return has_dialect and name not in self.unseen_on and self.needs(name)

    def build(self, transport: httpx2.AsyncBaseTransport) -> Target:
        """The broken loop, its requests led to ``transport``."""
        below = EditedRequests(transport, self.edit) if self.edit else transport
        if self.after_a_failure:
            below = failed_attempts.HeardRequests(below, self.after_a_failure)
        below = AnswersHeard(below, self.hear) if self.hear else below
        return self._on(Clients(below))

    def build_wire_only(self, endpoints: Endpoints) -> Target:
        """The broken loop without an SDK: fast, on the wires with tool calls of their own."""
        if self.after_a_failure:
            return self._on(failed_attempts.HeardPosts(endpoints, self.after_a_failure))
        if self.hear:
            return self._on(PostsHeard(endpoints, self.hear))
        return self._on(EditedPosts(endpoints, self.edit) if self.edit else WireOnlySessions(endpoints))

    def _on(self, sessions: Sessions) -> Target:
        return ReferenceTarget(sessions, name=f"mutant:{self.name}", seams=self.seams)
