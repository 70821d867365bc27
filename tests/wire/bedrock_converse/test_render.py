"""Answers in both forms: the wire reads back what it writes, and boto3 reads the same."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from harness.wire import Conversation, Identity, StreamError, Text, ThinkingPart, Turn, wire
from harness.wire.aws_events import frames, in_frame
from harness.wire.bedrock_converse.stream import event as framed
from harness.wire.chunking import CHUNKINGS, chunks
from harness.wire.turn import Deltas
from tests.sdks import needs
from tests.wire.bedrock_converse.sdk import MODEL, events_of, speaking
from tests.wire.spoken import TURNS
from tests.wire.spoken import rendered as rendered_by

WIRE = wire("bedrock-converse")

rendered = partial(rendered_by, WIRE.name)


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("name", ["thinking", "silent"])
def test_reasoning_keeps_its_form(name: str, stream: bool) -> None:
    read = rendered(TURNS[name], stream=stream).reply.turn.parts
    assert [part.form for part in read if isinstance(part, ThinkingPart)] == [
        part.form for part in TURNS[name].parts if isinstance(part, ThinkingPart)
    ]


@pytest.mark.parametrize("chunking", CHUNKINGS)
def test_events_are_read_from_pieces_of_any_size(chunking: Any) -> None:
    answer = rendered(TURNS["calls"], stream=True)
    reader = WIRE.transport.reader()
    read = [event for piece in chunks(answer.frames, chunking, seed=1) for event in reader.feed(piece)]
    assert read == list(WIRE.transport.events(answer.body))
    assert [event.event for event in read][:2] == ["messageStart", "contentBlockDelta"]
    assert [event.event for event in read][-2:] == ["messageStop", "metadata"]


@pytest.mark.parametrize("size", [1, 7, 50, 10_000])
def test_behind_a_frame_that_cannot_be_read_nothing_is_however_the_bytes_are_cut(size: int) -> None:
    broken = in_frame({":event-type": "messageStart", ":message-type": "event"}, b'{"role":')
    body = framed("messageStart", {"role": "assistant"}) + broken + framed("messageStop", {"stopReason": "end_turn"})
    reader = WIRE.transport.reader()
    read = [each.event for at in range(0, len(body), size) for each in reader.feed(body[at : at + size])]
    assert read == ["messageStart"]


def test_a_text_has_no_start_and_each_payload_has_padding() -> None:
    read = list(frames(rendered(TURNS["calls"], stream=True).body))
    starts = [json.loads(each.payload) for each in read if each.headers[":event-type"] == "contentBlockStart"]
    assert [start["start"]["toolUse"]["name"] for start in starts] == ["read_file", "list_files"]
    assert {start["start"]["toolUse"]["type"] for start in starts} == {"tool_use"}
    lengths = {len(json.loads(each.payload)["p"]) for each in read}
    assert min(lengths) >= 2
    assert max(lengths) <= 61
    assert len(lengths) > 5


@pytest.mark.parametrize("stream", [True, False])
def test_the_bytes_of_redacted_thinking_are_text_as_in_all_recordings(stream: bool) -> None:
    """What the Messages API has as base64 is sent as base64 of that; pydantic-ai reads the bytes as UTF-8."""
    turn = Turn((ThinkingPart(form="redacted"),))
    (part,) = rendered(turn, stream=stream).reply.turn.parts
    text = base64.b64decode(part.signature, validate=True).decode("ascii")
    assert base64.b64decode(text, validate=True)
    assert part.signature.startswith("RX")


# --- read by the SDK --------------------------------------------------------------------------------------------

with_boto3 = needs("boto3", "boto3 is not installed")


def _blocks(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The blocks that boto3's events say, as a client joins them."""
    blocks: dict[int, dict[str, Any]] = {}
    for event in events:
        if start := event.get("contentBlockStart"):
            blocks[start["contentBlockIndex"]] = {"toolUse": {**start["start"]["toolUse"], "input": ""}}
        elif delta := event.get("contentBlockDelta"):
            _join(blocks.setdefault(delta["contentBlockIndex"], {}), delta["delta"])
    return [block for _, block in sorted(blocks.items())]


