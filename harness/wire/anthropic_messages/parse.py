"""Read a response body, streamed or not, complete or cut anywhere, as the model's reply."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from harness.ground.bounded_json import loads
from harness.wire.anthropic_messages.blocks import parts_of, stop_of, usage_of
from harness.wire.anthropic_messages.errors import stream_error
from harness.wire.aws_events import AWS_EVENTS, as_server_events
from harness.wire.base import Json, Reply
from harness.wire.characters import joined
from harness.wire.content_blocks import call_input
from harness.wire.json_text import compact
from harness.wire.lenient import members, objects, string
from harness.wire.sse import parse_events
from harness.wire.turn import StreamError, Turn
from harness.wire.wrong_shapes import refusing_wrong_shapes


def begins_answer(document: Json) -> bool:
    """Whether a JSON object is a whole message of the model, or the event that opens a streamed one."""
    if document.get("type") == "message_start":
        return begins_answer(members(document.get("message")))
    is_message = document.get("type") == "message" and document.get("role") == "assistant"
    return is_message and isinstance(document.get("content"), list)


@refusing_wrong_shapes
def parse(content_type: str, body: bytes) -> Reply:
    """The reply that a response body says.

    A cut body gives what had arrived, with ``complete`` False and ``turn.ending`` ``eof``. An ``error`` event or
    document becomes ``turn.error``. Raises ``ValueError`` when the body is neither an event stream nor JSON.
    """
    media = content_type.partition(";")[0].strip().lower()
    if media == AWS_EVENTS:
        return _parse_stream(as_server_events(body))
    start = body.lstrip()[:1]
    if media == "text/event-stream" or (not media and start in (b"e", b"d", b":")):
        return _parse_stream(body)
    if start not in (b"{", b""):
        raise ValueError(f"neither an event stream nor a JSON object: {content_type or 'no content type'}")
    return _parse_document(body)


@dataclass(slots=True)
class _Block:
    """A block that is still arriving: its native form, and the text of its deltas by member.

    ``thought`` are pieces of thinking that came in a block of text. They are said, and nobody can send them back.
    """

    native: Json
    streamed: dict[str, list[str]] = field(default_factory=dict)
    thought: list[str] = field(default_factory=list)

    def add(self, member: str, piece: Any) -> None:
        if isinstance(piece, str):
            self.streamed.setdefault(member, []).append(piece)

    def finish(self) -> tuple[Json, str | None]:
        """The whole block, and a call's arguments text as it was streamed."""
        texts = {member: joined("".join(pieces)) for member, pieces in self.streamed.items()}
        arguments = texts.pop("partial_json", "")
        for member, text in texts.items():
            self.native[member] = (self.native.get(member) or "") + text
        if not arguments and self.native.get("input"):
            # A server that does not stream arguments sends the whole input with the start of the block.
            return self.native, None
        if "input" in self.native or self.native.get("type") == "tool_use":
            self.native["input"] = call_input(arguments)
        return self.native, arguments


class _ReceivedEvents:
    """What the events so far have said."""

    def __init__(self) -> None:
        self.id = ""
        self.model = ""
        self.usage: Json = {}
        self.stop_reason: str | None = None
        self.container = ""
        self.error: StreamError | None = None
        self.complete = False
        self.blocks: list[_Block] = []
        self._open: dict[Any, _Block] = {}

    def feed(self, event: Json) -> None:
        kind = event.get("type")
        if kind == "content_block_delta":
            self._delta(event)
        elif kind == "content_block_start" and isinstance(event.get("content_block"), dict):
            block = _Block(event["content_block"])
            self.blocks.append(block)
            self._open[event.get("index")] = block
        elif kind == "message_start" and isinstance(event.get("message"), dict):
            self._start(event["message"])
        elif kind == "message_delta":
            delta = event.get("delta") or {}
            self.stop_reason = delta.get("stop_reason")
            self.container = _container(delta) or self.container
            self._count(event.get("usage"))
        elif kind == "message_stop":
            self.complete = True
        elif kind == "error":
            self.error = stream_error(event)

    def _start(self, message: Json) -> None:
        self.id, self.model = str(message.get("id") or ""), str(message.get("model") or "")
        self.stop_reason = message.get("stop_reason")
        self.container = _container(message)
        self._count(message.get("usage"))
        # Calls that code on the server makes come whole, with the start of their message.
        self.blocks += [_Block(block) for block in message.get("content") or () if isinstance(block, dict)]

    def _count(self, usage: Any) -> None:
        # The counts of message_delta are totals, not increments.
        if isinstance(usage, dict):
            self.usage |= {name: count for name, count in usage.items() if count is not None}

    def _delta(self, event: Json) -> None:
        block, delta = self._open.get(event.get("index")), event.get("delta")
        if block is None or not isinstance(delta, dict):
            return
        kind = delta.get("type")
        if kind == "signature_delta":
            block.native["signature"] = delta.get("signature", "")
        elif kind == "citations_delta":
            block.native["citations"] = [*(block.native.get("citations") or ()), delta.get("citation")]
        elif kind == "compaction_delta":
            block.native |= {name: value for name, value in delta.items() if name != "type"}
        else:
            for member in ("text", "thinking", "partial_json"):
                block.add(member, delta.get(member))
            if block.native.get("type") == "text" and (pieces := block.streamed.pop("thinking", None)):
                block.thought += pieces

    def reply(self) -> Reply:
        blocks: list[Json] = []
        spoken: list[tuple[Json, str | None]] = []
        for block in self.blocks:
            native, arguments = block.finish()
            if block.thought:
                spoken.append(({"type": "thinking", "thinking": joined("".join(block.thought))}, None))
            if not block.thought or native.get("text"):
                blocks.append(native)
                spoken.append((native, arguments))
        done = self.complete and self.error is None
        turn = Turn(
            parts=parts_of([block for block, _ in spoken], [arguments for _, arguments in spoken]),
            stop=stop_of(self.stop_reason),
            usage=usage_of(self.usage),
            error=self.error,
            ending="complete" if done or self.error else "eof",
        )
        return Reply("anthropic-messages", self.id, self.model, tuple(blocks), turn, done, self.container)


def _container(holder: Json) -> str:
    container = holder.get("container")
    return string(container.get("id")) if isinstance(container, dict) else ""


def _parse_stream(body: bytes) -> Reply:
    stream = _ReceivedEvents()
    for event in parse_events(body):
        try:
            data = loads(event.data)
        except ValueError as error:
            raise ValueError(f"an event whose data is no JSON: {event.data[:80]!r}") from error
        if isinstance(data, dict):
            stream.feed(data)
        if stream.error is not None:
            break
    return stream.reply()


def _parse_document(body: bytes) -> Reply:
    try:
        message = loads(body)
    except ValueError:
        # A document that begins like one and is none was cut: nothing of it can be used.
        return Reply("anthropic-messages", "", "", (), Turn(usage=usage_of({}), ending="eof"), False)
    if message.get("type") == "error":
        return Reply("anthropic-messages", "", "", (), Turn(usage=usage_of({}), error=stream_error(message)), False)
    blocks = objects(message.get("content"))
    arguments = [compact(block["input"]) if "input" in block else None for block in blocks]
    turn = Turn(
        parts=parts_of(blocks, arguments),
        stop=stop_of(message.get("stop_reason")),
        usage=usage_of(message.get("usage") or {}),
    )
    return Reply(
        "anthropic-messages",
        str(message.get("id") or ""),
        str(message.get("model") or ""),
        tuple(blocks),
        turn,
        container=_container(message),
    )
