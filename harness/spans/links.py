"""Determines which request continues which, because a run may have several traces, and a trace several agents.

A request continues the recorded answer from which it sends something back, as at a served endpoint. It continues a
request without a recorded answer if its history begins with that request's history.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from harness.endpoint.issued import IssuedIndex
from harness.endpoint.recognition import RecognisedRequest
from harness.wire import Conversation, Reply


def begins_with(conversation: Conversation) -> bytes:
    """The beginning of a conversation; requests of one conversation begin alike."""
    prefixes = _prefixes(conversation)
    return prefixes[1] if len(prefixes) > 1 else b""


def turns_of_the_model(conversation: Conversation) -> int:
    """How many turns of the model a history has; neighbouring messages of the model are one."""
    roles = [message.role for message in conversation.messages if message.role != "system"]
    before = [None, *roles]
    return sum(role == "assistant" != earlier for earlier, role in zip(before, roles, strict=False))


class Links:
    """The requests of a file that begin alike, in the order in which they were asked."""

    def __init__(self) -> None:
        self._unanswered: dict[bytes, int] = {}
        self._issued: IssuedIndex[int] = IssuedIndex()
        self._count = 0

    def add(self, conversation: Conversation, reply: Reply | None) -> int | None:
        """Note a request. Returns the number, from 0, of the request that it continues; None if it begins anew.

        A request that repeats the history of a request without a reply continues that request.
        """
        prefixes = _prefixes(conversation)
        found = self._before(conversation, prefixes)
        number = self._count
        self._count += 1
        if reply is None:
            self._unanswered[prefixes[-1]] = number
        else:
            self._issued.add(number, 0, conversation, reply)
        return found

    def _before(self, conversation: Conversation, prefixes: Sequence[bytes]) -> int | None:
        if conversation.continues:
            named = self._issued.named(conversation.continues)
            return None if named is None else named.owner
        if (again := self._unanswered.get(prefixes[-1])) is not None:
            return again
        if (issued := self._issued.latest(RecognisedRequest(conversation))) is not None:
            return issued.owner
        return next((self._unanswered[each] for each in reversed(prefixes[1:]) if each in self._unanswered), None)


def _entries(conversation: Conversation) -> list[tuple[str, tuple[object, ...]]]:
    """The history without instructions, which a loop may change for every request."""
    return [(message.role, message.parts) for message in conversation.messages if message.role != "system"]


def _prefixes(conversation: Conversation) -> list[bytes]:
    """A digest of nothing, and of the first entry, the first two, and so on.

    A partly recorded request has no body, and its wire is not always known, because a refused request has no response.
    """
    digest = blake2b(conversation.wire.encode() if conversation.body else b"", digest_size=16)
    found = [digest.digest()]
    for entry in _entries(conversation):
        digest.update(repr(entry).encode("utf-8", "surrogatepass"))
        found.append(digest.digest())
    return found
