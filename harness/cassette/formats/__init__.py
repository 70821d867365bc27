"""Reads recordings of every format. A file of another known kind is named.

content     a file of unknown format
model       what a format is: a sign that no other has, and how its entries are read
recorders, har, httprr, mocks, answers   the formats
others      known files that are no recordings

A format is recognised by the structure of the whole file, never by its name or by words somewhere in it. So an unknown
file is never misread; the message names what was expected, and what the file contains.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from harness.cassette.formats.answers import ANSWER, EVENTS, PAYLOADS
from harness.cassette.formats.content import Content, read_content
from harness.cassette.formats.har import HAR
from harness.cassette.formats.httprr import HTTPRR
from harness.cassette.formats.mocks import HTTPMOCK, WIREMOCK
from harness.cassette.formats.model import RecordedFile, RecordingFormat
from harness.cassette.formats.others import OTHERS
from harness.cassette.formats.recorders import BRAINTRUST, CASSETTE, LANGCHAIN, REQ_LLM, SESSION_RECORDS, SINGLE
from harness.cassette.interaction import Interaction
from harness.cassette.members import Unexpected
from harness.cassette.own import KEY
from harness.cassette.read import read_cassette
from harness.errors import BadInput
from harness.ground.encoding import UndecodableBody

__all__ = ["FORMATS", "RecordedFile", "RecordingFormat", "read_recording"]

_OF_TEXT: Final = (HTTPRR, EVENTS, PAYLOADS)
"""Formats that are recognised before a file is parsed as JSON or YAML, which they need not be."""

FORMATS: Final[tuple[RecordingFormat, ...]] = (
    *_OF_TEXT,
    CASSETTE,
    LANGCHAIN,
    HAR,
    HTTPMOCK,
    WIREMOCK,
    SESSION_RECORDS,
    BRAINTRUST,
    REQ_LLM,
    SINGLE,
    ANSWER,
)
"""Every format that is read."""


def read_recording(path: Path, content: bytes | None = None) -> RecordedFile:
    """The exchanges in a file of any known format; ``content`` are its bytes if they have been read.

    An entry that is no exchange is left out and named. Raises ``BadInput`` for a file that cannot be read, has no known
    format, or contains no exchange.
    """
    file = read_content(path, content)
    found = _format_of(file)
    if found is CASSETTE and KEY in file.top:
        ours = read_cassette(path, file.data)
        return RecordedFile(path, found.name, ours.interactions, provenance=ours.provenance)
    interactions: list[Interaction] = []
    left_out: list[str] = []
    for number, (line, read) in enumerate(found.entries(file), 1):
        try:
            interactions.append(read())
        except (Unexpected, UndecodableBody) as error:
            left_out.append(f"{path}:{line}: {found.entry} {number}: {error}")
    if left_out and (found.strict or not interactions):
        raise BadInput(*left_out)
    return RecordedFile(path, found.name, tuple(interactions), tuple(left_out))


def _format_of(file: Content) -> RecordingFormat:
    for each in _OF_TEXT:
        if each.claims(file):
            return each
    is_parsed = file.text is not None and not file.json_lines and not file.is_stream
    found = next((each for each in FORMATS[len(_OF_TEXT) :] if each.claims(file)), None) if is_parsed else None
    if found is not None:
        return found
    other = None if file.is_stream else next((other for other in OTHERS if other.claims(file)), None)
    if other is not None:
        raise BadInput(f"{file.path}: expected a recording, got {other.name}; {other.advice}")
    signs = "; ".join(each.sign for each in FORMATS)
    raise BadInput(f"{file.path}: is in no known format of recordings: got {file.described()}; looked for {signs}")
