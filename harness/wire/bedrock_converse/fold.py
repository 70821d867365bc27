"""The fold of an answer of Converse: its blocks from the events of a stream, or from the whole answer."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, Final

from harness.wire.arrival import Arrival, arrived, at_once
from harness.wire.base import Reply
from harness.wire.bedrock_converse.blocks import MALFORMED, is_call, part_of, parts_of, stop_of, usage_of
from harness.wire.bedrock_converse.errors import error_of
from harness.wire.bedrock_converse.stream import EVENT_STREAM, events
from harness.wire.characters import joined, sendable
from harness.wire.content_blocks import call_input
from harness.wire.fold import ArrivingPart, Growth, Kind, call_pieces
from harness.wire.lenient import Json, members, objects, string
from harness.wire.turn import Call, StreamError, Text, ThinkingPart, Turn

_NEEDED: Final[Mapping[str, frozenset[str]]] = {
    "messageStart": frozenset({"role"}),
    "contentBlockStart": frozenset({"contentBlockIndex", "start"}),
    "contentBlockDelta": frozenset({"contentBlockIndex", "delta"}),
    "contentBlockStop": frozenset({"contentBlockIndex"}),
    "messageStop": frozenset({"stopReason"}),
    "metadata": frozenset(),
}
"""The members that events must have. botocore makes an event without them from a payload that is no JSON."""


class _BlockPieces:
    """A block that is arriving: its native form, and its texts by kind. No event opens a text block."""

    def __init__(self) -> None:
        self.native: Json = {}
        self.parts: dict[Kind, ArrivingPart] = {}
        self._pieces: dict[str, list[str]] = {}
        self._citations: list[Any] = []

    def begin(self, started: Json, numbers: count[int]) -> Sequence[Growth]:
        """Take the native form with which the block begins."""
        self.native |= started
        if not is_call(self.native) or "call" in self.parts:
            return ()
        called = self.native["toolUse"]
        call = ArrivingPart("call", next(numbers), called.get("toolUseId"), string(called.get("name")))
        self.parts["call"] = call
        return ((call, ""),)

    def whole(self, native: Json, numbers: count[int]) -> Sequence[Growth]:
        """Take a block that came in one piece; it stays unchanged."""
        self.begin(native, numbers)
        match part_of(native):
            case Call(arguments=text):
                growths = self._grow("call", text)
            case Text(text):
                growths = self._grow("text", sendable(text))
            case ThinkingPart(text):
                growths = self._grow("thinking", sendable(text))
            case _:
                return ()
        return [*growths, *self.end()]

    def add(self, delta: Json) -> Sequence[Growth]:
        """Take a piece. Signatures, citations and pieces of the server's tools are kept but not emitted."""
        growths: Sequence[Growth] = ()
        for kind, payload in delta.items():
            if kind == "text":
                growths = self._add("text", "text", payload)
            elif kind == "toolUse":
                growths = self._add("input", "call", payload.get("input"))
            elif kind == "reasoningContent":
                growths = self._reasoning(payload)
            elif kind == "citation":
                self._citations.append(payload)
            elif kind == "toolResult":
                self.native.setdefault("toolResult", {}).setdefault("content", []).extend(objects(payload))
            elif kind == "image":
                self.native.setdefault("image", {}).update(payload)
        return growths

    def _reasoning(self, payload: Json) -> Sequence[Growth]:
        for member in ("redactedContent", "signature"):
            if member in payload:
                self._keep(member, payload[member])
        return self._add("reasoning", "thinking", payload["text"]) if "text" in payload else ()

    def _add(self, name: str, kind: Kind, piece: Any) -> Sequence[Growth]:
        return self._grow(kind, piece) if self._keep(name, piece) else ()

    def _keep(self, name: str, piece: Any) -> bool:
        if isinstance(piece, str):
            self._pieces.setdefault(name, []).append(piece)
        return isinstance(piece, str)

    def _grow(self, kind: Kind, text: str) -> Sequence[Growth]:
        part = self.parts.get(kind)
        if part is None:
            if kind == "call":  # the input of a tool of the server
                return ()
            part = self.parts[kind] = ArrivingPart(kind)
        return ((part, text),)

    def end(self) -> Sequence[Growth]:
        """All has come."""
        return [(part, None) for part in self.parts.values()]

    def finished(self) -> tuple[Json, str | None]:
        """The whole block, and a call's arguments text as it was streamed."""
        texts = {name: joined("".join(pieces)) for name, pieces in self._pieces.items()}
        if "toolUse" in self.native:
            arguments = texts.get("input", "")
            return {"toolUse": {**self.native["toolUse"], "input": call_input(arguments)}}, arguments
        if "redactedContent" in texts:
            return {"reasoningContent": {"redactedContent": _joined_bytes(self._pieces["redactedContent"])}}, None
        if "reasoning" in texts or "signature" in texts:
            signed = {"signature": texts["signature"]} if "signature" in texts else {}
            return {"reasoningContent": {"reasoningText": {"text": texts.get("reasoning", ""), **signed}}}, None
        if self._citations:
            cited = {"content": [{"text": texts.get("text", "")}], "citations": self._citations}
            return {"citationsContent": cited}, None
        return (self.native or {"text": texts.get("text", "")}), None


