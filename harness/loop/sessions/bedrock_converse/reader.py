"""A turn, folded from botocore's events or its whole answer, without I/O. botocore puts no blocks together."""

from __future__ import annotations

import base64
from typing import Any

from harness.loop.session import (
    AssistantDelta,
    Delta,
    ProviderTurn,
    StreamFailed,
    ThinkingDelta,
    ToolCall,
    ToolCallDelta,
)
from harness.loop.sessions.shared import unique_id
from harness.wire.base import Json
from harness.wire.bedrock_converse.blocks import MALFORMED, SERVER_TOOL, is_call, part_of, stop_of, usage_of
from harness.wire.characters import Pieces, sendable, sendable_value
from harness.wire.content_blocks import call_input
from harness.wire.json_text import compact
from harness.wire.lenient import members, objects, string
from harness.wire.turn import Text, ThinkingPart

_UNNAMED = "unknown_tool"
"""botocore refuses a call without a name, so one is given to a call that came without."""

_UNKNOWN = "SDK_UNKNOWN_MEMBER"
"""What botocore calls the member of a union that it does not know; it leaves out what is in it."""


class ConverseReader:
    """Takes the events of one answer, or the whole of it, and gives deltas, then the turn.

    ``call_ids`` are the ids that the run has used, and those of this turn are added: a call without an id, or with one
    that was used before, gets an invented one, under which it goes back.
    """

    def __init__(self, call_ids: set[str]) -> None:
        self._call_ids = call_ids
        self._blocks: list[_ConverseBlock] = []
        self._open: dict[Any, _ConverseBlock] = {}
        self._reason: str | None = None
        self._usage: Json = {}

    def feed(self, event: Json) -> list[Delta]:
        """The deltas of one event. Raises ``StreamFailed`` for one that lacks what it is about.

        That is what botocore makes of a payload that is no JSON, without a word.
        """
        ((kind, payload),) = event.items()
        match kind, payload:
            case "contentBlockDelta", {"contentBlockIndex": index, "delta": dict(delta)}:
                return self._block(index).add(delta)
            case "contentBlockStart", {"contentBlockIndex": index, "start": dict(started)}:
                self._begin(index, started)
            case "contentBlockStop", {"contentBlockIndex": index}:
                block = self._open.pop(index, None)
                return [] if block is None else block.end()
            case "messageStop", {"stopReason": reason}:
                self._reason = string(reason)
            case "metadata", {"usage": usage}:
                self._usage = members(usage)
            case ("messageStart", {"role": _}) | ("metadata", _):
                pass
            case _:
                raise StreamFailed(f"the {kind} event cannot be read")
        return []

    def feed_whole(self, answer: Json) -> list[Delta]:
        """The deltas of an answer that came in one document. Raises ``StreamFailed`` where it is none."""
        match answer:
            case {"output": {"message": {"content": list(blocks)}}, "stopReason": str(reason)}:
                self._reason, self._usage = reason, members(answer.get("usage"))
            case _:
                raise StreamFailed("the response is no answer of Converse")
        deltas: list[Delta] = []
        for index, native in enumerate(objects(blocks)):
            self._begin(index, as_json(native))
            deltas += self._open.pop(index).whole()
        return deltas

    def finish(self) -> ProviderTurn:
        """The whole turn. Raises ``StreamFailed`` for one without an end, or one that the service could not read."""
        if self._reason is None:
            raise StreamFailed("the answer ended without messageStop")
        if self._reason in MALFORMED:
            raise StreamFailed(f"the answer stopped with {self._reason}")
        for block in self._open.values():
            block.end()
        calls = [block for block in self._blocks if block.call is not None]
        return ProviderTurn(
            assistant_text="".join(block.spoken.text for block in self._blocks),
            tool_calls=tuple(ToolCall(call.call_id, call.name, call.arguments.text) for call in calls),
            assistant_turn=_going_back([block.native for block in self._blocks]),
            stop=stop_of(self._reason),
            thinking_text="".join(block.thought.text for block in self._blocks),
            usage=usage_of(self._usage),
            model="",
        )

    def _block(self, index: Any) -> _ConverseBlock:
        """The open block with this index. No event opens one of text or of reasoning."""
        if index not in self._open:
            self._open[index] = _ConverseBlock()
            self._blocks.append(self._open[index])
        return self._open[index]

    def _begin(self, index: Any, started: Json) -> None:
        block = self._block(index)
        block.native = {name: dict(members(value)) if name != "text" else value for name, value in started.items()}
        if is_call(block.native):
            id_ = unique_id(sendable(string(started["toolUse"].get("toolUseId"))), self._call_ids, "tooluse_{:022}")
            self._call_ids.add(id_)
            block.call = (id_, sendable(string(started["toolUse"].get("name"))) or _UNNAMED)


