"""Which request goes on from which: by histories, because a run may be several traces, and a trace several agents."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from harness.wire import Call, Conversation, Reply

__all__ = ["Links", "begins_with", "turns_of_the_model"]


def begins_with(conversation: Conversation) -> bytes:
    """What a conversation begins with; requests of one conversation begin alike."""
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
        self._by_history: dict[bytes, list[int]] = {}
        self._replies: list[Reply | None] = []
        self._by_id: dict[str, int] = {}

    def add(self, conversation: Conversation, reply: Reply | None) -> int | None:
        """Note a request; the number, from 0, of the one that it goes on from, None where it begins anew.

        One that sends the history of a request without a reply again goes on from that.
        """
        prefixes = _prefixes(conversation)
        found = self._named(conversation) if conversation.continues else self._before(conversation, prefixes)
        number = len(self._replies)
        self._by_history.setdefault(prefixes[-1], []).append(number)
        self._replies.append(reply)
        if reply is not None and reply.id:
            self._by_id[reply.id] = number
        return found

    def _named(self, conversation: Conversation) -> int | None:
        return self._by_id.get(conversation.continues or "")

    def _before(self, conversation: Conversation, prefixes: Sequence[bytes]) -> int | None:
        again = [each for each in self._by_history.get(prefixes[-1], ()) if self._replies[each] is None]
        if again:
            return again[-1]
        for length in range(len(prefixes) - 2, 0, -1):
            begun = self._by_history.get(prefixes[length])
            if begun:
                added = [part for _, parts in _entries(conversation)[length:] for part in parts]
                echoed = [each for each in begun if _echoes(added, self._replies[each])]
                return (echoed or begun)[-1]
        return None


def _entries(conversation: Conversation) -> list[tuple[str, tuple[object, ...]]]:
    """The history without instructions, which a loop may write anew for every request."""
    return [(message.role, message.parts) for message in conversation.messages if message.role != "system"]


def _prefixes(conversation: Conversation) -> list[bytes]:
    """A digest of nothing, and of the first entry, the first two, and so on.

    What is recorded in part has no body, and its wire is not always known: a request that was refused has no response.
    """
    digest = blake2b(conversation.wire.encode() if conversation.body else b"", digest_size=16)
    found = [digest.digest()]
    for entry in _entries(conversation):
        digest.update(repr(entry).encode("utf-8", "surrogatepass"))
        found.append(digest.digest())
    return found


def _echoes(added: Sequence[object], reply: Reply | None) -> bool:
    """Whether what was added repeats a part of a reply: of equal beginnings it says which was gone on from."""
    if reply is None:
        return False
    ids = {part.id for part in added if isinstance(part, Call) and part.id}
    return any(part in added or (isinstance(part, Call) and part.id in ids) for part in reply.turn.parts)
