"""Fold the events of the Messages API, or its whole message, into a ``ProviderTurn``. No I/O.

They are read as the JSON that the SDK has received. Everything goes back as it came, so a model of the SDK would be
built of each event only to be taken apart again, for a tenth of the time of a streamed turn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
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
from harness.wire.anthropic_messages.blocks import stop_of, usage_of
from harness.wire.characters import Pieces, sendable, sendable_value
from harness.wire.content_blocks import call_input
from harness.wire.json_text import compact
from harness.wire.lenient import members, string

_MALFORMED = (AttributeError, KeyError, TypeError, ValueError)
"""What is raised where something lacks what its type promises."""

_Json = Mapping[str, Any]


class MessagesReader:
    """Events in, deltas out, and the whole turn at the end.

    ``taken`` are the ids of the run's calls so far, and those of this turn are added. A call whose id is missing, empty
    or taken gets an invented one, in the turn that goes back too: the wire wants every ``tool_use`` id to be there and
    to be unique (ANT-05, ANT-09), and every result to name it.

    Everything goes back as it came, but for what the provider itself would refuse: empty text blocks and turns of
    nothing but white space are left out (ANT-11), arguments that are no JSON object go back as
    ``{"INVALID_JSON": text}`` (ANT-07), and a surrogate without its other half is U+FFFD. Thinking that a server sends
    in a block of text (litellm #32357) is emitted as thinking, and does not go back.
    """

    def __init__(self, taken: set[str]) -> None:
        self._ids = taken
        self._blocks: list[_ArrivingBlock] = []
        self._open: dict[int, _ArrivingBlock] = {}
        self._usage: dict[str, Any] = {}
        self._stop_reason = ""
        self._explanation = ""
        self._ended = False
        self._model = ""
        self.container = ""
        """The id of the container in which the provider runs code, as far as the response has named it."""

    def feed(self, event: _Json) -> list[Delta]:
        """Return the deltas of this event. Raises ``StreamFailed`` for an event that lacks what its type promises."""
        try:
            if event["type"] == "content_block_delta":  # nearly all events are these
                return self._open[event["index"]].add(event["delta"])
            return self._read(event)
        except _MALFORMED as error:
            raise StreamFailed(f"a malformed {members(event).get('type')} event: {error!r}") from error

    def feed_message(self, message: _Json) -> list[Delta]:
        """Return the deltas of a whole message, block by block. Raises ``StreamFailed`` when it is none."""
        try:
            deltas = self._message(message)
        except _MALFORMED as error:
            why = members(message).get("error") or repr(error)
            raise StreamFailed(f"the response is no message: {why}") from error
        self._ended = True
        return deltas

    def finish(self) -> ProviderTurn:
        """The whole turn. Raises ``StreamFailed`` when ``message_stop`` has not come."""
        if not self._ended:
            raise StreamFailed("the stream ended without message_stop")
        for index in list(self._open):
            self._close(index)
        calls = [block for block in self._blocks if block.kind == "tool_use"]
        return ProviderTurn(
            assistant_text=self._text_of("text"),
            tool_calls=tuple(ToolCall(call.call_id, call.name, call.streamed.text) for call in calls),
            assistant_turn=_going_back([block.native for block in self._blocks]),
            stop=stop_of(self._stop_reason),
            thinking_text=self._text_of("thinking"),
            refusal=self._explanation,
            usage=usage_of(self._usage),
            model=self._model,
        )

    def _text_of(self, kind: str) -> str:
        return "".join(block.text_of(kind) for block in self._blocks)

    def _read(self, event: _Json) -> list[Delta]:
        kind = event["type"]
        if kind == "content_block_start":
            deltas = self._close(event["index"])
            block = self._open[event["index"]] = self._block(dict(event["content_block"]))
            return deltas + block.begin()
        if kind == "content_block_stop":
            return self._close(event["index"])
        if kind == "message_start":
            return self._message(event["message"])
        if kind == "message_delta":
            self._stopped(event["delta"])
            # The counts are totals; null says nothing about what message_start counted.
            self._usage |= {name: count for name, count in event["usage"].items() if count is not None}
        elif kind == "message_stop":
            self._ended = True
        return []

    def _message(self, message: _Json) -> list[Delta]:
        """What a message holds: all of it, or in ``message_start`` a call that code made on the server."""
        self._model = sendable(string(message.get("model")))
        self._usage = dict(message["usage"])
        self._stopped(message)
        return [delta for block in message["content"] or () for delta in self._whole_block(dict(block))]

    def _whole_block(self, native: dict[str, Any]) -> list[Delta]:
        block = self._block(native)
        return block.begin() + block.end()

    def _block(self, native: dict[str, Any]) -> _ArrivingBlock:
        block = _ArrivingBlock(native, self._call_id(native.get("id")) if native.get("type") == "tool_use" else "")
        self._blocks.append(block)
        return block

    def _close(self, index: int) -> list[Delta]:
        block = self._open.pop(index, None)
        return [] if block is None else block.end()

    def _call_id(self, provider_id: Any) -> str:
        call_id = unique_id(provider_id, self._ids, "toolu_invented_{:04}")
        self._ids.add(call_id)
        return call_id

    def _stopped(self, kept: _Json) -> None:
        self._stop_reason = string(kept.get("stop_reason"))
        self._explanation = string(members(kept.get("stop_details")).get("explanation"))
        self.container = string(members(kept.get("container")).get("id")) or self.container


_TEXT_OF = {"text_delta": "text", "input_json_delta": "partial_json", "thinking_delta": "thinking"}
"""The deltas that carry a piece of a block's text, each with the member that holds it."""


class _ArrivingBlock:
    """A content block that is arriving: its native form, and its text as it streams."""

    __slots__ = ("_as_delta", "call_id", "kind", "name", "native", "streamed", "thought")

    def __init__(self, native: dict[str, Any], call_id: str) -> None:
        self.native = native
        self.kind = str(native.get("type"))
        self.call_id = call_id
        self.name = string(native.get("name"))
        self.streamed = Pieces()
        self.thought = Pieces()
        self._as_delta = self._delta_type()

    def _delta_type(self) -> Callable[[str], Delta] | None:
        """Return what makes a delta of a piece of this block's text; None where its text is not emitted."""
        if self.kind == "tool_use":
            return partial(ToolCallDelta, self.call_id, self.name)
        if self.kind == "text":
            return AssistantDelta
        return ThinkingDelta if self.kind == "thinking" else None

    def text_of(self, kind: str) -> str:
        """What the block says of this kind, as it was emitted."""
        thought = self.thought.text if kind == "thinking" else ""
        return thought + (self.streamed.text if self.kind == kind else "")

    def begin(self) -> list[Delta]:
        """Return a delta for text that the start contains."""
        if self.kind in ("text", "thinking"):
            return self._deltas(self.streamed.push(self.native.get(self.kind) or ""))
        return []

    def add(self, delta: _Json) -> list[Delta]:
        """Take a piece of the block; signatures and citations are kept and not emitted."""
        kind = delta["type"]
        member = _TEXT_OF.get(kind)
        if member == "thinking" and self.kind == "text":
            return _thoughts(self.thought.push(delta["thinking"]))
        if member:
            piece = self.streamed.push(delta[member])
            return [self._as_delta(piece)] if piece and self._as_delta else []
        if kind == "signature_delta":
            self.native["signature"] = delta["signature"]
        elif kind == "citations_delta":
            self.native["citations"] = [*(self.native.get("citations") or ()), delta["citation"]]
        elif kind == "compaction_delta":
            self.native |= {name: value for name, value in delta.items() if name != "type"}
        return []

    def end(self) -> list[Delta]:
        """Finish the native block, and return what was held back."""
        rest = self.streamed.end()
        if self.kind == "tool_use":
            self.native.setdefault("input", {})  # llama.cpp's server leaves it out of the start of a block
        if "input" in self.native:
            if self.kind == "tool_use" and not self.streamed.text:
                # Without argument deltas the start of the block has the whole input: {} for a call without any.
                rest = self.streamed.push(compact(self.native["input"]))
            if self.streamed.text:
                self.native["input"] = sendable_value(call_input(self.streamed.text))
        elif self.kind in ("text", "thinking"):
            self.native[self.kind] = self.streamed.text
        if self.kind == "tool_use":
            self.native["id"] = self.call_id
        return [*_thoughts(self.thought.end()), *self._deltas(rest)]

    def _deltas(self, piece: str) -> list[Delta]:
        return [self._as_delta(piece)] if piece and self._as_delta else []


def _thoughts(piece: str) -> list[Delta]:
    return [ThinkingDelta(piece)] if piece else []


def _going_back(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The blocks without empty texts; none at all where nothing but white space is left."""
    kept = [block for block in blocks if block.get("type") != "text" or block["text"]]
    blank = all(block.get("type") == "text" and not block["text"].strip() for block in kept)
    return [] if blank else kept
