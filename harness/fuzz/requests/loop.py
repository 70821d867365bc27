"""Plays the loop of an example and judges it request by request, as an endpoint does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from harness.finding import Finding
from harness.fuzz.requests.example import RequestExample, base_of
from harness.lint import Judge, LintedRequest
from harness.wire import Conversation, IssuedState, Route, UnreadableRequest, Wire
from harness.wire.played import PlayedLoop
from harness.wire.posted import Posted


@dataclass(frozen=True, slots=True)
class Judged:
    """A request as it was read (None if it cannot be read) and its findings against what was sent: judged by itself,
    and with the memory of earlier judgements."""

    conversation: Conversation | None
    afresh: Sequence[Finding]
    remembering: Sequence[Finding]


class JudgedLoop:
    """A played loop: ``issued`` is what the endpoint issued, ``memory`` what the wire keeps of earlier requests."""

    def __init__(self, played: PlayedLoop) -> None:
        self.played = played
        self.wire: Wire = played.wire
        self.issued = IssuedState()
        self.memory: object = None
        if not played.base.foreign:
            self._remember()

    def _remember(self) -> None:
        for asked, (conversation, reply) in zip(self.played.requests, self.played.issued.turns, strict=False):
            self.wire.violations(asked.conversation, self.issued)
            self.issued.add(conversation, reply)
        self.memory = self.issued.memory

    def judge(self, posted: Posted) -> Judged:
        """All findings in a request that replaces the last one."""
        try:
            conversation = read(self.wire, posted)
        except UnreadableRequest as unreadable:
            found = [unreadable.finding]
            return Judged(None, found, found)
        self.issued.stored = dict.fromkeys(posted.deleted)
        resolved = self.wire.resolve(conversation, self.issued)
        self.issued.memory = None
        afresh = self.wire.violations(resolved, self.issued)
        self.issued.memory = self.memory
        return Judged(conversation, afresh, self.wire.violations(resolved, self.issued))


def read(wire: Wire, posted: Posted) -> Conversation:
    """A request of this wire, with the connection that it came over. Raises ``UnreadableRequest``."""
    conversation = wire.read(_route(wire, posted), posted.content(), posted.headers)
    return replace(conversation, connection=posted.connection) if posted.connection else conversation


def alone(wire: Wire, posted: Posted) -> Sequence[Finding]:
    """The findings for a reader who sees only this request, as for ``harness lint-request``."""
    asked = LintedRequest(_route(wire, posted), posted.headers, posted.content())
    return Judge(memory=False).judge(asked).violations


def _route(wire: Wire, posted: Posted) -> Route:
    route = wire.route("POST", posted.path) or wire.aside("POST", posted.path)
    if route is None:
        raise ValueError(f"{posted.path} is no path of {wire.name}")
    return route


def loop_of(example: RequestExample) -> JudgedLoop:
    """The loop of an example. Raises ``AssertionError`` if one of its requests breaks a rule."""
    return _loop(RequestExample(example.wire, example.base, example.turns, seed=example.seed))


@lru_cache(maxsize=128)
def _loop(example: RequestExample) -> JudgedLoop:
    """Cached, since many changes are made in one loop."""
    return JudgedLoop(base_of(example).play())
