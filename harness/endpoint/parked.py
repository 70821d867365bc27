"""Idle rounds of a served scenario, kept on disk with all that is needed to reopen and to recognise them.

A server that runs for days has more conversations than fit into memory, and any of them may be continued. They are kept
in a temporary SQLite database, which has no name in the file system and vanishes with the process, however that ends.
"""

from __future__ import annotations

import hashlib
import pickle
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any, Final

from harness.endpoint.kept import Redone
from harness.endpoint.recognition import Opening
from harness.endpoint.source import Source
from harness.trace import Record, RequestRecord, ResponseRecord

_TABLES: Final = """
pragma page_size = 16384;
pragma journal_mode = memory;
pragma synchronous = off;
create table rounds (number integer primary key, data blob not null);
create table marks (mark blob primary key, number integer not null, shared integer not null) without rowid;
create table openings (opening blob primary key, number integer not null) without rowid;
create table unanswered (opening blob not null, number integer not null, primary key (opening, number)) without rowid;
"""

_NOTE_MARK: Final = """
insert into marks values (?, ?, ?) on conflict (mark) do update set
shared = shared or excluded.shared or number != excluded.number, number = max(number, excluded.number)
"""

_NOTE_OPENING: Final = """
insert into openings values (?, ?) on conflict (opening) do update set number = max(number, excluded.number)
"""

_DIGEST: Final = 12
"""Bytes of the hash that replaces a mark or an opening, which may be texts of any length."""

_OFTEN: Final = (RequestRecord, ResponseRecord)
_NAMED: Final[Mapping[str, Callable[..., Record]]] = {each.__name__: each for each in _OFTEN}
_MEMBERS: Final[Mapping[type, Callable[[Record | Redone], tuple[Any, ...]]]] = {
    each: attrgetter(*(member.name for member in fields(each))) for each in _OFTEN
}
"""The most frequent record types, each with a function that returns the record's members."""

Issuer = tuple[int, bool]
"""The latest round that has issued something, and whether other rounds have issued it, too."""


@dataclass(frozen=True, slots=True)
class ParkedRound:
    """``marks`` identify what the round has issued. ``openings`` are how its conversations begin, each with a flag
    whether it may begin again. ``source`` is its source, if the same object must answer later; else None."""

    records: Sequence[Record | Redone]
    marks: Iterable[tuple[str, Issuer]]
    openings: Iterable[tuple[Opening, bool]]
    source: Source | None = None


class DiskFull(Exception):
    """The disk is full or cannot be written; nothing was stored."""


class Parked:
    """The idle rounds of one scenario on one wire, by their numbers."""

    def __init__(self) -> None:
        self._database: Final = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._database.executescript(_TABLES)
        self._sources: dict[int, Source] = {}

    def put(self, rounds: Mapping[int, ParkedRound]) -> None:
        """Store rounds, by their numbers; they may be stored already. Many at once cost less than one by one.

        Raises ``DiskFull``, and stores none of them, if they cannot be written.
        """
        try:
            self._database.execute("begin")
            self._write(rounds)
            self._database.execute("commit")
        except sqlite3.OperationalError as error:
            if self._database.in_transaction:
                self._database.execute("rollback")
            raise DiskFull from error
        self._sources |= {number: each.source for number, each in rounds.items() if each.source is not None}

    def _write(self, rounds: Mapping[int, ParkedRound]) -> None:
        many = self._database.executemany
        many("insert or replace into rounds values (?, ?)", ((at, _blob(each.records)) for at, each in rounds.items()))
        many(_NOTE_MARK, _marks_of(rounds))
        openings = [
            (number, _key(opening), again) for number, each in rounds.items() for opening, again in each.openings
        ]
        many(_NOTE_OPENING, {key: number for number, key, _ in sorted(openings)}.items())
        begun_again = ((key, number) for number, key, again in openings if again)
        many("insert or ignore into unanswered values (?, ?)", begun_again)

    def take(self, number: int) -> None:
        """Note that the round is in memory again: it no longer counts here as one that may begin again."""
        self._database.execute("delete from rounds where number = ?", (number,))
        self._database.execute("delete from unanswered where number = ?", (number,))
        self._sources.pop(number, None)

    def records(self, number: int) -> Sequence[Record | Redone]:
        """The records of a round. Raises ``KeyError`` if it is not here."""
        row = self._database.execute("select data from rounds where number = ?", (number,)).fetchone()
        if row is None:
            raise KeyError(number)
        return _records_in(row[0])

    def source(self, number: int) -> Source | None:
        """The source of a round, if the same object must answer when the round continues."""
        return self._sources.get(number)

    def issuer(self, mark: str) -> Issuer | None:
        """Which round has issued the thing with this mark."""
        row = self._database.execute("select number, shared from marks where mark = ?", (_digest(mark),)).fetchone()
        return None if row is None else (row[0], bool(row[1]))

    def opened(self, opening: Opening) -> int | None:
        """The latest round with a conversation of this opening."""
        row = self._database.execute("select number from openings where opening = ?", (_key(opening),)).fetchone()
        return None if row is None else int(row[0])

    def unanswered(self, opening: Opening) -> list[int]:
        """The rounds with a conversation of this opening that may begin again, the latest first."""
        select = "select number from unanswered where opening = ? order by number desc"
        return [row[0] for row in self._database.execute(select, (_key(opening),))]

    def close(self) -> None:
        """Drop everything."""
        self._database.close()


def _marks_of(rounds: Mapping[int, ParkedRound]) -> Iterator[tuple[bytes, int, bool]]:
    for each in rounds.values():
        for mark, (number, shared) in each.marks:
            yield _digest(mark), number, shared


def _blob(records: Sequence[Record | Redone]) -> bytes:
    """The records as bytes. Pickling a record with ``slots`` takes three times as long as pickling its members."""
    return pickle.dumps(
        [(type(each).__name__, _MEMBERS[type(each)](each)) if type(each) in _MEMBERS else each for each in records], -1
    )


def _records_in(packed: bytes) -> Sequence[Record | Redone]:
    found = pickle.loads(packed)  # noqa: S301 - written by this process, in a file of its own
    return [_NAMED[each[0]](*each[1]) if isinstance(each, tuple) else each for each in found]


def _key(opening: Opening) -> bytes:
    return _digest("\0".join(opening))


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST).digest()
