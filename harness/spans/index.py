"""An index of the spans of a file and their places, to go through its requests conversation by conversation.

Spans are in a file in the order of their ends, and there may be millions. So the index contains only numbers (places,
times, and hashes of ids) in a temporary database with bounded memory. It has no content of spans: the spans themselves
are read again from the file.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from harness.spans import Scope, SpanPlace, TraceSpan
from harness.spans.kinds import SpanKind

_KINDS: Final[tuple[SpanKind, ...]] = ("other", "inference", "tool")
_MANY: Final = 2000
"""Rows that are written together."""

MOST_IN_GROUP: Final = 2000
"""Most requests with equal beginnings that are judged together; later ones are judged as if they began anew."""

_SCHEMA: Final = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -16000;
CREATE TABLE spans (n INTEGER PRIMARY KEY, key INTEGER, parent INTEGER, kind INTEGER, grade INTEGER, began INTEGER,
    ended INTEGER, line INTEGER, offset INTEGER, length INTEGER, scope INTEGER, "group" INTEGER, reply INTEGER,
    continues INTEGER, trace INTEGER, call INTEGER);
CREATE TABLE logs (key INTEGER, line INTEGER, offset INTEGER, length INTEGER, scope INTEGER);
"""

_INDEXES: Final = """
CREATE INDEX by_key ON spans (key);
CREATE INDEX logs_by_key ON logs (key);
"""

_ROW: Final = 'n, key, parent, kind, grade, began, ended, line, offset, length, scope, "group", reply, continues, trace'