def _join(into: dict[str, Any], delta: dict[str, Any]) -> None:
    for name, value in delta.items():
        if isinstance(value, dict):
            _join(into.setdefault(name, {}), value)
        else:
            into[name] = into.get(name, value[:0]) + value


def _as_sdk(block: dict[str, Any], *, stream: bool) -> dict[str, Any]:
    """A native block as boto3 says it: bytes are bytes, and streamed reasoning has no member around its text."""
    if "toolUse" in block and stream:
        return {"toolUse": {**block["toolUse"], "input": block["toolUse"]["input"]}}
    if "reasoningContent" in block:
        reasoning = block["reasoningContent"]
        if "redactedContent" in reasoning:
            return {"reasoningContent": {"redactedContent": base64.b64decode(reasoning["redactedContent"])}}
        if stream:
            return {"reasoningContent": {name: text for name, text in reasoning["reasoningText"].items() if text}}
    return block


@with_boto3
@pytest.mark.parametrize("deltas", ["whole", "token", "character"])
@pytest.mark.parametrize("name", [name for name in TURNS if name != "nothing"])
def test_boto3_reads_a_stream_as_the_wire_does(name: str, deltas: Deltas) -> None:
    turn = replace(TURNS[name], deltas=deltas)
    answers: list[Any] = []

    def answer(asked: Conversation) -> Any:
        answers.append(WIRE.render(turn, Identity("a case"), asked))
        return answers[-1]

    events = events_of(speaking(answer))
    read = _blocks(events)
    for block in read:
        if "toolUse" in block:
            block["toolUse"]["input"] = json.loads(block["toolUse"]["input"] or "{}")
    assert read == [_as_sdk(block, stream=True) for block in answers[0].reply.items]
    assert events[-2]["messageStop"]["stopReason"] in ("end_turn", "tool_use", "max_tokens") or name in (
        "refused", "filtered",
    )  # fmt: skip
    usage = events[-1]["metadata"]["usage"]
    assert usage["totalTokens"] == turn.usage.input + turn.usage.output


@with_boto3
@pytest.mark.parametrize("name", TURNS)
def test_boto3_reads_a_document_as_the_wire_does(name: str) -> None:
    answers: list[Any] = []

    def answer(asked: Conversation) -> Any:
        answers.append(WIRE.render(TURNS[name], Identity("a case"), asked))
        return answers[-1]

    messages = [{"role": "user", "content": [{"text": "Hello."}]}]
    read = speaking(answer).converse(modelId=MODEL, messages=messages)
    wanted = [_as_sdk(block, stream=False) for block in answers[0].reply.items]
    assert read["output"]["message"] == {"role": "assistant", "content": wanted}


@with_boto3
def test_boto3_raises_what_was_answered() -> None:
    from botocore.exceptions import ClientError, EventStreamError

    client = speaking(lambda asked: WIRE.error(429, Identity("a case")))
    with pytest.raises(client.exceptions.ThrottlingException, match="Too many tokens"):
        client.converse(modelId=MODEL, messages=[{"role": "user", "content": [{"text": "Hello."}]}])
    broken = Turn((Text("I"),), error=StreamError("rate_limit"))
    with pytest.raises(EventStreamError, match="throttlingException"):
        events_of(speaking(lambda asked: WIRE.render(broken, Identity("a case"), asked)))
    assert issubclass(EventStreamError, ClientError)


@with_boto3
def test_boto3_sends_the_model_and_whether_to_stream_in_the_path() -> None:
    asked: list[Conversation] = []

    def answer(conversation: Conversation) -> Any:
        asked.append(conversation)
        return WIRE.render(TURNS["text"], Identity("a case"), conversation)

    events_of(speaking(answer), system=[{"text": "Be short."}])
    assert [(each.model, each.stream) for each in asked] == [(MODEL, True)]
    assert [(message.role, message.text) for message in asked[0].messages] == [
        ("system", "Be short."),
        ("user", "Hello."),
    ]
