"""What a recorded endpoint had said, as far as a request goes on from it.

A file may hold several conversations, and a rule must not hold one against another. A request goes on from the
recorded request whose history its own begins with, and from what that one went on from. One that names an earlier
response goes on from whatever its wire finds under that name.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.wire import Call, Conversation, IssuedState, Reply, WireName

__all__ = ["AnsweredRequests"]

_Entry = tuple[str, tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class _Turn:
    """A request as it was read and as it was resolved, its reply, and the turns that it went on from."""

    entries: tuple[_Entry, ...]
    resolved: Conversation
    reply: Reply
    before: tuple[_Turn, ...]


class AnsweredRequests:
    """The answered requests of one file, in order."""

    def __init__(self) -> None:
        self._turns: dict[WireName, list[_Turn]] = {}

    def issued(self, conversation: Conversation) -> IssuedState:
        """What had been sent before in the conversation that ``conversation`` (as read) goes on with."""
        return _issued_by(self._before(conversation))

    def add(self, conversation: Conversation, resolved: Conversation, reply: Reply) -> None:
        """Remember that a request, as read and as resolved, got this reply."""
        turn = _Turn(_entries_of(conversation), resolved, reply, self._before(conversation))
        self._turns.setdefault(conversation.wire, []).append(turn)

    def _before(self, conversation: Conversation) -> tuple[_Turn, ...]:
        turns = self._turns.get(conversation.wire, [])
        if conversation.continues is not None:
            return tuple(turns)
        entries = _entries_of(conversation)
        begun = [turn for turn in turns if _begins(turn.entries, entries)]
        if not begun:
            return ()
        longest = max(len(turn.entries) for turn in begun)
        last = [turn for turn in begun if len(turn.entries) == longest]
        echoed = [turn for turn in last if _echoes(entries[longest:], turn.reply)]
        chosen = (echoed or last)[-1]
        return (*chosen.before, chosen)


def _issued_by(turns: tuple[_Turn, ...]) -> IssuedState:
    issued = IssuedState()
    for turn in turns:
        issued.add(turn.resolved, turn.reply)
    return issued


def _entries_of(conversation: Conversation) -> tuple[_Entry, ...]:
    """The history without its places, and without instructions, which a loop may write anew for every request."""
    return tuple((message.role, message.parts) for message in conversation.messages if message.role != "system")


def _begins(beginning: tuple[_Entry, ...], whole: tuple[_Entry, ...]) -> bool:
    return 0 < len(beginning) < len(whole) and whole[: len(beginning)] == beginning


def _echoes(entries: tuple[_Entry, ...], reply: Reply) -> bool:
    """Whether entries of a history repeat a part of a reply: of equal beginnings it says which was gone on from."""
    parts = [part for _, parts_sent in entries for part in parts_sent]
    ids = {part.id for part in parts if isinstance(part, Call) and part.id}
    return any(part in parts or (isinstance(part, Call) and part.id in ids) for part in reply.turn.parts)
