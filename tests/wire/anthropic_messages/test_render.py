"""Each event is what its type names for the official SDK, which accumulates the reply, and looks like the examples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from harness.wire import Call, Conversation, FinishReason, Identity, Opaque, Text, ThinkingPart, Turn, Usage
from harness.wire import Message as Entry
from harness.wire.anthropic_messages import WIRE
from harness.wire.anthropic_messages.blocks import STOP_REASONS
from harness.wire.sse import parse_events
from tests.sdks import anthropic
from tests.wire.anthropic_messages.replay import MODEL, Replay, client, rendered, response, stream_events
from tests.wire.anthropic_messages.turns import KINDS, READ, WHOLE

MODELS = {
    "message_start": "RawMessageStartEvent",
    "content_block_start": "RawContentBlockStartEvent",
    "content_block_delta": "RawContentBlockDeltaEvent",
    "content_block_stop": "RawContentBlockStopEvent",
    "message_delta": "RawMessageDeltaEvent",
    "message_stop": "RawMessageStopEvent",
}


def _events(body: bytes) -> list[tuple[str, dict[str, Any]]]:
    return [(event.event, json.loads(event.data)) for event in parse_events(body)]


# --- the official SDK ---------------------------------------------------------------------------------------


@pytest.mark.anyio
@pytest.mark.parametrize("name", sorted(set(WHOLE) - {"max-tokens-in-tool", "utf16"}))
async def test_the_sdk_accumulates_the_reply(name: str) -> None:
    """By the SDK's own accumulator, which cannot take half a surrogate pair and half a JSON text."""
    answer = rendered(WHOLE[name])
    async with client(Replay(response([answer.body]))) as sdk:
        helper = sdk.messages.stream(model=MODEL, max_tokens=10, messages=[{"role": "user", "content": "hi"}])
        async with helper as stream:
            message = await stream.get_final_message()
    assert [block.model_dump(exclude_unset=True, exclude={"parsed_output"}) for block in message.content] == list(
        answer.reply.items
    )
    assert message.id == answer.reply.id
    assert message.usage.output_tokens == answer.reply.turn.usage.output


@pytest.mark.anyio
@pytest.mark.parametrize("turn", WHOLE.values(), ids=WHOLE)
async def test_the_sdk_reads_the_document(turn: Turn) -> None:
    answer = rendered(turn, stream=False)
    async with client(Replay(response([answer.body], answer.content_type))) as sdk:
        message = await sdk.messages.create(model=MODEL, max_tokens=10, messages=[{"role": "user", "content": "hi"}])
    assert [block.model_dump(exclude_unset=True) for block in message.content] == list(answer.reply.items)
    assert (message.id, message.stop_reason) == (answer.reply.id, STOP_REASONS[turn.stop])
    anthropic.types.Message.model_validate(json.loads(answer.body), strict=True)


@pytest.mark.anyio
async def test_the_sdk_raises_the_error_of_a_stream() -> None:
    with pytest.raises(anthropic.APIStatusError) as caught:
        await stream_events([rendered(KINDS["error"]).body])
    assert (caught.value.status_code, caught.value.type, caught.value.api_message) == (
        200,
        "overloaded_error",
        "Overloaded",
    )


@pytest.mark.anyio
async def test_the_terminal_event_is_missing() -> None:
    events = await stream_events([rendered(KINDS["eof"]).body])
    assert [event.type for event in events][-1] == "content_block_stop"
    assert len([event for event in events if event.type == "content_block_stop"]) == 2


# --- each event ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turn", KINDS.values(), ids=KINDS)
def test_each_event_is_what_its_type_names(turn: Turn) -> None:
    frames = rendered(turn).frames
    for raw in frames:
        [(name, event)] = _events(raw)
        assert event["type"] == name
        if name in MODELS:
            getattr(anthropic.types, MODELS[name]).model_validate(event, strict=True)
        else:
            assert name in ("ping", "error")


def _shape(value: Any) -> Any:
    """The member names of an event, at all depths; a tool's input is the tool's own."""
    if isinstance(value, dict):
        return {name: _shape(each) for name, each in value.items() if name != "input"}
    return None


def _skeleton(body: bytes) -> list[Any]:
    """The events in order with their members, deltas of one kind in a row as one."""
    skeleton: list[Any] = []
    for name, event in _events(body):
        entry = (name, _shape(event), event.get("delta", {}).get("type"))
        if not (skeleton and name == "content_block_delta" and skeleton[-1] == entry):
            skeleton.append(entry)
    return skeleton


