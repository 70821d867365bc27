"""Everything that a text may be read as: JSON, a stream, base64, percent-encoding, also inside each other.

These are the readers of the scan. They share nothing with the readers of redaction, and need no places in the text:
they only have to see everything.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from harness.wire.sse import parse_events

_DEEPEST = 6
_STREAM = re.compile(r"^(?:data|event|id|retry)?:", re.MULTILINE)
_BASE64 = re.compile(r"[A-Za-z0-9+/]{16,}|[A-Za-z0-9_-]{16,}")
_URL_SAFE = str.maketrans("-_", "+/")
_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})')
_NO_TEXT = re.compile(rb"[^\t\n\r\x20-\x7e]")


@dataclass(frozen=True, slots=True)
class Decoding:
    """A decoded text; ``how`` names the decodings (``JSON, base64``), outermost first.

    If ``is_text`` is false, it is an image or the like: there, the shape of a secret is an accident.
    """

    text: str
    how: tuple[str, ...] = ()
    is_text: bool = True


def decodings(text: str) -> Iterator[Decoding]:
    """The text itself, and everything that it can be read as, each once."""
    seen = {text}
    waiting = [Decoding(text)]
    while waiting:
        decoding = waiting.pop()
        yield decoding
        if len(decoding.how) == _DEEPEST:
            continue
        for content in _base64(decoding.text, seen):
            is_text = len(_NO_TEXT.findall(content)) * 4 <= len(content)
            found = Decoding(content.decode("utf-8", "replace"), (*decoding.how, "base64"), is_text)
            if is_text:
                waiting.append(found)
            else:
                yield found
        for name, inner in _inner(decoding.text):
            if inner not in seen:
                seen.add(inner)
                waiting.append(Decoding(inner, (*decoding.how, name)))


def _inner(text: str) -> Iterator[tuple[str, str]]:
    values = list(_json_values(text))
    for value in values:
        yield from (("JSON", each) for each in _texts_in(value))
    if not values and "\\" in text:
        yield "escapes", _ESCAPE.sub(lambda escape: str(json.loads(f'"{escape[0]}"')), text)
    yield from (("joined", member) for member in _members(values))
    if "%" in text:
        yield "percent-encoding", unquote(text)


def _json_values(text: str) -> Iterator[Any]:
    """The value of a JSON text, or the values of the events of a stream, or of its lines."""
    start = text.lstrip()[:1]
    if start in ("{", "["):
        value = _json_value(text)
        if value is not None:
            yield from value if isinstance(value, list) and all(isinstance(each, dict) for each in value) else [value]
            return
        candidates = text.splitlines()
    elif _STREAM.match(text):
        candidates = [event.data for event in parse_events(text.encode("utf-8", "replace") + b"\n\n")]
    else:
        return
    yield from (value for each in candidates if (value := _json_value(each)) is not None)


def _json_value(text: str) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list | str) else None


def _texts_in(value: Any) -> Iterator[str]:
    """All texts of a value as one text, and then each text that may contain JSON or a stream by itself."""
    texts = [text for _, text in _texts(value, ())]
    yield '"\n"'.join(texts)  # the quotation marks keep each for itself
    for text in texts:
        if text.lstrip()[:1] in ("{", "[") or _STREAM.match(text):
            yield text


def _members(values: list[Any]) -> Iterator[str]:
    """The texts of a stream that come in pieces, joined."""
    found: dict[Any, list[str]] = defaultdict(list)
    for value in values if len(values) > 1 else []:
        for key, text in _texts(value, ()):
            found[key].append(text)
    yield from ("".join(pieces) for pieces in found.values() if len(set(pieces)) > 1)


def _texts(value: Any, key: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], str]]:
    """Every text of a value, with the names and the indexes that lead to it."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        indexes = [each for name, each in value.items() if "index" in name and isinstance(each, int)]
        for name, inner in value.items():
            yield from _texts(inner, (*key, *indexes, name))
            yield ("name of a member",), name
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner, key)


def _base64(text: str, seen: set[str]) -> Iterator[bytes]:
    """The decoded bytes of base64 runs, read from each possible start. Runs in ``seen`` are skipped."""
    for run in _BASE64.finditer(text):
        if run[0] in seen:
            continue
        seen.add(run[0])
        letters = run[0].translate(_URL_SAFE)
        for skipped in range(4):
            part = letters[skipped:]
            with suppress(binascii.Error):  # a last letter alone stands for nothing
                yield base64.b64decode(part[: len(part) - (len(part) % 4 == 1)] + "==")
