"""A file of unknown format: its bytes, its text, its values, each read on first use."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from harness.cassette.document import CassetteDocument, bytes_of, read_documents, text_of
from harness.errors import BadInput
from harness.ground.bounded_json import loads
from harness.ground.encoding import UndecodableBody, decoded

_GZIP: Final = b"\x1f\x8b"


@dataclass(frozen=True)
class Content:
    """``data`` are the bytes of the file at ``path``, unpacked if it is a single gzip member."""

    path: Path
    data: bytes

    @cached_property
    def text(self) -> str | None:
        """The bytes as UTF-8 text; None if they are no such text."""
        try:
            return self.data.decode("utf-8-sig")
        except UnicodeDecodeError:
            return None

    @property
    def is_stream(self) -> bool:
        """Whether the file begins like the events of a stream of any provider."""
        return self.data.lstrip().startswith((b"data:", b"event:"))

    @cached_property
    def json_lines(self) -> list[Any]:
        """The JSON values of a text with one on each line, at least two; empty for any other text."""
        lines = [line for line in (self.text or "").split("\n") if line.strip()]
        if len(lines) < 2 or not all(line.lstrip().startswith("{") for line in lines):
            return []
        try:
            return [loads(line) for line in lines]
        except ValueError:
            return []

    @cached_property
    def documents(self) -> list[CassetteDocument]:
        """The values of JSON or YAML text. Raises ``BadInput`` with the place of the mistake."""
        return read_documents(self.path, text_of(self.path, self.data))

    @property
    def top(self) -> dict[Any, Any]:
        """The object that is the whole file; empty for anything else. Raises like ``documents``."""
        only = self.documents[0].value if len(self.documents) == 1 else None
        return only if isinstance(only, dict) else {}

    def described(self) -> str:
        """The content of the file in a few words. Raises like ``documents``."""
        if self.is_stream:
            return "events of a stream, of which the first is no beginning of a response"
        if self.text is None:
            return f"bytes that are no text, which begin with {self.data[:8].hex(' ')}"
        if self.json_lines:
            return f"lines of JSON, of which the first has {_members(self.json_lines[0])}"
        if len(self.documents) > 1:
            return f"{len(self.documents)} YAML documents, of which the first has {_members(self.documents[0].value)}"
        value = self.documents[0].value
        return _members(value) if isinstance(value, dict) else f"{json.dumps(value, default=str):.60}"


def _members(value: Any) -> str:
    if not isinstance(value, dict):
        return f"{json.dumps(value, default=str):.60}"
    return f"an object with {', '.join(map(str, list(value)[:6])) or 'nothing'}"


def read_content(path: Path, data: bytes | None = None) -> Content:
    """Read a file, or ``data`` if it has been read. Raises ``BadInput`` if it cannot be read or is too long."""
    if data is None:
        data = bytes_of(path)
    if data.startswith(_GZIP):
        try:
            data = decoded(data, "gzip")
        except UndecodableBody as error:
            raise BadInput(f"{path}: {error}") from error
    if not data.strip():
        raise BadInput(f"{path}: is empty; expected a cassette")
    return Content(path, data)
