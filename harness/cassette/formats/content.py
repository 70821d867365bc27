"""A file of which nobody has said what it is: its bytes, its text, its values, each read when it is first asked for."""

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
    """``data`` are the bytes of the file at ``path``, unpacked where it is one gzip member."""

    path: Path
    data: bytes

    @cached_property
    def text(self) -> str | None:
        """The bytes as UTF-8 text; None where they are none."""
        try:
            return self.data.decode("utf-8-sig")
        except UnicodeDecodeError:
            return None

    @property
    def is_stream(self) -> bool:
        """Whether the file begins as the events of a stream do, whoever has sent them."""
        return self.data.lstrip().startswith((b"data:", b"event:"))

    @cached_property
    def json_lines(self) -> list[Any]:
        """The JSON values of text that has one on each line, at least two; none where it is other text."""
        lines = [line for line in (self.text or "").split("\n") if line.strip()]
        if len(lines) < 2 or not all(line.lstrip().startswith("{") for line in lines):
            return []
        try:
            return [loads(line) for line in lines]
        except ValueError:
            return []

    @cached_property
    def documents(self) -> list[CassetteDocument]:
        """The values of JSON or YAML text. Raises ``BadInput`` with the place of what is wrong."""
        return read_documents(self.path, text_of(self.path, self.data))

    @property
    def top(self) -> dict[Any, Any]:
        """The object that is all of the file; empty where it is anything else. Raises as ``documents``."""
        only = self.documents[0].value if len(self.documents) == 1 else None
        return only if isinstance(only, dict) else {}

    def described(self) -> str:
        """What the file contains, in a few words. Raises as ``documents``."""
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
    """Read a file, or ``data`` where it has been read. Raises ``BadInput`` where it cannot be read, or is too long."""
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
