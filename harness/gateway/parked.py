"""Rounds of a served scenario that are at rest, on disk: what is needed to open them again, and to know them again.

A server that runs for days has more conversations than fit into memory, and any of them may go on. It is all kept in a
temporary database of SQLite, which has no name in the file system and is gone with the process, however that ends.
"""

from __future__ import annotations

import hashlib
import pickle
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from harness.gateway.recognition import Opening
from harness.gateway.source import Source
from harness.trace import Record

__all__ = ["Issuer", "Parked", "ParkedRound"]

_TABLES: Final = """
pragma journal_mode = off;
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
"""Bytes of the hash by which a mark or an opening is known, which may be a text of any length."""

Issuer = tuple[int, bool]
"""The latest round that has issued something, and whether others have issued it, too."""


@dataclass(frozen=True, slots=True)
class ParkedRound:
    """``marks`` are what the round has issued, ``openings`` how its conversations begin, each with whether it may be
    begun again. ``sources`` are what answers it, where that must be the same object when it goes on; else None."""

    records: Sequence[Record]
    marks: Iterable[tuple[str, Issuer]]
    openings: Iterable[tuple[Opening, bool]]
    source: Source | None = None


class Parked:
    """The rounds at rest of one scenario on one wire, by their numbers."""

    def __init__(self) -> None:
        self._database: Final = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._database.executescript(_TABLES)
        self._sources: dict[int, Source] = {}

    def put(self, number: int, parked: ParkedRound) -> None:
        """Keep a round, which may have been here before."""
        run = self._database.execute
        if not self._database.in_transaction:
            run("begin")
        run("insert or replace into rounds values (?, ?)", (number, pickle.dumps(tuple(parked.records), -1)))
        rows = [(_digest(mark), of, shared) for mark, (of, shared) in parked.marks]
        self._database.executemany(_NOTE_MARK, rows)
        for opening, again in parked.openings:
            key = _digest("\0".join(opening))
            run(_NOTE_OPENING, (key, number))
            if again:
                run("insert or ignore into unanswered values (?, ?)", (key, number))
        if parked.source is not None:
            self._sources[number] = parked.source

    def flush(self) -> None:
        """Several rounds were put: write them at once. Until then they are here all the same."""
        if self._database.in_transaction:
            self._database.execute("commit")

    def take(self, number: int) -> None:
        """The round goes on elsewhere: it is no longer one that may be begun again as far as this place knows."""
        self._database.execute("delete from rounds where number = ?", (number,))
        self._database.execute("delete from unanswered where number = ?", (number,))
        self._sources.pop(number, None)

    def records(self, number: int) -> Sequence[Record]:
        """The records of a round. Raises ``KeyError`` where it is not here."""
        row = self._database.execute("select data from rounds where number = ?", (number,)).fetchone()
        if row is None:
            raise KeyError(number)
        records: Sequence[Record] = pickle.loads(row[0])  # noqa: S301 - written by this process, in a file of its own
        return records

    def source(self, number: int) -> Source | None:
        """What answers a round when it goes on, where it must be the same object."""
        return self._sources.get(number)

    def issuer(self, mark: str) -> Issuer | None:
        """Which round has issued what has this mark."""
        row = self._database.execute("select number, shared from marks where mark = ?", (_digest(mark),)).fetchone()
        return None if row is None else (row[0], bool(row[1]))

    def opened(self, opening: Opening) -> int | None:
        """The latest round with a conversation that opens so."""
        key = _digest("\0".join(opening))
        row = self._database.execute("select number from openings where opening = ?", (key,)).fetchone()
        return None if row is None else int(row[0])

    def unanswered(self, opening: Opening) -> list[int]:
        """The rounds with a conversation that opens so and may be begun again, the latest first."""
        key = _digest("\0".join(opening))
        select = "select number from unanswered where opening = ? order by number desc"
        return [row[0] for row in self._database.execute(select, (key,))]

    def close(self) -> None:
        """Drop all of it."""
        self._database.close()


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST).digest()