EXAMPLES = {
    "text": Turn((Text("The capital is Paris."),)),
    "thinking-text": Turn((ThinkingPart("The user asks."), Text("Paris.")), usage=Usage(702, 60, 40)),
    "thinking-omitted": Turn(
        (ThinkingPart("", "omitted"), Call("read_file", READ)), FinishReason.TOOL_CALLS, Usage(702, 175, 90)
    ),
    "redacted-thinking": Turn((ThinkingPart(form="redacted"), Text("Hello"))),
    "tool": Turn((ThinkingPart("I need the file."), Call("read_file", READ)), FinishReason.TOOL_CALLS),
    "tool-no-args": Turn((Call("get_time", ""),), FinishReason.TOOL_CALLS),
    "text-tool": Turn((Text("Let me look."), Call("read_file", READ)), FinishReason.TOOL_CALLS),
    "parallel": Turn((Call("list_files", READ), Call("read_file", READ)), FinishReason.TOOL_CALLS),
    "max-tokens": Turn((Text("Once upon"),), FinishReason.MAX_TOKENS),
    "max-tokens-in-tool": Turn((Call("read_file", READ[:9]),), FinishReason.MAX_TOKENS),
    "eager-invalid-json": Turn((Call("write_file", '{"a": x}'),), FinishReason.TOOL_CALLS),
    "refusal": Turn((Text("INFO"),), FinishReason.REFUSAL),
    "pause-turn": Turn((Text("Searching."),), FinishReason.PAUSE),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_events_and_members_are_those_of_the_example(shared: Path, name: str) -> None:
    example = _skeleton((shared / f"wire/examples/ant-{name}.sse").read_bytes())
    ours = _skeleton(rendered(EXAMPLES[name]).body)
    assert ours == example


def test_the_error_event_is_that_of_the_example(shared: Path) -> None:
    example = _events((shared / "wire/examples/ant-error-midstream.sse").read_bytes())[-1]
    ours = _events(rendered(KINDS["error"]).body)[-1]
    assert (ours[0], _shape(ours[1]), ours[1]["error"]) == (example[0], _shape(example[1]), example[1]["error"])


@pytest.mark.parametrize(
    "name", ["empty", "text", "thinking-text", "tool", "parallel", "any-order", "refusal", "pause", "error", "eof"]
)
def test_frames(name: str, snapshot: SnapshotAssertion) -> None:
    assert rendered(KINDS[name]).body.decode() == snapshot


def test_the_document(snapshot: SnapshotAssertion) -> None:
    assert json.loads(rendered(KINDS["any-order"], stream=False).body) == snapshot


# --- identity -----------------------------------------------------------------------------------------------


def test_ids_are_as_scripted_or_fresh() -> None:
    turn = Turn(
        (Call("f", "{}"), Call("f", "{}", ""), Call("f", "{}", "mine"), Call("f", "{}", "mine")),
        FinishReason.TOOL_CALLS,
    )
    first, second = rendered(turn), rendered(turn, seed="other")
    ids = [call.id for call in first.reply.turn.calls]
    assert ids[1:] == ["", "mine", "mine"]
    assert str(ids[0]).startswith("toolu_01")
    assert len(str(ids[0])) == len("toolu_01EFn5wTNBYA8Reni8rbmnHT")
    assert "id" not in first.reply.items[1]
    assert ids[0] != second.reply.turn.calls[0].id
    assert first.body == rendered(turn).body


def test_a_scripted_signature_is_sent() -> None:
    turn = Turn((ThinkingPart("t", signature="c2ln"), ThinkingPart(form="redacted", signature="ZGF0YQ==")))
    assert [part.signature for part in rendered(turn).reply.turn.parts if isinstance(part, ThinkingPart)] == [
        "c2ln",
        "ZGF0YQ==",
    ]


def test_the_turn_after_a_pause_begins_with_what_the_search_found() -> None:
    search = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    asked = Conversation(
        "anthropic-messages", MODEL, True, (Entry("assistant", (Opaque("server_tool_use", search),), "messages.1"),)
    )
    answer = WIRE.render(Turn((Text("Found."),)), Identity("seed"), asked)
    assert [item["type"] for item in answer.reply.items] == ["web_search_tool_result", "text"]
    assert answer.reply.items[0]["tool_use_id"] == "srvtoolu_1"
    assert WIRE.parse(answer.content_type, answer.body) == answer.reply
    for raw in answer.frames:
        [(name, event)] = _events(raw)
        if name in MODELS:
            getattr(anthropic.types, MODELS[name]).model_validate(event, strict=True)
