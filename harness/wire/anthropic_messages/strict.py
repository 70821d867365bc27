"""The strict reader of the Messages API: the order of events, and what the blocks of an answer must have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from harness.finding import Finding
from harness.wire.anthropic_messages import response_rules as rules
from harness.wire.json_text import compact
from harness.wire.lenient import Json, members, objects, string
from harness.wire.response_rule import ReceivedResponse
from harness.wire.sse import SSE
from harness.wire.strict import (
    BODY,
    READABLE,
    NumberedEvent,
    body_of,
    is_object_text,
    named_events,
    numbered_events,
    repeated_ids,
    shown,
)

_CALL_ID: Final = re.compile(r"[a-zA-Z0-9_-]+")
_USES: Final = ("tool_use", "server_tool_use", "mcp_tool_use")
_DELTAS: Final[Mapping[str, tuple[str, ...]]] = {
    "text_delta": ("text",),
    "citations_delta": ("text",),
    "thinking_delta": ("thinking",),
    "signature_delta": ("thinking",),
    "input_json_delta": _USES,
    "compaction_delta": ("compaction",),
}
"""The blocks that each delta may be in. Other deltas are new, and their blocks are unknown."""

_CUT: Final = ("max_tokens", "model_context_window_exceeded", "refusal", "pause_turn")
"""Stop reasons of an answer that may have an unfinished block, or a call that must not be run."""


def strict(response: ReceivedResponse) -> Iterator[Finding]:
    """``Wire.strict``."""
    problems: list[Finding] = []
    if not response.refused and SSE.is_stream(response.content_type):
        events = numbered_events(response, problems)
        yield from problems
        yield from named_events(events)
        yield from _stream(events, response)
        return
    body = body_of(response, problems, rules.ERROR if response.refused else READABLE)
    yield from problems
    if body is not None and (response.refused or body.get("type") == "error"):
        yield from _error(BODY, body)
    elif body is not None:
        yield from _document(body, response)


def _error(at: str, body: Json) -> Iterator[Finding]:
    error = members(body.get("error"))
    if body.get("type") != "error" or not (string(error.get("type")) and isinstance(error.get("message"), str)):
        yield rules.ERROR.broken(at, expected="type error, error.type and error.message", got=shown(body))


# --- blocks -----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _StrictBlock:
    """A block, put together from its start and its deltas."""

    at: str
    native: Json
    texts: list[str] = field(default_factory=list)
    inputs: list[str] | None = None
    signed: bool = False
    stopped: bool = True

    @property
    def kind(self) -> str:
        return string(self.native.get("type"))

    @property
    def text(self) -> str:
        return string(self.native.get("text")) + "".join(self.texts)

    @property
    def input(self) -> str | None:
        """The JSON text of its arguments; None if none came."""
        if self.inputs is not None:
            return "".join(self.inputs) or "{}"
        return compact(self.native["input"]) if self.native.get("input") else None

    @property
    def is_by_code(self) -> bool:
        """Whether code on the server has made the call."""
        return string(members(self.native.get("caller")).get("type")).startswith("code_execution")


def _blocks(blocks: list[_StrictBlock], stop: str, response: ReceivedResponse, *, whole: bool) -> Iterator[Finding]:
    """Checks the blocks of an answer when all of them have come. ``stop`` is empty if it was cut off."""
    for block in blocks:
        cut = block is blocks[-1] and (stop in _CUT or not stop)
        yield from _block(block, response, cut=cut, whole=whole)
    # Code on the server goes on by itself when its calls are answered, so a turn with them may end in any way.
    calls = [block for block in blocks if block.kind == "tool_use" and not block.is_by_code]
    if calls and stop and stop not in ("tool_use", *_CUT):
        yield rules.STOP_REASON.broken(calls[0].at, expected="stop_reason tool_use", got=stop)
    yield from _ids(blocks, response)


def _block(block: _StrictBlock, response: ReceivedResponse, *, cut: bool, whole: bool) -> Iterator[Finding]:
    if not block.kind:
        yield rules.NO_BLOCK.broken(block.at, expected="a block with a type", got=shown(block.native))
    if block.kind in ("text", "thinking") and not isinstance(block.native.get(block.kind), str):
        got = shown(block.native.get(block.kind))
        yield rules.NO_BLOCK.broken(block.at, expected="text", got=got)
    if block.kind == "text" and not block.text and not cut:
        yield rules.EMPTY_TEXT.broken(block.at, expected="text", got="an empty block")
    if block.kind == "thinking" and not (block.signed or string(block.native.get("signature")) or cut):
        level = response.unsigned_level("thinking signature")
        yield rules.SIGNATURE.broken(block.at, expected="a signature", got="none", level=level)
    if block.kind == "tool_use" and not cut:
        yield from _input(block, whole=whole)


def _input(block: _StrictBlock, *, whole: bool) -> Iterator[Finding]:
    if whole:
        if not isinstance(block.native.get("input"), dict):
            yield rules.INPUT.broken(block.at, expected="an object", got=shown(block.native.get("input")))
    elif block.input is None:
        yield rules.INPUT.broken(block.at, expected="the arguments in input_json_delta", got="none")
    elif not is_object_text(block.input):
        yield rules.INPUT.broken(block.at, expected="a JSON object", got=shown(block.input))


def _ids(blocks: list[_StrictBlock], response: ReceivedResponse) -> Iterator[Finding]:
    calls = [block for block in blocks if block.kind == "tool_use"]
    for block in calls:
        call_id = block.native.get("id")
        if not (isinstance(call_id, str) and _CALL_ID.fullmatch(call_id)):
            yield rules.CALL_ID.broken(block.at, expected="letters, digits, _ and -", got=shown(call_id))
        elif call_id in response.earlier_ids:
            yield rules.CALL_ID.broken(block.at, expected="an id that no earlier call has", got=call_id)
    for each in repeated_ids([string(block.native.get("id")) for block in calls]):
        yield rules.CALL_ID.broken(calls[0].at, expected="an id for each call", got=f"{each} more than once")
    for block in blocks:
        server_id = string(block.native.get("id"))
        if block.kind == "server_tool_use" and not server_id.startswith("srvtoolu_"):
            yield rules.SERVER_TOOL.broken(block.at, expected="an id with srvtoolu_", got=shown(server_id))


def _container(blocks: list[_StrictBlock], holders: list[Json]) -> Iterator[Finding]:
    """Checks the container. ``holders`` are the objects of an answer that may name it."""
    called = [block for block in blocks if block.kind == "tool_use" and block.is_by_code]
    if called and not any(members(holder.get("container")).get("id") for holder in holders):
        yield rules.CONTAINER.broken(called[0].at, expected="the id of the container", got="none")


# --- a document -------------------------------------------------------------------------------------------------


def _document(body: Json, response: ReceivedResponse) -> Iterator[Finding]:
    if body.get("type") != "message" or not isinstance(body.get("content"), list):
        yield rules.START.broken(BODY, expected="type message, and a list of content", got=shown(body))
    stop = string(body.get("stop_reason"))
    if not stop or not isinstance(members(body.get("usage")).get("output_tokens"), int):
        got = f"stop_reason {shown(body.get('stop_reason'))}, usage {shown(body.get('usage'))}"
        yield rules.END.broken(BODY, expected="stop_reason and usage", got=got)
    blocks = [_StrictBlock(f"content[{number}]", each) for number, each in enumerate(objects(body.get("content")))]
    yield from _blocks(blocks, stop, response, whole=True)
    yield from _container(blocks, [body])


# --- a stream ---------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _StrictMessage:
    """What a stream has brought so far."""

    started: bool = False
    stopped: bool = False
    failed: bool = False
    stop: str = ""
    deltas: int = 0
    counted_input: bool = False
    blocks: list[_StrictBlock] = field(default_factory=list)
    open: _StrictBlock | None = None
    holders: list[Json] = field(default_factory=list)
    numbered: int = 0
    before: list[_StrictBlock] = field(default_factory=list)
    """Blocks that are already in the start of the message."""

    def feed(self, event: NumberedEvent) -> Iterator[Finding]:
        kind = event.kind
        if kind == "ping":
            return
        if self.stopped:
            yield rules.END.broken(event.at(), expected="nothing behind message_stop", got=kind)
        if kind == "error":
            self.failed = True
            yield from _error(event.at(), event.data)
        elif kind != "message_start" and not self.started:
            yield rules.START.broken(event.at(), expected="message_start first", got=kind)
            self.started = True
        handler = _HANDLERS.get(kind)
        if handler is not None:
            yield from handler(self, event)

    def start(self, event: NumberedEvent) -> Iterator[Finding]:
        """Take ``message_start``."""
        if self.started:
            yield rules.START.broken(event.at(), expected="one message_start", got="another")
        self.started = True
        message = members(event.data.get("message"))
        self.holders.append(message)
        self.stop = string(message.get("stop_reason"))
        self.counted_input = _counts_input(message.get("usage"))
        self.before = [_StrictBlock(event.at("content"), each) for each in objects(message.get("content"))]

    def begin(self, event: NumberedEvent) -> Iterator[Finding]:
        """Take ``content_block_start``."""
        index = event.data.get("index")
        if index != self.numbered:
            yield rules.BLOCK.broken(event.at("index"), expected=str(self.numbered), got=shown(index))
        if self.open is not None:
            yield rules.BLOCK.broken(event.at(), expected="content_block_stop of the block before", got="another block")
        self.numbered = index + 1 if isinstance(index, int) else self.numbered + 1
        block = _StrictBlock(event.at(), members(event.data.get("content_block")), stopped=False)
        self.open = block
        self.blocks.append(block)

    def delta(self, event: NumberedEvent) -> Iterator[Finding]:
        """Take ``content_block_delta``."""
        if self.open is None or event.data.get("index") != self.numbered - 1:
            got = f"a delta of block {shown(event.data.get('index'))}"
            yield rules.BLOCK.broken(event.at("index"), expected="a delta of the open block", got=got)
            return
        delta = members(event.data.get("delta"))
        kind = string(delta.get("type"))
        if self.open.kind not in _DELTAS.get(kind, (self.open.kind,)):
            yield rules.DELTA.broken(event.at(), expected=f"a delta of {self.open.kind}", got=kind or shown(delta))
            return
        if self.open.signed and kind == "thinking_delta":
            yield rules.SIGNATURE.broken(event.at(), expected="the signature last", got=kind)
        _take(self.open, kind, delta)

    def end_block(self, event: NumberedEvent) -> Iterator[Finding]:
        """Take ``content_block_stop``."""
        if self.open is None or event.data.get("index") != self.numbered - 1:
            got = f"the stop of block {shown(event.data.get('index'))}"
            yield rules.BLOCK.broken(event.at("index"), expected="the stop of the open block", got=got)
        if self.open is not None:
            self.open.stopped = True
        self.open = None

    def end(self, event: NumberedEvent) -> Iterator[Finding]:
        """Take ``message_delta``."""
        delta, usage = members(event.data.get("delta")), members(event.data.get("usage"))
        self.deltas += 1
        if self.open is not None:
            yield rules.BLOCK.broken(event.at(), expected="content_block_stop of the block before", got="message_delta")
        self.stop = string(delta.get("stop_reason"))
        self.holders.append(delta)
        self.counted_input = self.counted_input or _counts_input(usage)
        if not self.stop or not isinstance(usage.get("output_tokens"), int):
            got = f"{shown(delta.get('stop_reason'))}, usage {shown(event.data.get('usage'))}"
            yield rules.END.broken(event.at(), expected="stop_reason and usage.output_tokens", got=got)

    def finish(self, event: NumberedEvent) -> Iterator[Finding]:
        """Take ``message_stop``."""
        self.stopped = True
        if not (self.deltas or self.stop):
            yield rules.END.broken(event.at(), expected="message_delta before it", got="none")

    def rest(self) -> Iterator[Finding]:
        """Reports what is missing when the stream has ended."""
        if self.failed:
            return
        if not self.stopped:
            yield rules.END.broken("the end", expected="message_stop", got="the stream ends without it")
        if self.deltas > 1:
            yield rules.END.broken("the end", expected="one message_delta", got=str(self.deltas))
        if not self.counted_input:
            yield rules.END.broken("the end", expected="input_tokens", got="none", level="SHOULD")


def _counts_input(usage: Any) -> bool:
    counts = members(usage)
    names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    return any(isinstance(counts.get(name), int) and counts[name] > 0 for name in names)


def _take(block: _StrictBlock, kind: str, delta: Json) -> None:
    if kind == "signature_delta":
        block.signed = bool(delta.get("signature"))
    elif kind == "input_json_delta":
        block.inputs = [*(block.inputs or ()), string(delta.get("partial_json"))]
    elif kind == "text_delta":
        block.texts.append(string(delta.get("text")))


_HANDLERS: Final = {
    "message_start": _StrictMessage.start,
    "content_block_start": _StrictMessage.begin,
    "content_block_delta": _StrictMessage.delta,
    "content_block_stop": _StrictMessage.end_block,
    "message_delta": _StrictMessage.end,
    "message_stop": _StrictMessage.finish,
}


def _stream(events: list[NumberedEvent], response: ReceivedResponse) -> Iterator[Finding]:
    message = _StrictMessage()
    for event in events:
        yield from message.feed(event)
    yield from message.rest()
    yield from _blocks(message.before, message.stop, response, whole=True)
    yield from _blocks(message.blocks, message.stop, response, whole=False)
    yield from _container([*message.before, *message.blocks], message.holders)
