"""The provider's storage for all cases of an endpoint: conversations, and the compacted histories that it issued.

A server that runs for long stores more than fits into memory. The longest unused part is then in a temporary SQLite
database, which has no name in the file system and vanishes with the process.
"""

from __future__ import annotations

import pickle
import sqlite3
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import replace
from itertools import islice
from typing import Final

from harness.wire.base import Json
from harness.wire.identity import HEX, Identity
from harness.wire.keeping import KeptChange, StoredConversation

_ENTRY: Final = 200
"""Bytes that an entry of a conversation counts for, in addition to its texts."""

_COMPACTIONS: Final = 10_000
"""Most compacted histories that are remembered as issued; older ones are forgotten."""


class Stored:
    """The conversations that clients created, and the compacted histories that were issued.

    ``seed`` makes the ids differ between endpoints. At most about ``most_bytes`` of items are in memory, and at most
    ``most`` conversations.
    """

    def __init__(self, seed: str, *, most: int = 1000, most_bytes: int = 4 * 1024 * 1024) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._live: OrderedDict[str, StoredConversation] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._size = 0
        self._database: sqlite3.Connection | None = None
        self._parked: set[str] = set()
        self._identity = Identity(seed)
        self._dropped: OrderedDict[str, None] = OrderedDict()
        self.compactions: OrderedDict[str, str] = OrderedDict()

    def fresh(self, prefix: str) -> str:
        """A fresh id."""
        return self._identity.id(prefix, 48, HEX)

    def get(self, id: str) -> StoredConversation | None:
        """The conversation with this id."""
        found = self._live.get(id)
        if found is None and (found := self._unpark(id)) is not None:
            self._put(found, _size_of(found.entries))
        return found

    def is_new(self, id: str) -> bool:
        """Whether no response was sent yet in a conversation that a client created."""
        found = self.get(id)
        return found is not None and is_without_turns(found.entries)

    def is_dropped(self, id: str) -> bool:
        """Whether a client has deleted the conversation with this id."""
        return id in self._dropped

    def turn(self, id: str, reply: str) -> None:
        """Note that a response was sent in a conversation."""
        self.change(KeptChange("append", id), (reply,))

    def issued(self, items: Iterable[Json]) -> None:
        """Note that these items were issued, so that compacted histories among them will be recognised."""
        for item in items:
            if item.get("type") == "compaction":
                self.compactions[str(item.get("id"))] = str(item.get("encrypted_content"))
        while len(self.compactions) > _COMPACTIONS:
            self.compactions.popitem(last=False)

    def change(self, change: KeptChange, turns: tuple[str, ...] = ()) -> None:
        """Change a conversation as a request demands, or add ``turns``: ids of responses that were sent in it."""
        found = self.get(change.id)
        if change.did == "store":
            found = replace(found, document=change.value) if found else StoredConversation(change.id, change.value, [])
            self._put(found, self._sizes.get(change.id, 0))
        if found is None:
            return
        if change.did == "append":
            new = (*turns, *change.items)
            assert isinstance(found.entries, list)  # noqa: S101 - it grows in place: nobody else changes it
            found.entries.extend(new)
            self._put(found, self._sizes[change.id] + _size_of(new))
        elif change.did == "remove":
            self._put(replace(found, removed=found.removed | {change.item}), self._sizes[change.id])
        elif change.did == "drop":
            self._size -= self._sizes.pop(change.id, 0)
            del self._live[change.id]
            self._dropped[change.id] = None
            if len(self._dropped) > _COMPACTIONS:
                self._dropped.popitem(last=False)

    def _put(self, found: StoredConversation, size: int) -> None:
        self._size += size - self._sizes.get(found.id, 0)
        self._sizes[found.id] = size
        self._live[found.id] = found
        self._live.move_to_end(found.id)
        if len(self._live) > self._most or self._size > self._most_bytes:
            self._park()

    def _park(self) -> None:
        """Move the longest unused conversations to disk, many at once; the latest one stays."""
        most, most_bytes = self._most - self._most // 4, self._most_bytes - self._most_bytes // 4
        resting = []
        left, size = len(self._live), self._size
        for id in islice(self._live, len(self._live) - 1):
            if left <= most and size <= most_bytes:
                break
            left, size = left - 1, size - self._sizes[id]
            resting.append(id)
        if not resting:
            return
        if self._database is None:
            self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
            self._database.execute("create table stored (id text primary key, data blob not null) without rowid")
        rows = [(id, pickle.dumps(self._live[id], -1)) for id in resting]
        self._database.executemany("insert or replace into stored values (?, ?)", rows)
        self._parked.update(resting)
        for id in resting:
            self._size -= self._sizes.pop(id)
            del self._live[id]

    def _unpark(self, id: str) -> StoredConversation | None:
        if self._database is None or id not in self._parked:
            return None
        self._parked.discard(id)
        row = self._database.execute("select data from stored where id = ?", (id,)).fetchone()
        self._database.execute("delete from stored where id = ?", (id,))
        found: StoredConversation = pickle.loads(row[0])  # noqa: S301 - written by this process, in a file of its own
        return found


def is_without_turns(entries: Iterable[Json | str]) -> bool:
    """Whether all items of a stored history were put there by a client."""
    return not any(isinstance(entry, str) for entry in entries)


def _size_of(entries: Iterable[Json | str]) -> int:
    return sum(_ENTRY + (len(entry) if isinstance(entry, str) else len(repr(entry))) for entry in entries)
