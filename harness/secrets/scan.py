"""An independent scan of a finished cassette: is a secret left in it?

It shares nothing with redaction: it has its own table of possible secrets (``second_table.py``), and reads the file
again, with its own readers for YAML, JSON, streams, base64 and percent-encoding. What it cannot read is a leak, too.
"""

from __future__ import annotations

import base64
import binascii
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import yaml

from harness.ground.bounded_yaml import BoundedLoader
from harness.ground.json_places import line_starts
from harness.secrets.decodings import Decoding, decodings
from harness.secrets.finder import needles
from harness.secrets.second_table import suspects


@dataclass(frozen=True, slots=True)
class Leak:
    """A secret in a file: its kind, the line (from 1), and its place (``interactions[0].request.uri``).

    ``shown`` is enough to find it: its first four characters and its length. ``unreadable`` is the kind of a file that
    is not YAML.
    """

    kind: str
    line: int
    where: str
    shown: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.kind} in {self.where}: {self.shown}"


def scan(text: str, values: Iterable[str] = ()) -> list[Leak]:
    """Every secret in the text of a cassette file. The file may be kept only if there is none.

    ``values`` are secrets that were sent during the recording: the file must not contain them in any form.
    """
    known = {needle for value in values for needle in needles(value)}
    try:
        places = list(_places(yaml.compose(text, BoundedLoader), "", set()))
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        return [*_leaks(_Place(1, "the file", text, True), known), _unreadable(mark.line + 1 if mark else 1)]
    found = [leak for place in (_comments(text), *places) for leak in _leaks(place, known)]
    return sorted(dict.fromkeys(found), key=lambda leak: (leak.line, leak.kind))


def _unreadable(line: int) -> Leak:
    return Leak("unreadable", line, "the file", "expected YAML")


_PRELUDE = 12
_CHECKSUM = 4
_HEADERS = (b"\x0b:event-type", b"\x0f:exception-type", b"\x0b:error-code", b"\x0d:message-type")
"""The beginning of a frame's headers: the length of the first header's name, and the name."""


# --- the file -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Place:
    """A text of the file; ``lines`` is true if its lines are lines of the file."""

    line: int
    where: str
    text: str
    lines: bool


def _comments(text: str) -> _Place:
    """Everything in the file that may be a comment, because no reader of YAML shows comments."""
    return _Place(
        1, "a comment", "\n".join(line[line.find("#") :] if "#" in line else "" for line in text.split("\n")), True
    )


def _places(node: yaml.Node | None, where: str, seen: set[int]) -> Iterator[_Place]:
    """Every value under a node, and every name. The target of aliases comes once."""
    if id(node) in seen:
        return
    seen.add(id(node))
    match node:
        case yaml.ScalarNode():
            line = node.start_mark.line + 1
            block = node.style in ("|", ">")
            text = _binary(node.value) if node.tag.endswith("binary") else node.value
            yield _Place(line + 1 if block else line, where, text, node.style == "|")
        case yaml.SequenceNode():
            for index, element in enumerate(node.value):
                yield from _places(element, f"{where}[{index}]", seen)
        case yaml.MappingNode():
            for key, value in node.value:
                yield from _places(key, f"a name in {where}" if where else "a name", seen)
                yield from _places(value, f"{where}.{key.value}".lstrip("."), seen)


def _binary(text: str) -> str:
    try:
        body = base64.b64decode(text)
    except binascii.Error:
        return text
    payloads = list(_payloads(body))
    if not payloads:
        return body.decode("utf-8", "replace")
    return "".join(f"data: {payload.decode('utf-8', 'replace')}\n\n" for payload in payloads)


def _payloads(body: bytes) -> Iterator[bytes]:
    """The payloads of AWS's binary frames, in order. The rest after the last frame counts as one."""
    at = 0
    while len(body) - at >= _PRELUDE + _CHECKSUM:
        length, headers = (int.from_bytes(body[place : place + 4]) for place in (at, at + 4))
        if length < headers + _PRELUDE + _CHECKSUM or not body[at + _PRELUDE :].startswith(_HEADERS):
            return
        yield body[at + _PRELUDE + headers : at + length - _CHECKSUM].replace(b"\n", b" ")
        at += length


# --- what stands there --------------------------------------------------------------------------------------


def _leaks(place: _Place, known: set[str]) -> Iterator[Leak]:
    for decoding in decodings(place.text):
        starts = line_starts(place.text) if place.lines and not decoding.how else [0]
        for kind, start, end in _secrets(decoding, known):
            line = place.line + bisect_right(starts, start) - 1
            where = ", ".join((place.where, *decoding.how))
            yield Leak(kind, line, where, f"{decoding.text[start : min(start + 4, end)]}... ({end - start} characters)")


def _secrets(decoding: Decoding, known: set[str]) -> Iterator[tuple[str, int, int]]:
    text = decoding.text
    for needle in known:
        if (at := text.find(needle)) >= 0:
            yield "known-value", at, at + len(needle)
    if decoding.is_text:
        yield from suspects(text)
