"""Read a response body, streamed or not, complete or cut anywhere, as the model's reply."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from harness.ground.bounded_json import loads
from harness.wire.base import Json, Reply
from harness.wire.bedrock_converse.blocks import MALFORMED, is_call, parts_of, stop_of, usage_of
from harness.wire.bedrock_converse.errors import error_of, message_of
from harness.wire.bedrock_converse.stream import EVENT_STREAM, events
from harness.wire.characters import joined
from harness.wire.content_blocks import call_input
from harness.wire.json_text import compact
from harness.wire.lenient import members, objects, string
from harness.wire.sse import SSE, parse_events
from harness.wire.turn import StreamError, Turn
from harness.wire.wrong_shapes import refusing_wrong_shapes

_NAME = "bedrock-converse"


def begins_answer(document: Json) -> bool:
    """Whether a JSON object is a whole answer, or the event with which a streamed one begins."""
    if list(document) == ["messageStart"]:
        return members(document["messageStart"]).get("role") == "assistant"
    message = members(members(document.get("output")).get("message"))
    return isinstance(message.get("content"), list) and "stopReason" in document


@refusing_wrong_shapes
def parse(content_type: str, body: bytes) -> Reply:
    """The reply that a response body says.

    A cut body gives what had arrived, with ``complete`` False and ``turn.ending`` ``eof``. An exception in a stream,
    and the document of an error, become ``turn.error``. Raises ``ValueError`` when the body is neither.
    """
    if EVENT_STREAM.is_stream(content_type) or (not content_type and body[:1] == b"\x00"):
        return _parse_stream(event for _, event in events(body))  # a frame is shorter than 16 MB: its length begins so
    if SSE.is_stream(content_type):
        return _parse_stream(_as_server_events(body))
    if body.lstrip()[:1] not in (b"{", b""):
        raise ValueError(f"neither an AWS event stream nor a JSON object: {content_type or 'no content type'}")
    return _parse_document(body)


# --- a stream -----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _BlockPieces:
    """A block that is still arriving: its native form, and the pieces of its texts by what they are."""

    native: Json = field(default_factory=dict)
    pieces: dict[str, list[str]] = field(default_factory=dict)
    citations: list[Any] = field(default_factory=list)

    def add(self, delta: Json) -> None:
        for kind, payload in delta.items():
            if kind == "text":
                self._piece("text", payload)
            elif kind == "toolUse":
                self._piece("input", payload.get("input"))
            elif kind == "reasoningContent":
                self._reasoning(payload)
            elif kind == "citation":
                self.citations.append(payload)
            elif kind == "toolResult":
                self.native.setdefault("toolResult", {}).setdefault("content", []).extend(objects(payload))
            elif kind == "image":
                self.native.setdefault("image", {}).update(payload)

    def _reasoning(self, payload: Json) -> None:
        if "redactedContent" in payload:
            self._piece("redacted", payload["redactedContent"])
        for member in ("text", "signature"):
            if member in payload:
                self._piece(f"reasoning {member}", payload[member])

    def _piece(self, name: str, text: Any) -> None:
        if isinstance(text, str):
            self.pieces.setdefault(name, []).append(text)

    def finish(self) -> tuple[Json, str | None]:
        """The whole block, and a call's arguments text as it was streamed."""
        texts = {name: joined("".join(pieces)) for name, pieces in self.pieces.items()}
        if "toolUse" in self.native:
            arguments = texts.get("input", "")
            return {"toolUse": {**self.native["toolUse"], "input": call_input(arguments)}}, arguments
        if "redacted" in texts:
            return {"reasoningContent": {"redactedContent": texts["redacted"]}}, None
        if "reasoning text" in texts or "reasoning signature" in texts:
            signed = {"signature": texts["reasoning signature"]} if "reasoning signature" in texts else {}
            return {"reasoningContent": {"reasoningText": {"text": texts.get("reasoning text", ""), **signed}}}, None
        if self.citations:
            cited = {"content": [{"text": texts.get("text", "")}], "citations": self.citations}
            return {"citationsContent": cited}, None
        return (self.native or {"text": texts.get("text", "")}), None


class _ReceivedFrames:
    """What the events so far have said."""

    def __init__(self) -> None:
        self.usage: Json = {}
        self.reason: str | None = None
        self.error: StreamError | None = None
        self.complete = False
        self.blocks: list[_BlockPieces] = []
        self._open: dict[Any, _BlockPieces] = {}

    def feed(self, event: Json) -> None:
        ((kind, payload),) = event.items()
        if kind == "contentBlockDelta":
            self._block(payload.get("contentBlockIndex")).add(members(payload.get("delta")))
        elif kind == "contentBlockStart":
            started = members(payload.get("start"))
            self._block(payload.get("contentBlockIndex")).native.update(
                {name: dict(members(value)) for name, value in started.items()}
            )
        elif kind == "contentBlockStop":
            self._open.pop(payload.get("contentBlockIndex"), None)
        elif kind == "messageStop":
            self.reason, self.complete = payload.get("stopReason"), True
        elif kind == "metadata":
            self.usage = members(payload.get("usage"))
        elif kind.endswith("Exception") or kind[:1].isupper():
            self.error = error_of(kind, payload)

    def _block(self, index: Any) -> _BlockPieces:
        """The open block with this index. A text or reasoning block has no event that opens it."""
        if index not in self._open:
            self._open[index] = _BlockPieces()
            self.blocks.append(self._open[index])
        return self._open[index]

    def reply(self) -> Reply:
        finished = [block.finish() for block in self.blocks]
        blocks = [block for block, _ in finished]
        return _reply(blocks, [text for _, text in finished], self.reason, self.usage, self.error, done=self.complete)


def _as_server_events(body: bytes) -> Iterator[Json]:
    """The same events where somebody has put them into server-sent ones, as some recordings do."""
    for event in parse_events(body):
        data = loads(event.data)
        if isinstance(data, dict) and len(data) == 1:
            yield data


def _parse_stream(events: Iterable[Json]) -> Reply:
    stream = _ReceivedFrames()
    for event in events:
        stream.feed(event)
        if stream.error is not None:
            break
    return stream.reply()


def _reply(
    blocks: list[Json],
    arguments: list[str | None],
    reason: str | None,
    usage: Json,
    error: StreamError | None,
    *,
    done: bool,
) -> Reply:
    if error is None and reason in MALFORMED:
        error = StreamError("server_error", f"the answer stopped with {reason}")
    complete = done and error is None
    turn = Turn(
        parts=parts_of(blocks, arguments),
        stop=stop_of(reason),
        usage=usage_of(usage),
        error=error,
        ending="complete" if complete or error else "eof",
    )
    return Reply(_NAME, "", "", tuple(blocks), turn, complete)


# --- a document ---------------------------------------------------------------------------------------------


def _parse_document(body: bytes) -> Reply:
    try:
        answer = loads(body)
    except ValueError:
        # A document that begins like one and is none was cut: nothing of it can be used.
        return _reply([], [], None, {}, None, done=False)
    if error := message_of(answer):
        return _reply([], [], None, {}, error, done=False)
    message = answer["output"]["message"]
    blocks = objects(message.get("content"))
    arguments = [compact(members(block["toolUse"]).get("input", {})) if is_call(block) else None for block in blocks]
    return _reply(blocks, arguments, string(answer.get("stopReason")), members(answer.get("usage")), None, done=True)
