"""The definition of a recording format: how its files are recognised, and how their entries are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.cassette.formats.content import Content
from harness.cassette.interaction import Interaction, Provenance

Entry = tuple[int, Callable[[], Interaction]]
"""The line on which an entry begins, from 1, and a function that reads it. The function raises ``Unexpected`` for an
entry that is no exchange, and ``UndecodableBody``."""


@dataclass(frozen=True, slots=True)
class RecordingFormat:
    """``sign`` describes what ``claims`` looks for: no file has the signs of two formats.

    ``claims`` raises ``BadInput`` if the file is text that cannot be parsed. ``strict``: its recorders write only
    exchanges, so any other entry shows that the file is broken.
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
    """Known files that are no recordings of HTTP. ``advice`` is what to do with them."""

    name: str
    claims: Callable[[Content], bool]
    advice: str


@dataclass(frozen=True, slots=True)
class RecordedFile:
    """A file of recorded exchanges in the format with this name.

    ``left_out`` has, for each entry that was left out, its place and the reason.
    """

    path: Path
    format: str
    interactions: tuple[Interaction, ...]
    left_out: tuple[str, ...] = ()
    provenance: Provenance | None = None
