"""Opens cassettes without reading them whole: an index beside a file lists its requests and their places.

The index contains the key of each request and the byte at which its interaction begins. The interaction itself is read
when it is played. The index is never trusted more than the file: the file must have the same checksum; an interaction
must begin at a possible place, be readable, and have a request that matches the key; and the file is read whole before
a request is reported as not recorded. A wrong index costs time and is written anew.
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
"""Bytes of a cassette from which on an index pays; a smaller one is read in a few milliseconds."""

_LIST: Final = b"interactions:\n"
_BEGINNING: Final = b"\n- "
"""The beginning of an element: at the first column, where no line of a body can be."""

_BEHIND: Final = re.compile(rb"\n(?=[^\s-])")
"""The end of the list: the text after it begins at the first column."""


def open_player(path: Path, redactor: RedactsRequests | None = None, again: str = "") -> Player:
    """A player of a cassette file. The file is read at most once in this process while it does not change.

    ``again`` is the command that records the cassette again.

    Raises ``BadInput`` like ``read_cassette``. For a broken interaction of a file with an index, ``Player.play`` raises
    it instead, when it reaches the interaction.
    """
    return Player(_recordings(path), redactor, again)


def index_path(path: Path) -> Path:
    """The path of a cassette's index."""
    return path.with_name(f"{path.name}.index")


_OPENED: dict[Path, tuple[bytes, Recordings]] = {}
"""The recordings that this process has opened, with the bytes of their files."""


def _recordings(path: Path) -> Recordings:
    content, place = _content(path), path.absolute()
    if content is None:
        return whole(read_cassette(path))  # which says what is wrong
    known = _OPENED.get(place)
    if known is None or known[0] != content:
        known = _OPENED[place] = content, _open_recordings(path, content)
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


def _open_recordings(path: Path, content: bytes) -> Recordings:
    indexed = _indexed_cassette(path, content) if len(content) >= _WORTH_IT else None
    return indexed or _read_whole(path, content)


def _read_whole(path: Path, content: bytes) -> ReadCassette:
    """Read a file, and write its index if it can have one."""
    found = whole(read_cassette(path, content))
    starts = [match.start() + 1 for match in re.finditer(_BEGINNING, content)]
    if len(content) >= _WORTH_IT and starts and _are_all(starts, content, found):
        index = {"format": _FORMAT, "checksum": _checksum(content), "keys": found.keys, "starts": starts}
        with suppress(HarnessError):  # a folder that cannot be written to has no index
            put(index_path(path), json.dumps(index).encode())
    return found


def _checksum(content: bytes) -> str:
    """A fast checksum, to recognise an outdated index. It need not be secure: a wrong index is detected anyway."""
    return f"{len(content)}-{crc32(content):08x}"


def _are_all(starts: Sequence[int], content: bytes, found: ReadCassette) -> bool:
    """Whether ``starts`` are exactly the beginnings of the interactions: only then can each be read separately."""
    lines, line = [], 1
    for before, start in pairwise((0, *starts)):
        line += content.count(b"\n", before, start)
        lines.append(line)
    return lines == [interaction.line for interaction in found.cassette.interactions]


# --- a file with an index -----------------------------------------------------------------------------------


@dataclass(slots=True)
class _Indexed:
    """A cassette whose interactions are read only when played. ``bounds`` are their beginnings and ends."""

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


def _indexed_cassette(path: Path, content: bytes) -> _Indexed | None:
    """The cassette, opened by its index; None if it has no plausible index."""
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
    """The key of each interaction, and the byte at which it begins."""

    keys: tuple[Key, ...]
    starts: tuple[int, ...]


def _index(path: Path, content: bytes) -> _Index | None:
    """The index of a cassette with this ``content``; None if it is missing or belongs to other content."""
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
