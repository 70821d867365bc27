"""Foreign recordings of any kind, in the one form that a corpus has.

A folder of recordings is a corpus (``corpus``), or any folder of cassettes and of single responses.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from harness.cassette import read_cassette
from harness.errors import BadInput
from harness_lab.recorded.reading.corpus import CORPUS_FILES, exchanges_of, read_corpus
from harness_lab.recorded.recording import Exchange, Recording

__all__ = ["read_foreign"]

_SUFFIXES: Final = frozenset({".yaml", ".yml", ".json", ".sse", ".txt"})

_RESPONSES: Final = {
    "anthropic-messages": re.compile(rb'"type"\s*:\s*"(message_start|message)"'),
    "openai-responses": re.compile(rb'"type"\s*:\s*"response\.created"|"object"\s*:\s*"response"'),
    "openai-chat": re.compile(rb'"object"\s*:\s*"chat\.completion(\.chunk)?"'),
    "gemini-generateContent": re.compile(rb'"candidates"\s*:'),
}
"""What only the responses of a wire say, under the name that a corpus gives the wire."""


def read_foreign(folder: Path) -> Recording:
    """Every exchange of a folder, or of one cassette.

    Raises ``BadInput`` when there is no such folder, and when nothing in it is a recording.
    """
    if folder.is_dir() and any((folder / name).is_file() for name in CORPUS_FILES):
        return read_corpus(folder)
    if not folder.exists():
        raise BadInput(f"{folder}: does not exist; expected a folder of recordings")
    files = [folder] if folder.is_file() else sorted(each for each in folder.rglob("*") if each.suffix in _SUFFIXES)
    exchanges: list[Exchange] = []
    unread: list[str] = []
    for path in files:
        try:
            exchanges += _of_file(path, path.name if path == folder else path.relative_to(folder).as_posix())
        except BadInput as error:
            unread += error.problems
    if not exchanges:
        raise BadInput(*(unread or [f"{folder}: contains no cassette, no response and no {CORPUS_FILES[0]}"]))
    return Recording(path=folder, exchanges=tuple(exchanges), unread=tuple(unread))


def _of_file(path: Path, name: str) -> list[Exchange]:
    try:
        return list(exchanges_of(read_cassette(path), name))
    except BadInput:
        response = _response(path, name)
        if response is None:
            raise
        return [response]


def _response(path: Path, name: str) -> Exchange | None:
    """A file that is the body of one response; None where it is anything else."""
    try:
        body = path.read_bytes()
    except OSError:
        return None
    api = next((api for api, pattern in _RESPONSES.items() if pattern.search(body)), None)
    if api is None or not body.lstrip().startswith((b"{", b"[", b"data:", b"event:", b":")):
        return None
    return Exchange(name, 0, "", api, "response-only", "POST", "", None, 200, {}, body)
