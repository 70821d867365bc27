"""The strict reader of Converse and ConverseStream: frames, the order of events, and what the blocks must have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from harness.finding import Finding
from harness.wire.bedrock_converse import response_rules as rules
from harness.wire.bedrock_converse.stream import EVENT_STREAM, events
from harness.wire.json_text import compact
from harness.wire.lenient import Json, members, objects, string
from harness.wire.response_rule import ReceivedResponse
from harness.wire.strict import BODY, ENVELOPE, READABLE, body_of, is_object_text, repeated_ids, shown

_CALL: Final = "toolUse"
_WHOLE: Final = ("end_turn", "tool_use", "stop_sequence")


def strict(response: ReceivedResponse) -> Iterator[Finding]:
    """``Wire.strict``."""
    if not response.refused and EVENT_STREAM.is_stream(response.content_type):
        yield from _stream(response)
        return
    problems: list[Finding] = []
    body = body_of(response, problems, ENVELOPE if response.refused else READABLE)
    yield from problems
    if body is not None and response.refused:
        if not any(isinstance(body.get(name), str) for name in ("message", "Message")):
            yield ENVELOPE.broken(BODY, expected="message", got=shown(body))
    elif body is not None:
        yield from _document(body, response)


@dataclass(slots=True)
class _StrictContent:
    """A block that is put together. ``call`` is its toolUse without the input, or None if it is no call."""

    at: str
    index: object = None
    call: Json | None = None
    input: str = ""
    reasons: bool = False
    signed: bool = False


def _blocks(blocks: list[_StrictContent], stop: str, response: ReceivedResponse) -> Iterator[Finding]:
    """Checks the blocks when all of them have come. ``stop`` is empty if the answer was cut off."""
    calls = [block for block in blocks if block.call is not None]
    for block in calls:
        name = (block.call or {}).get("name")
        if not string(name) or (stop in _WHOLE and not is_object_text(block.input or "{}")):
            yield rules.INPUT.broken(
                block.at, expected="a name, and a JSON object", got=f"{name}, {shown(block.input)}"
            )
    # Tools that run on the server are marked so, and the turn goes on behind them.
    own = [block for block in calls if (block.call or {}).get("type") in (None, "tool_use")]
    if own and stop in ("end_turn", "stop_sequence"):
        yield rules.STOP_REASON.broken(own[0].at, expected="stopReason tool_use", got=stop)
    for block in blocks:
        if block.reasons and not block.signed and stop in _WHOLE:
            yield rules.SIGNATURE.broken(block.at, expected="a signature", got="none")
    ids = [string((block.call or {}).get("toolUseId")) for block in calls]
    if not all(ids):
        yield rules.CALL_ID.broken(calls[0].at, expected="a toolUseId for each call", got="a call without one")
    for each in repeated_ids([each for each in ids if each]):
        yield rules.CALL_ID.broken(calls[0].at, expected="a toolUseId for each call", got=f"{each} more than once")
    for block, call_id in zip(calls, ids, strict=True):
        if call_id in response.earlier_ids:
            yield rules.CALL_ID.broken(block.at, expected="an id that no earlier call has", got=call_id)


def _document(body: Json, response: ReceivedResponse) -> Iterator[Finding]:
    message = members(members(body.get("output")).get("message"))
    stop = string(body.get("stopReason"))
    if not isinstance(message.get("content"), list) or not stop or not isinstance(body.get("usage"), dict):
        yield rules.END.broken(BODY, expected="output.message.content, stopReason and usage", got=shown(body))
    blocks = [_content(f"content[{number}]", each) for number, each in enumerate(objects(message.get("content")))]
    yield from _blocks(blocks, stop, response)


def _content(at: str, block: Json) -> _StrictContent:
    call = block.get(_CALL)
    reasoning = members(members(block.get("reasoningContent")).get("reasoningText"))
    return _StrictContent(
        at,
        call=members(call) if call is not None else None,
        input=compact(members(call).get("input", {})),
        reasons=bool(reasoning),
        signed=bool(reasoning.get("signature")),
    )


@dataclass(slots=True)
class _StrictFrames:
    """What a stream has brought so far."""

    started: bool = False
    failed: bool = False
    stop: str = ""
    counted: bool = False
    before: int = -1
    blocks: list[_StrictContent] = field(default_factory=list)
    open: _StrictContent | None = None

    def feed(self, at: str, kind: str, payload: Json) -> Iterator[Finding]:
        if kind.endswith("Exception") or kind[:1].isupper():
            self.failed = True
            return
        if (kind == "messageStart") == self.started:
            got = "another" if self.started else kind
            yield rules.START.broken(at, expected="messageStart first, and once", got=got)
        self.started = True
        if kind == "messageStart" and payload.get("role") != "assistant":
            yield rules.START.broken(at, expected="role assistant", got=shown(payload.get("role")))
        if kind.startswith("contentBlock"):
            if self.stop:
                yield rules.END.broken(at, expected="no block behind messageStop", got=kind)
            yield from self._block(at, kind, payload)
        elif kind == "messageStop":
            yield from self._stop(at, payload)
        elif kind == "metadata":
            self.counted = isinstance(payload.get("usage"), dict)
            if not self.stop:
                yield rules.END.broken(at, expected="messageStop before metadata", got="none")

    def _stop(self, at: str, payload: Json) -> Iterator[Finding]:
        if self.open is not None:
            yield rules.BLOCK.broken(at, expected="contentBlockStop before it", got="none")
        self.stop = string(payload.get("stopReason"))
        if not self.stop:
            yield rules.END.broken(at, expected="a stopReason", got=shown(payload.get("stopReason")))

    def _block(self, at: str, kind: str, payload: Json) -> Iterator[Finding]:
        index = payload.get("contentBlockIndex")
        if kind == "contentBlockStop":
            if self.open is None or self.open.index != index:
                yield rules.BLOCK.broken(at, expected="the stop of the open block", got=f"that of {shown(index)}")
            self.open = None
            return
        if self.open is None or self.open.index != index:
            yield from self._begin(at, index)
        block = self.open
        if block is not None and kind == "contentBlockStart":
            start = members(payload.get("start"))
            block.call = members(start[_CALL]) if _CALL in start else None
        elif block is not None:
            yield from _delta(at, block, members(payload.get("delta")))

    def _begin(self, at: str, index: object) -> Iterator[Finding]:
        if self.open is not None:
            yield rules.BLOCK.broken(at, expected="contentBlockStop of the block before", got=f"block {shown(index)}")
        if not isinstance(index, int) or index <= self.before:
            got = shown(index)
            yield rules.BLOCK.broken(at, expected=f"an index above {self.before}", got=got)
        self.before = index if isinstance(index, int) else self.before
        self.open = _StrictContent(at, index)
        self.blocks.append(self.open)


def _delta(at: str, block: _StrictContent, delta: Json) -> Iterator[Finding]:
    if (_CALL in delta) != (block.call is not None):
        expected = "a delta of toolUse" if block.call is not None else "contentBlockStart of a call before it"
        yield rules.DELTA.broken(at, expected=expected, got=shown(delta))
        return
    block.input += string(members(delta.get(_CALL)).get("input"))
    reasoning = members(delta.get("reasoningContent"))
    block.reasons = block.reasons or "text" in reasoning
    block.signed = block.signed or bool(reasoning.get("signature"))


def _stream(response: ReceivedResponse) -> Iterator[Finding]:
    received = _StrictFrames()
    number = 0
    try:
        for number, (_, event) in enumerate(events(response.body), 1):
            for kind, payload in event.items():
                yield from received.feed(f"frame {number} ({kind})", kind, members(payload))
    except ValueError as error:
        yield READABLE.broken(f"frame {number + 1}", expected="a whole frame", got=str(error))
    if not received.failed and not (received.stop and received.counted):
        got = "no messageStop" if not received.stop else "no metadata with usage"
        yield rules.END.broken("the end", expected="messageStop, then metadata", got=got)
    yield from _blocks(received.blocks, received.stop, response)