class _ConverseBlock:
    """A content block that is arriving: its native form, and its texts as they stream."""

    def __init__(self) -> None:
        self.native: Json = {}
        self.call: tuple[str, str] | None = None
        self.spoken, self.thought, self.arguments = Pieces(), Pieces(), Pieces()
        self._signature: str | None = None
        self._redacted: list[bytes] = []
        self._citations: list[Json] = []

    @property
    def call_id(self) -> str:
        return self.call[0] if self.call else ""

    @property
    def name(self) -> str:
        return self.call[1] if self.call else ""

    def add(self, delta: Json) -> list[Delta]:
        """Take a piece of the block; signatures, citations and pieces of server tools are kept and not emitted."""
        match delta:
            case {"text": str(piece)}:
                return _spoken(self.spoken.push(piece))
            case {"toolUse": {"input": str(piece)}}:
                return self._argued(self.arguments.push(piece))
            case {"reasoningContent": {"text": str(piece)}}:
                return _thought(self.thought.push(piece))
            case {"reasoningContent": {"signature": str(piece)}}:
                self._signature = (self._signature or "") + piece
            case {"reasoningContent": {"redactedContent": bytes(piece)}}:
                self._redacted.append(piece)
            case {"citation": dict(citation)}:
                self._citations.append(as_json(citation))
            case {"toolResult": list(results)}:
                self.native.setdefault("toolResult", {}).setdefault("content", []).extend(as_json(results))
            case {"image": dict(image)}:
                self.native.setdefault("image", {}).update(as_json(image))
        return []

    def end(self) -> list[Delta]:
        """Put the native block together, and return what was held back."""
        rest = [*_spoken(self.spoken.end()), *_thought(self.thought.end()), *self._argued(self.arguments.end())]
        self.native = self._native()
        return rest

    def whole(self) -> list[Delta]:
        """The deltas of a block that came in one piece, which stays as it came."""
        if self.call is not None:
            called = self.native["toolUse"]
            rest = self._argued(self.arguments.push(compact(called.get("input", {}))))
            self.native = {"toolUse": {**called, "toolUseId": self.call_id, "name": self.name}}
            return rest
        match part_of(self.native):
            case Text(text):
                return _spoken(self.spoken.push(text) + self.spoken.end())
            case ThinkingPart(text):
                return _thought(self.thought.push(text) + self.thought.end())
        return []

    def _argued(self, piece: str) -> list[Delta]:
        return [ToolCallDelta(*self.call, piece)] if self.call else []

    def _native(self) -> Json:
        if "toolUse" in self.native:
            named = {"toolUseId": self.call_id, "name": self.name} if self.call else {}
            return {"toolUse": {**self.native["toolUse"], **named, "input": call_input(self.arguments.text)}}
        if self._redacted:
            return {"reasoningContent": {"redactedContent": _base64(b"".join(self._redacted))}}
        if self.thought.text or self._signature is not None:
            signed = {} if self._signature is None else {"signature": self._signature}
            return {"reasoningContent": {"reasoningText": {"text": self.thought.text, **signed}}}
        if self._citations:
            return {"citationsContent": {"content": [{"text": self.spoken.text}], "citations": self._citations}}
        return self.native or {"text": self.spoken.text}


def _spoken(piece: str) -> list[Delta]:
    return [AssistantDelta(piece)] if piece else []


def _thought(piece: str) -> list[Delta]:
    return [ThinkingDelta(piece)] if piece else []


def _going_back(blocks: list[Json]) -> list[Json]:
    """The blocks that the service takes back: no empty texts, and nothing where all is white space (BED-09).

    The ``type`` of a call stays behind: what botocore knows of it is the call of a server tool. A block that botocore
    does not know has nothing left in it.
    """
    kept = [_untyped(block) for block in blocks if block.get("text", "-") and _UNKNOWN not in block]
    blank = all(not block.get("text", "-").strip() for block in kept)
    return [] if blank else sendable_value(kept)


def _untyped(block: Json) -> Json:
    called = block.get("toolUse")
    if called is None or called.get("type") == SERVER_TOOL:
        return block
    return {"toolUse": {name: value for name, value in called.items() if name != "type"}}


# --- bytes, of which JSON has Base64 ------------------------------------------------------------------------


_BYTES = frozenset({"redactedContent", "bytes"})
_FREE = frozenset({"input", "json"})
"""Members in which a tool or a model says what it likes."""


def as_json(value: Any) -> Any:
    """What botocore has read, as it was on the wire: a history can be stored as JSON."""
    if isinstance(value, bytes):
        return _base64(value)
    if isinstance(value, dict):
        return {name: as_json(each) for name, each in value.items()}
    return [as_json(each) for each in value] if isinstance(value, list) else value


def as_botocore(value: Any) -> Any:
    """What is on the wire, as botocore wants it. A text that is no Base64 stays one."""
    if isinstance(value, dict):
        return {name: each if name in _FREE else _decoded(name, each) for name, each in value.items()}
    return [as_botocore(each) for each in value] if isinstance(value, list) else value


def _decoded(name: str, value: Any) -> Any:
    if name not in _BYTES or not isinstance(value, str):
        return as_botocore(value)
    try:
        return base64.b64decode(value, validate=True)
    except ValueError:
        return value


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode("ascii")
