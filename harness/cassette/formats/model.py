"""What a format of recordings is: how its files are recognised, and how their entries are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.cassette.formats.content import Content
from harness.cassette.interaction import Interaction, Provenance

Entry = tuple[int, Callable[[], Interaction]]
"""The line on which an entry begins, from 1, and what reads it. That raises ``Unexpected`` for an entry that is no
exchange, and ``UndecodableBody``."""


@dataclass(frozen=True, slots=True)
class RecordingFormat:
    """``sign`` says in words what ``claims`` looks for: no file has the signs of two formats.

    ``claims`` raises ``BadInput`` where the file is text that cannot be parsed. ``strict``: its recorders write
    exchanges only, so an entry that is none says that the file was broken.
    ``entry`` is the word for one in messages.
    """

    name: str
    sign: str
    claims: Callable[[Content], bool]
    entries: Callable[[Content], Iterator[Entry]]
    strict: bool = False
    entry: str = "entry"


@dataclass(frozen=True, slots=True)
class OtherFile:
    """Files that are known and are no recordings of HTTP. ``advice`` says what to do with them."""

    name: str
    claims: Callable[[Content], bool]
    advice: str


@dataclass(frozen=True, slots=True)
class RecordedFile:
    """A file of recorded exchanges in the format with this name.

    ``left_out`` says of each entry that is not among them where it is and why.
    """

    path: Path
    format: str
    interactions: tuple[Interaction, ...]
    left_out: tuple[str, ...] = ()
    provenance: Provenance | None = None
