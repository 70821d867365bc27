"""Recorded answers of Converse from their raw JSON: the blocks of a stream are put together by their indices."""

from __future__ import annotations

import json
from typing import Any

from harness.wire import FinishReason, Usage
from harness.wire.aws_events import AwsFrame, frames
from harness.wire.base import Json
from harness_lab.recorded.sessions.recorded_turn import BrokenResponse, RecordedCall, RecordedTurn, call_ids

_STOPS = {
    "tool_use": FinishReason.TOOL_CALLS,
    "max_tokens": FinishReason.MAX_TOKENS,
    "model_context_window_exceeded": FinishReason.MAX_TOKENS,
    "guardrail_intervened": FinishReason.CONTENT_FILTER,
    "content_filtered": FinishReason.REFUSAL,
}
_NEUTRAL = ("text", "reasoningContent", "citationsContent")
_STREAMED = "\0arguments"
"""The name under which a call's streamed arguments are kept until the stream has ended. No member has such a name."""


def recorded_turn(body: bytes, *, streamed: bool) -> RecordedTurn | BrokenResponse:
    """The answer of a body. One with an exception in it, or without its end, is broken."""
    if not streamed:
        answer = json.loads(body)
        return _turn(answer["output"]["message"]["content"], answer["stopReason"], answer.get("usage"))
    blocks: dict[int, Json] = {}
    end: Json = {}
    for kind, payload in map(_event, frames(body)):
        if kind == "contentBlockStart":
            blocks[payload["contentBlockIndex"]] = {name: dict(value) for name, value in payload["start"].items()}
        elif kind == "contentBlockDelta":
            _add(blocks.setdefault(payload["contentBlockIndex"], {}), payload["delta"])
        elif kind in ("messageStop", "metadata"):
            end |= payload
        elif kind not in ("messageStart", "contentBlockStop"):
            return BrokenResponse(payload.get("message") or kind)
    if "stopReason" not in end:
        return BrokenResponse("messageStop")
    return _turn(list(blocks.values()), end["stopReason"], end.get("usage"))


def returned(blocks: list[Json]) -> Any:
    """The blocks that go back: no empty text, nothing if all is white space, and no ``type`` of a client's call."""
    kept = [_untyped(block) for block in blocks if block.get("text", "-")]
    return [] if all(not block.get("text", "-").strip() for block in kept) else kept


def _event(frame: AwsFrame) -> tuple[str, Json]:
    names = (":exception-type", ":error-code", ":event-type")
    kind = next(frame.headers[name] for name in names if name in frame.headers)
    return kind, json.loads(frame.payload) if frame.payload else {"message": frame.headers.get(":error-message")}


def _add(block: Json, delta: Json) -> None:
    ((kind, piece),) = delta.items()
    if kind == "text":
        block["text"] = block.get("text", "") + piece
    elif kind == "toolUse":
        block["toolUse"][_STREAMED] = block["toolUse"].get(_STREAMED, "") + piece["input"]
    elif kind == "toolResult":
        block["toolResult"].setdefault("content", []).extend(piece)
    elif kind == "citation":
        block.setdefault("citations", []).append(piece)
    elif "redactedContent" in piece:
        block["reasoningContent"] = piece
    else:
        reasoning = block.setdefault("reasoningContent", {}).setdefault("reasoningText", {"text": ""})
        reasoning.update({name: reasoning.get(name, "") + text for name, text in piece.items()})


def _turn(content: list[Json], stop: str, counts: Json | None) -> RecordedTurn:
    texts = [block["toolUse"].get(_STREAMED) for block in content if _is_call(block)]
    blocks = [_whole(block) for block in content]
    calls = [block["toolUse"] for block in blocks if _is_call(block)]
    reasoning = [block["reasoningContent"] for block in blocks if "reasoningContent" in block]
    signed = [each.get("reasoningText", {}).get("signature") or each.get("redactedContent") for each in reasoning]
    ids = call_ids(call["toolUseId"] for call in calls)
    return RecordedTurn(
        text="".join(map(_text, blocks)),
        thinking="".join(each.get("reasoningText", {}).get("text", "") for each in reasoning),
        refusal="",
        calls=tuple(
            RecordedCall(id_, call["name"], call["input"] if text is None else text)
            for id_, call, text in zip(ids, calls, texts, strict=True)
        ),
        stop=_STOPS.get(stop, FinishReason.END),
        usage=_usage(counts),
        returned=returned(blocks),
        signed=sum(1 for each in signed if each),
        other=sum(1 for block in blocks if not _is_call(block) and next(iter(block)) not in _NEUTRAL),
    )


def _whole(block: Json) -> Json:
    """A block as it goes back: the arguments of a call become an object, and cited text is no text of its own."""
    if "citations" in block:
        return {"citationsContent": {"content": [{"text": block.get("text", "")}], "citations": block["citations"]}}
    if "toolUse" not in block or _STREAMED not in block["toolUse"]:
        return block
    called = {name: value for name, value in block["toolUse"].items() if name != _STREAMED}
    return {"toolUse": {**called, "input": _object(block["toolUse"][_STREAMED])}}


def _object(arguments: str) -> Json:
    """Arguments that are no JSON object go back under ``INVALID_JSON``."""
    try:
        value = json.loads(arguments or "{}")
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {"INVALID_JSON": arguments}


def _is_call(block: Json) -> bool:
    """Whether a call is for the client; a server's call has a type that marks it."""
    return "toolUse" in block and block["toolUse"].get("type") != "server_tool_use"


def _untyped(block: Json) -> Json:
    if not _is_call(block):
        return block
    return {"toolUse": {name: value for name, value in block["toolUse"].items() if name != "type"}}


def _text(block: Json) -> str:
    cited = "".join(each["text"] for each in block.get("citationsContent", {}).get("content", ()))
    return str(block.get("text", cited))


def _usage(counts: Json | None) -> Usage | None:
    """The usage. Cached and cache-writing tokens are counted in addition to the input."""
    if not counts:
        return None
    cached = counts.get("cacheReadInputTokens") or 0
    return Usage(
        input=counts["inputTokens"] + cached + (counts.get("cacheWriteInputTokens") or 0),
        output=counts["outputTokens"],
        cached=cached,
    )
