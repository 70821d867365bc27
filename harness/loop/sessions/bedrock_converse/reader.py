"""Reads the turn of an answer of Converse. botocore parses events into dictionaries, but does not join blocks."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from harness.loop.session import Delta
from harness.loop.sessions.reader import TurnReader
from harness.wire import Reply
from harness.wire.base import Json
from harness.wire.bedrock_converse import WIRE
from harness.wire.bedrock_converse.blocks import is_call
from harness.wire.bedrock_converse.fold import ConverseFold
from harness.wire.lenient import members, string

_UNKNOWN = "SDK_UNKNOWN_MEMBER"
"""botocore's name for an unknown member of a union. It drops the contents of that member."""


class ConverseReader(TurnReader):
    """Reads events and answers as botocore returns them.

    A block that botocore does not know has lost its contents, so it does not go back.
    """

    unnamed = "unknown_tool"  # botocore refuses a call without a name
    emits_empty = True

    def __init__(self, taken: set[str]) -> None:
        super().__init__(WIRE, ConverseFold(), taken, "tooluse_{:022}")

    def feed(self, event: Json, *, whole: bool = False) -> list[Delta]:
        """Return the deltas of an event, or of a ``whole`` answer (``TurnReader.feed``)."""
        delta = members(event.get("contentBlockDelta")).get("delta") or event
        has_bytes = not ("text" in delta or "toolUse" in delta)  # nearly all events have none
        return super().feed(as_json(event) if has_bytes else event, whole=whole)

    def _going_back(self, reply: Reply, ids: Sequence[str]) -> list[Json]:
        kept = [self._with_name(block) for block in reply.items if _UNKNOWN not in block]
        return super()._going_back(replace(reply, items=tuple(kept)), ids)

    def _with_name(self, block: Json) -> Json:
        if not is_call(block):
            return block
        return {"toolUse": {**block["toolUse"], "name": string(block["toolUse"].get("name")) or self.unnamed}}

    def _native(self, entries: list[Json]) -> Any:
        return entries[0]["content"] if entries else []


# --- bytes, which are Base64 in JSON ------------------------------------------------------------------------


_BYTES = frozenset({"redactedContent", "bytes"})
_FREE = frozenset({"input", "json"})
"""Members whose contents a tool or a model chooses freely."""


def as_json(value: Any) -> Any:
    """A value of botocore in its form on the wire, so that a history can be stored as JSON."""
    if isinstance(value, bytes):
        return _base64(value)
    if isinstance(value, dict):
        return {name: as_json(each) for name, each in value.items()}
    return [as_json(each) for each in value] if isinstance(value, list) else value


def as_botocore(value: Any) -> Any:
    """A value on the wire in the form that botocore needs. A text that is no Base64 stays a text."""
    if isinstance(value, dict):
        return {name: each if name in _FREE else _decoded_value(name, each) for name, each in value.items()}
    return [as_botocore(each) for each in value] if isinstance(value, list) else value


def _decoded_value(name: str, value: Any) -> Any:
    if name not in _BYTES or not isinstance(value, str):
        return as_botocore(value)
    try:
        return base64.b64decode(value, validate=True)
    except ValueError:
        return value


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode("ascii")