def _joined_bytes(pieces: Sequence[str]) -> str:
    """The Base64 text of bytes that came in pieces of Base64."""
    if len(pieces) == 1:
        return pieces[0]
    try:
        return base64.b64encode(b"".join([base64.b64decode(piece, validate=True) for piece in pieces])).decode("ascii")
    except ValueError:
        return "".join(pieces)


class ConverseFold:
    """The content of an answer's events so far (``Fold``)."""

    unfinished = "the answer ended without messageStop"

    def __init__(self) -> None:
        self.problem = ""
        self.error: StreamError | None = None
        self._usage: Json = {}
        self._reason: str | None = None
        self._complete = False
        self._blocks: list[_BlockPieces] = []
        self._whole: list[Json] | None = None
        self._open: dict[Any, _BlockPieces] = {}
        self._numbers = count()

    def feed(self, event: Json) -> Sequence[Growth]:
        """``Fold.feed``. An event is an object with one member, which is its kind."""
        ((kind, value),) = event.items()
        payload = members(value)
        if kind not in _NEEDED or not _NEEDED[kind] <= payload.keys():
            self.problem = f"the {kind} event cannot be read"
        index = payload.get("contentBlockIndex")
        if kind == "contentBlockDelta":
            return self._block(index).add(members(payload.get("delta")))
        if kind == "contentBlockStart":
            started = {name: dict(members(value)) for name, value in members(payload.get("start")).items()}
            return self._block(index).begin(started, self._numbers)
        if kind == "contentBlockStop":
            block = self._open.pop(index, None)
            return () if block is None else block.end()
        if kind == "messageStop":
            self._reason, self._complete = string(payload.get("stopReason")), True
        elif kind == "metadata":
            self._usage = members(payload.get("usage"))
        elif kind.endswith("Exception") or kind[:1].isupper():
            self.error = error_of(kind, payload)
        return ()

    def feed_whole(self, document: Json) -> Sequence[Growth]:
        """``Fold.feed_whole``."""
        message = members(members(document.get("output")).get("message"))
        if not isinstance(message.get("content"), list) or not isinstance(document.get("stopReason"), str):
            self.problem = "the response is no answer of Converse"
        self._reason, self._complete = string(document.get("stopReason")), True
        self._usage = members(document.get("usage"))
        self._whole = objects(message.get("content"))
        return [growth for native in self._whole for growth in _BlockPieces().whole(native, self._numbers)]

    def reply(self) -> Reply:
        """``Fold.reply``."""
        finished = [(block, None) for block in self._whole] if self._whole is not None else self._finished_blocks()
        blocks = [block for block, _ in finished]
        error = self.error
        if error is None and self._reason in MALFORMED:
            error = StreamError("server_error", f"the answer stopped with {self._reason}")
        complete = self._complete and error is None
        turn = Turn(
            parts=parts_of(blocks, [text for _, text in finished]),
            stop=stop_of(self._reason),
            usage=usage_of(self._usage),
            error=error,
            ending="complete" if complete or error else "eof",
        )
        return Reply("bedrock-converse", "", "", tuple(blocks), turn, complete)

    def _finished_blocks(self) -> list[tuple[Json, str | None]]:
        return [block.finished() for block in self._blocks]

    def _block(self, index: Any) -> _BlockPieces:
        """The open block with this index. It may be new, since no event opens a block of text or of reasoning."""
        if index not in self._open:
            self._open[index] = _BlockPieces()
            self._blocks.append(self._open[index])
        return self._open[index]


def arrivals(content_type: str, body: bytes, arguments: Sequence[str]) -> tuple[Arrival, ...] | None:
    """``Wire.arrivals``."""
    if not EVENT_STREAM.is_stream(content_type):
        return at_once(body, arguments)
    try:
        found = list(events(body))
    except ValueError:
        return None
    return arrived(call_pieces(ConverseFold, found), arguments, last=found[-2][0] if len(found) > 1 else 0)
