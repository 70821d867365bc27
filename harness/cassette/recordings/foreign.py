"""Foreign recordings of any kind, in the one form that a corpus has.

A folder of recordings is a corpus (``corpus``), or any folder with files in the formats that
``harness.cassette.formats`` reads. Files in other formats are listed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from harness.cassette import RecordedFile, read_recording
from harness.cassette.recordings.corpus import CORPUS_FILES, exchanges_of, read_corpus
from harness.cassette.recordings.recording import ForeignRecording, RecordedExchange
from harness.errors import BadInput

_ENDINGS: Final = (
    ".yaml",
    ".yml",
    ".json",
    ".har",
    ".httprr",
    ".sse",
    ".txt",
    ".jsonl",
    ".ndjson",
    ".responses",
    ".flow",
)
"""Endings of files that may be recordings, packed with gzip or not. Other files are not opened."""

_BODIES: Final = "__files"
"""The folder in which WireMock puts the bodies that its mappings name."""


def read_foreign(folder: Path) -> ForeignRecording:
    """Every exchange of a corpus, of a folder of recordings in any known format, or of one file.

    Raises ``BadInput`` when there is no such folder, and when nothing in it is a recording.
    """
    if folder.is_dir() and any((folder / name).is_file() for name in CORPUS_FILES):
        return read_corpus(folder)
    unread: list[str] = []
    exchanges: list[RecordedExchange] = []
    for name, recorded in read_files(folder, unread):
        exchanges += exchanges_of(recorded, name)
    if not exchanges:
        raise BadInput(*(unread or [f"{folder}: contains no recording and no {CORPUS_FILES[0]}"]))
    return ForeignRecording(path=folder, exchanges=tuple(exchanges), unread=tuple(unread))


def read_files(place: Path, unread: list[str]) -> Iterator[tuple[str, RecordedFile]]:
    """The recordings among the files of a folder, or in the file ``place``, each with its name below the folder.

    Unreadable files, and parts of files that are left out, are added to ``unread``. Raises ``BadInput`` if there is no
    such place.
    """
    if not place.exists():
        raise BadInput(f"{place}: does not exist; expected a folder of recordings, or one of them")
    for path in [place] if place.is_file() else _below(place):
        try:
            recorded = read_recording(path)
        except BadInput as error:
            unread += error.problems
            continue
        except RecursionError:
            unread.append(f"{path}: is nested too deeply to be a recording")
            continue
        unread += recorded.left_out
        yield path.name if path == place else path.relative_to(place).as_posix(), recorded


def _below(folder: Path) -> Iterator[Path]:
    for file in sorted(folder.rglob("*")):
        name = file.name.removesuffix(".gz")
        if name.endswith(_ENDINGS) and file.is_file() and _BODIES not in file.relative_to(folder).parts:
            yield file
