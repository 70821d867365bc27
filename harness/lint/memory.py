"""The answers of a recorded endpoint that a request continues.

A file may contain several conversations, which must be judged separately. A request continues the answer from which it
sends something back, and everything that this answer continues, as at a served endpoint. A request that names an
earlier response continues whatever its wire finds under that name.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.endpoint.issued import IssuedIndex
from harness.endpoint.recognition import RecognisedRequest
from harness.wire import Conversation, IssuedState, Reply, WireName


@dataclass(frozen=True, slots=True, eq=False)
class _Turn:
    """A resolved request, its reply, and the turns that it continues."""

    resolved: Conversation
    reply: Reply
    before: tuple[_Turn, ...]


class AnsweredRequests:
    """The answered requests of one file, in order."""

    def __init__(self) -> None:
        self._turns: dict[WireName, list[_Turn]] = {}
        self._parts: dict[WireName, IssuedIndex[_Turn]] = {}

    def issued(self, conversation: Conversation) -> IssuedState:
        """What was sent before in the conversation that ``conversation`` (as read) continues."""
        return _issued_by(self._before(conversation))

    def add(self, conversation: Conversation, resolved: Conversation, reply: Reply) -> None:
        """Remember that a request, as read and as resolved, got this reply."""
        turn = _Turn(resolved, reply, self._before(conversation))
        self._turns.setdefault(conversation.wire, []).append(turn)
        self._parts.setdefault(conversation.wire, IssuedIndex()).add(turn, 0, resolved, reply)

    def _before(self, conversation: Conversation) -> tuple[_Turn, ...]:
        if conversation.continues is not None:
            return tuple(self._turns.get(conversation.wire, ()))
        parts = self._parts.get(conversation.wire)
        found = parts.latest(RecognisedRequest(conversation)) if parts is not None else None
        return () if found is None else (*found.owner.before, found.owner)


def _issued_by(turns: tuple[_Turn, ...]) -> IssuedState:
    issued = IssuedState()
    for turn in turns:
        issued.add(turn.resolved, turn.reply)
    return issued
