"""The fold of a message: it makes the blocks from a stream's events, or from the whole message."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, Final

from harness.wire.anthropic_messages.blocks import parts_of, stop_of, usage_of
from harness.wire.anthropic_messages.errors import stream_error
from harness.wire.arrival import STRING
from harness.wire.base import Reply
from harness.wire.characters import joined
from harness.wire.content_blocks import call_input
from harness.wire.fold import MALFORMED, ArrivingPart, Growth, Kind, arrivals_of
from harness.wire.json_text import compact
from harness.wire.lenient import Json, members, objects, string
from harness.wire.turn import StreamError, Turn

_KINDS: Final[Mapping[str, Kind]] = {"text": "text", "thinking": "thinking", "tool_use": "call"}
_OWN: Final = {"text": ("text_delta", "text"), "thinking": ("thinking_delta", "thinking")}
_INPUT: Final = ("input_json_delta", "partial_json")
"""The delta with which a block grows, and its member with the piece. Blocks of other types grow by their input."""


class _Block:
    """A block that is arriving. Some servers send thinking in a block of text (litellm #32357): it is read as thinking,
    and nobody can send it back."""

    __slots__ = ("_delta", "_ended", "_member", "_pieces", "_thought", "_thoughts", "arguments", "native", "part")

    def __init__(self, native: Json, numbers: count[int]) -> None:
        kind = string(native.get("type"))
        self._delta, self._member = _OWN.get(kind, _INPUT)
        number = next(numbers) if kind == "tool_use" else -1
        self.native = native
        self.part = ArrivingPart(_KINDS.get(kind, ""), number, native.get("id"), string(native.get("name")))
        self.part.came_whole = bool(native.get("input"))
        self.arguments: str | None = None
        self._ended = False
        self._pieces: list[str] = []
        self._thought = ArrivingPart("thinking")
        self._thoughts: list[str] = []

    def begin(self) -> Sequence[Growth]:
        return ((self.part, string(self.native.get(self._member))),)

    def whole(self) -> Sequence[Growth]:
        """All of a block that comes in one piece."""
        return [*self.begin(), *self._end()]

    def add(self, delta: Json) -> Sequence[Growth]:
        kind = delta["type"]
        if kind == self._delta:  # nearly all are these
            piece = delta[self._member]
            if isinstance(piece, str):
                self._pieces.append(piece)
                return ((self.part, piece),)
            raise TypeError(f"{self._member} is no text: {piece!r:.40}")
        if kind == "thinking_delta" and self.part.kind == "text":
            self._thoughts.append(string(delta["thinking"]))
            return ((self._thought, self._thoughts[-1]),)
        if kind == "signature_delta":
            self.native["signature"] = delta["signature"]
        elif kind == "citations_delta":
            self.native["citations"] = [*(self.native.get("citations") or ()), delta["citation"]]
        elif kind == "compaction_delta":
            self.native |= {name: value for name, value in delta.items() if name != "type"}
        return ()

    def end(self) -> Sequence[Growth]:
        """Put the native block together of its pieces, once."""
        if self._ended:
            return ()
        text = joined("".join(self._pieces))
        if self._member != "partial_json":
            self.native[self._member] = string(self.native.get(self._member)) + text
        elif text or not self.part.came_whole:
            # A server that does not stream arguments sends the whole input with the start of the block.
            self.arguments = text
            if "input" in self.native or self.part.kind == "call":  # llama.cpp's server leaves it out of the start
                self.native["input"] = call_input(text)
        return self._end()

    def _end(self) -> Sequence[Growth]:
        self._ended = True
        if self.part.kind == "call" and not self.arguments:
            self.part.default = compact(self.native.setdefault("input", {}))
        return ((self._thought, None), (self.part, None)) if self._thoughts else ((self.part, None),)

    def spoken(self) -> list[tuple[Json, str | None]]:
        """The blocks, each with the text of a call's arguments."""
        thinking: Json = {"type": "thinking", "thinking": joined("".join(self._thoughts))}
        thought: list[tuple[Json, str | None]] = [(thinking, None)] if self._thoughts else []
        return [*thought, *([(self.native, self.arguments)] if self.goes_back else [])]

    @property
    def goes_back(self) -> bool:
        return not self._thoughts or bool(self.native.get("text"))


class BlocksFold:
    """The content of a message's events so far (``Fold``)."""

    unfinished = "the stream ended without message_stop"

    def __init__(self) -> None:
        self.problem = ""
        self.error: StreamError | None = None
        self.explanation = ""
        """The reason of a refusal, in the model's words."""
        self.container = ""
        self._id = self._model = ""
        self._stop_reason = ""
        self._usage: Json = {}
        self._complete = False
        self._blocks: list[_Block] = []
        self._open: dict[Any, _Block] = {}
        self._numbers = count()

    def feed(self, event: Json) -> Sequence[Growth]:
        """``Fold.feed``."""
        try:
            if event["type"] == "content_block_delta":  # nearly all events are these
                return self._open[event.get("index")].add(event["delta"])
            return self._take(event)
        except MALFORMED as error:
            self.problem = f"a malformed {members(event).get('type')} event: {error!r}"
            return ()

    def feed_whole(self, document: Json) -> Sequence[Growth]:
        """``Fold.feed_whole``."""
        self._complete = True
        try:
            return self._message(document)
        except MALFORMED as error:
            self.problem = f"the response is no message: {members(document).get('error') or repr(error)}"
            return ()

    def reply(self) -> Reply:
        """``Fold.reply``."""
        for block in self._blocks:
            block.end()
        spoken = [each for block in self._blocks for each in block.spoken()]
        done = self._complete and self.error is None
        turn = Turn(
            parts=parts_of([block for block, _ in spoken], [arguments for _, arguments in spoken]),
            stop=stop_of(self._stop_reason),
            usage=usage_of(self._usage),
            error=self.error,
            ending="complete" if done or self.error else "eof",
        )
        items = tuple(block.native for block in self._blocks if block.goes_back)
        return Reply("anthropic-messages", self._id, self._model, items, turn, done, self.container)

    def _take(self, event: Json) -> Sequence[Growth]:
        kind = event["type"]
        if kind == "content_block_start":
            ended = self._close(event)
            block = self._open[event.get("index")] = self._begin(event["content_block"])
            return [*ended, *block.begin()]
        if kind == "content_block_stop":
            return self._close(event)
        if kind == "message_start":
            return self._message(event["message"])
        if kind == "message_delta":
            self._stop(event["delta"])
            self._count(event["usage"])
        elif kind == "message_stop":
            self._complete = True
        elif kind == "error":
            self.error = stream_error(event)
        return ()

    def _message(self, message: Json) -> list[Growth]:
        """All of a message; for ``message_start``, the calls by code on the server, which come whole."""
        self._id, self._model = str(message.get("id") or ""), str(message.get("model") or "")
        self._stop(message)
        content = message.get("content") or ()
        blocks = [self._begin(block) for block in objects(content)]
        growths = [each for block in blocks for each in block.whole()]
        self._count(members(message.get("usage")))
        if "content" not in message or len(blocks) != len(content) or not isinstance(message.get("usage"), dict):
            self.problem = f"the response is no message: {message.get('error') or 'it lacks its content or usage'}"
        return growths

    def _begin(self, native: Json) -> _Block:
        self._blocks.append(_Block(dict(native), self._numbers))
        return self._blocks[-1]

    def _close(self, event: Json) -> Sequence[Growth]:
        block = self._open.pop(event.get("index"), None)
        return () if block is None else block.end()

    def _stop(self, holder: Json) -> None:
        self._stop_reason = string(holder.get("stop_reason"))
        self.container = string(members(holder.get("container")).get("id")) or self.container
        self.explanation = string(members(holder.get("stop_details")).get("explanation"))

    def _count(self, usage: Json) -> None:
        # The counts of message_delta are totals, not increments; null says nothing.
        self._usage |= {name: count for name, count in usage.items() if count is not None}


arrivals = arrivals_of(BlocksFold, re.compile(rb'"partial_json":\s*' + STRING))
"""``Wire.arrivals``."""
