"""Cassettes opened without reading them whole: an index beside a file says what is asked where in it.

The index holds the key of each request and the byte at which its interaction begins; the interaction itself is read
when it is played. Nothing in the index is believed over the file: it counts only for a file with the same checksum, an
interaction that it leads to must begin where one can begin, read as one, and ask what the key says, and before anybody
learns that something is not recorded the file is read whole. A wrong index costs time and is written anew.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple
from zlib import crc32

from harness.cassette.interaction import Interaction, Provenance
from harness.cassette.match_key import Key, matchable_of
from harness.cassette.matching import Player, ReadCassette, Recordings, RedactsRequests, Untrue, whole
from harness.cassette.read import read_cassette
from harness.errors import BadInput, HarnessError
from harness.ground.disk import put
from harness.ground.encoding import MOST_BYTES

_FORMAT: Final = 1
_WORTH_IT: Final = 64 * 1024
"""Bytes of a cassette below which it is read in a few milliseconds, and an index would only lie about."""

_LIST: Final = b"interactions:\n"
_BEGINNING: Final = b"\n- "
"""Where an element of it begins: at the first column, where no line of a body can stand."""

_BEHIND: Final = re.compile(rb"\n(?=[^\s-])")
"""The end of the list: what stands behind it begins at the first column."""


def open_player(path: Path, redactor: RedactsRequests | None = None, again: str = "") -> Player:
    """A player of a cassette file, which is read at most once in this process as long as it stays the same.

    ``again`` is the command that records the cassette again.

    Raises ``BadInput`` as ``read_cassette`` does; for a broken interaction of a file with an index, ``Player.play``
    does when it comes to it.
    """
    return Player(_recordings(path), redactor, again)


def index_path(path: Path) -> Path:
    """Where the index of a cassette lies."""
    return path.with_name(f"{path.name}.index")


_OPENED: dict[Path, tuple[bytes, Recordings]] = {}
"""What this process has opened, with the bytes that were there."""


def _recordings(path: Path) -> Recordings:
    content, place = _content(path), path.absolute()
    if content is None:
        return whole(read_cassette(path))  # which says what is wrong
    known = _OPENED.get(place)
    if known is None or known[0] != content:
        known = _OPENED[place] = content, _opened(path, content)
    return known[1]


def _content(path: Path, most: int = MOST_BYTES) -> bytes | None:
    """The bytes of a file; None for one that cannot be read, is longer than ``most``, or is a pipe and the like."""
    try:
        size = path.stat().st_size if path.is_file() else most + 1
        if size > most:
            return None
        with path.open("rb") as file:
            content = file.read(size + 1)  # to ask for ``most`` would make room for it
    except OSError:
        return None
    return content if len(content) <= size else None


def _opened(path: Path, content: bytes) -> Recordings:
    indexed = _indexed(path, content) if len(content) >= _WORTH_IT else None
    return indexed or _read_whole(path, content)


def _read_whole(path: Path, content: bytes) -> ReadCassette:
    """Read a file, and write its index where it can have one."""
    found = whole(read_cassette(path, content))
    starts = [match.start() + 1 for match in re.finditer(_BEGINNING, content)]
    if len(content) >= _WORTH_IT and starts and _are_all(starts, content, found):
        index = {"format": _FORMAT, "checksum": _checksum(content), "keys": found.keys, "starts": starts}
        with suppress(HarnessError):  # a folder that cannot be written to has no index
            put(index_path(path), json.dumps(index).encode())
    return found


def _checksum(content: bytes) -> str:
    """Recognises an index that is out of date, fast. It need not resist anybody: a wrong index is found anyway."""
    return f"{len(content)}-{crc32(content):08x}"


def _are_all(starts: Sequence[int], content: bytes, found: ReadCassette) -> bool:
    """Whether the interactions, and nothing else, begin there: only then can each be read by itself."""
    lines, line = [], 1
    for before, start in pairwise((0, *starts)):
        line += content.count(b"\n", before, start)
        lines.append(line)
    return lines == [interaction.line for interaction in found.cassette.interactions]


# --- a file with an index -----------------------------------------------------------------------------------


@dataclass(slots=True)
class _Indexed:
    """A cassette of which only what is played is read. ``bounds`` are where interactions begin and end."""

    path: Path
    content: bytes
    provenance: Provenance | None
    keys: tuple[Key, ...]
    bounds: tuple[int, ...]
    _read: dict[int, Interaction] = field(default_factory=dict)
    _whole: ReadCassette | None = None

    def interaction(self, number: int) -> Interaction:
        if number not in self._read:
            self._read[number] = self._interaction(number)
        return self._read[number]

    def _interaction(self, number: int) -> Interaction:
        start, end = self.bounds[number : number + 2]
        try:
            (found,) = read_cassette(self.path, _LIST + self.content[start:end]).interactions
        except (BadInput, ValueError) as error:
            raise Untrue from error
        if matchable_of(found).key != self.keys[number]:
            raise Untrue
        return replace(found, line=self.content.count(b"\n", 0, start) + 1)

    def whole(self) -> ReadCassette:
        if self._whole is None:
            self._whole = _read_whole(self.path, self.content)
        return self._whole


def _indexed(path: Path, content: bytes) -> _Indexed | None:
    """The cassette by its index; None where it has none that could be right."""
    found = _index(index_path(path), content)
    if found is None or not all(content.startswith(_BEGINNING, start - 1) for start in found.starts):
        return None
    behind = _BEHIND.search(content, found.starts[-1])
    end = behind.end() if behind else len(content)
    frame = content[: found.starts[0] - 1] + b" []\n" + content[end:]
    try:
        provenance = read_cassette(path, frame).provenance
    except BadInput:
        return None  # reading the file whole says what is wrong with it
    return _Indexed(path, content, provenance, found.keys, (*found.starts, end))


class _Index(NamedTuple):
    """Of each interaction, what it asks and the byte at which it begins."""

    keys: tuple[Key, ...]
    starts: tuple[int, ...]


def _index(path: Path, content: bytes) -> _Index | None:
    """The index of a cassette with this ``content``; None where it is that of another, or none."""
    try:
        found = json.loads(_content(path, most=len(content)) or b"null")
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or found.get("format") != _FORMAT or found.get("checksum") != _checksum(content):
        return None
    keys, starts = found.get("keys"), found.get("starts")
    if not isinstance(keys, list) or not isinstance(starts, list) or not 0 < len(keys) == len(starts):
        return None
    if not all(type(key) is str for key in keys) or not all(type(start) is int for start in starts):
        return None
    return _Index(tuple(keys), tuple(starts))