def hashed(*words: str) -> int:
    """A number for a text; the text is not stored."""
    digest = blake2b("\0".join(words).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


@dataclass(frozen=True, slots=True)
class IndexedSpan:
    """A row of the index. ``grade`` is 2 for a whole request, 1 for a part, 0 for nothing."""

    n: int
    key: int
    parent: int | None
    kind: SpanKind
    grade: int
    began: int
    ended: int
    place: SpanPlace
    scope: Scope
    group: int
    reply: int | None
    continues: int | None
    trace: int


class SpanIndex:
    """The spans of one file. Add all of them, then call ``finish``, then ask."""

    def __init__(self) -> None:
        self._rows = sqlite3.connect("")  # in memory, and in a nameless file as far as that is not enough
        self._rows.executescript(_SCHEMA)
        self._scopes: dict[Scope, int] = {}
        self._waiting: list[tuple[int | None, ...]] = []
        self._logs: list[tuple[int, ...]] = []
        self.spans = 0

    def close(self) -> None:
        """Remove the index."""
        self._rows.close()

    # --- writing ----------------------------------------------------------------------------------------

    def add(
        self,
        span: TraceSpan,
        kind: SpanKind,
        grade: int = 0,
        group: int = 0,
        reply: str = "",
        continues: str = "",
        call: str = "",
    ) -> None:
        """Note a span. ``group`` is its conversation's, ``call`` the id of the call for which a tool ran."""
        self.spans += 1
        place, trace = span.place, span.trace
        self._waiting.append(
            (
                self.spans,
                hashed(trace, span.id),
                hashed(trace, span.parent) if span.parent else None,
                _KINDS.index(kind),
                grade,
                span.began,
                span.ended,
                place.line,
                place.offset,
                place.length,
                self._scopes.setdefault(span.scope, len(self._scopes)),
                group,
                hashed(reply) if reply else None,
                hashed(continues) if continues else None,
                hashed(trace),
                hashed(call) if call else None,
            )
        )
        if len(self._waiting) >= _MANY:
            self._write()

    def add_log(self, record: TraceSpan) -> None:
        """Note a log record with the content of a span."""
        place = record.place
        scope = self._scopes.setdefault(record.scope, len(self._scopes))
        self._logs.append((hashed(record.trace, record.id), place.line, place.offset, place.length, scope))
        if len(self._logs) >= _MANY:
            self._write()

    def _write(self) -> None:
        self._rows.executemany(f"INSERT INTO spans VALUES ({', '.join('?' * 16)})", self._waiting)  # noqa: S608 - no text of a user
        self._rows.executemany("INSERT INTO logs VALUES (?, ?, ?, ?, ?)", self._logs)
        self._waiting.clear()
        self._logs.clear()

    def regrade(self, span: IndexedSpan, grade: int, group: int, reply: str, continues: str) -> None:
        """Update a span with the content of its log record."""
        self._rows.execute(
            'UPDATE spans SET grade = ?, "group" = ?, reply = ?, continues = ? WHERE n = ?',
            (grade, group, hashed(reply) if reply else None, hashed(continues) if continues else None, span.n),
        )

    def finish(self) -> None:
        """Complete the index after the last span: leave out requests recorded twice, and join conversations."""
        self._write()
        self._rows.executescript(_INDEXES)

    def join(self) -> None:
        """Leave out requests that were recorded twice, and join conversations that name earlier responses."""
        self._leave_out_repeated()
        self._join_continued()
        self._rows.executescript(
            'CREATE INDEX by_group ON spans (kind, "group", began, n);'
            "CREATE INDEX by_call ON spans (trace, call, began);"
        )

    def _leave_out_repeated(self) -> None:
        """Keep one span per request: of nested spans the one that shows more, otherwise the outer one.

        Spans side by side with the same response id are one request, too, if one of them shows more.
        """
        self._rows.execute("CREATE TABLE repeated (n INTEGER)")
        writing = self._rows.cursor()
        writing.executemany(
            "INSERT INTO repeated VALUES (?)",
            ((outer[0] if outer[1] < grade else n,) for n, grade, outer in self._inner_requests()),
        )
        self._rows.execute("CREATE INDEX by_reply ON spans (reply) WHERE reply IS NOT NULL")
        self._rows.execute(
            "INSERT INTO repeated SELECT n FROM spans AS one WHERE kind = 1 AND reply IS NOT NULL AND EXISTS "
            "(SELECT 1 FROM spans WHERE reply = one.reply AND kind = 1 AND grade > one.grade)"
        )
        self._rows.execute("UPDATE spans SET kind = 0 WHERE n IN (SELECT n FROM repeated)")

    def _inner_requests(self) -> Iterator[tuple[int, int, tuple[int, int]]]:
        """Each request inside of others, with its grade, and the number and grade of an outer one."""
        rows = self._rows.cursor().execute("SELECT n, grade, parent FROM spans WHERE kind = 1 AND parent IS NOT NULL")
        look_up = self._rows.cursor()
        for n, grade, parent in rows:
            seen: set[int] = set()
            while parent is not None and parent not in seen:
                seen.add(parent)
                found = look_up.execute("SELECT n, grade, parent, kind FROM spans WHERE key = ?", (parent,)).fetchone()
                if found is None:
                    break
                if found[3] == 1:
                    yield n, grade, (found[0], found[1])
                parent = found[2]

    def _join_continued(self) -> None:
        """Move each request that names an earlier response into the conversation of that response."""
        rows = self._rows.execute(
            "SELECT n, continues FROM spans WHERE kind = 1 AND continues IS NOT NULL ORDER BY began, n"
        ).fetchall()
        for n, continues in rows:
            found = self._rows.execute('SELECT "group" FROM spans WHERE reply = ?', (continues,)).fetchone()
            if found:
                self._rows.execute('UPDATE spans SET "group" = ? WHERE n = ?', (found[0], n))

    # --- reading ----------------------------------------------------------------------------------------

    def requests(self) -> Iterator[IndexedSpan]:
        """Every request, conversation by conversation, each in the order in which it was asked."""
        names = {number: scope for scope, number in self._scopes.items()}
        rows = self._rows.cursor().execute(f'SELECT {_ROW} FROM spans WHERE kind = 1 ORDER BY "group", began, n')  # noqa: S608 - no text of a user
        return (_span_of_row(row, names) for row in rows)

    def runs_of(self, trace: int, call: str) -> list[IndexedSpan]:
        """The runs of a tool for the call with this id, in one trace."""
        names = {number: scope for scope, number in self._scopes.items()}
        rows = self._rows.execute(
            f"SELECT {_ROW} FROM spans WHERE trace = ? AND call = ? AND kind = 2 ORDER BY began, n",  # noqa: S608 - no text of a user
            (trace, hashed(call)),
        )
        return [_span_of_row(row, names) for row in rows]

    def count(self, kind: SpanKind) -> int:
        """How many spans there are of a kind."""
        found = self._rows.execute("SELECT count(*) FROM spans WHERE kind = ?", (_KINDS.index(kind),)).fetchone()
        return int(found[0])

    def logs_of(self, span: IndexedSpan) -> tuple[SpanPlace, Scope] | None:
        """Where the content of a span is in a log record."""
        names = {number: scope for scope, number in self._scopes.items()}
        found = self._rows.execute(
            "SELECT line, offset, length, scope FROM logs WHERE key = ? LIMIT 1", (span.key,)
        ).fetchone()
        return (SpanPlace(found[0], found[1], found[2]), names[found[3]]) if found else None

    def without_content(self) -> Iterator[IndexedSpan]:
        """The requests whose content is only in a log record, not in the span itself."""
        names = {number: scope for scope, number in self._scopes.items()}
        rows = self._rows.execute(
            f"SELECT {_ROW} FROM spans WHERE kind = 1 AND grade = 0 AND key IN (SELECT key FROM logs)"  # noqa: S608 - no text of a user
        ).fetchall()
        return (_span_of_row(row, names) for row in rows)


def _span_of_row(row: tuple[int, ...], names: dict[int, Scope]) -> IndexedSpan:
    n, key, parent, kind, grade, began, ended, line, offset, length, scope, group, reply, continues, trace = row
    place = SpanPlace(line, offset, length)
    return IndexedSpan(
        n, key, parent, _KINDS[kind], grade, began, ended, place, names[scope], group, reply, continues, trace
    )
