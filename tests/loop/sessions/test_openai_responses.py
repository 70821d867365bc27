"""The Responses session on the official SDK, over bytes of our own wire."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from harness.loop.session import (
    CallResult,
    ProviderTurn,
    StreamFailed,
    ToolCallDelta,
)
from tests.loop.sessions.openai_responses_endpoint import Endpoint, Told, one_turn, session
from tests.loop.sessions.sdk_endpoint import is_read_and_goes_back
from tests.wire.openai_responses.speak import TURNS, Answering, render


def call_results(turn: ProviderTurn) -> list[CallResult]:
    return [CallResult(call, {"ok": call.arguments}, True) for call in turn.tool_calls]


# --- what is read ------------------------------------------------------------------------------------------


@pytest.mark.anyio
async def test_a_custom_call_is_read_and_answered_as_one() -> None:
    rendered = render(TURNS["custom call"])
    talk = session(Answering(rendered.frames))
    turn = await talk.stream_turn(Told())
    assert [(call.name, call.arguments) for call in turn.tool_calls] == [("patch", "*** Begin Patch\n")]
    talk.append_tool_results(turn, call_results(turn))
    assert [item.get("type") for item in talk.history[-2:]] == ["custom_tool_call", "custom_tool_call_output"]


@pytest.mark.anyio
async def test_nothing_is_awaited_after_the_last_event() -> None:
    rendered = render(TURNS["text"])
    endless = Answering(rendered.frames, failure=AssertionError("read on after response.completed"))
    got, _ = await one_turn(endless)
    assert got.assistant_text == TURNS["text"].text


# --- what is sent ------------------------------------------------------------------------------------------


@pytest.mark.anyio
@pytest.mark.parametrize("stream", [True, False])
async def test_a_loop_of_three_turns_breaks_no_rule(stream: bool) -> None:
    endpoint = Endpoint(
        [TURNS["parallel calls"], TURNS["utf-16 units"], TURNS["text between calls"], TURNS["text"]], "adversarial"
    )
    talk = session(endpoint, stream=stream)
    for _ in range(3):
        turn = await talk.stream_turn(Told())
        assert turn.tool_calls
        talk.append_tool_results(turn, call_results(turn))
    assert not (await talk.stream_turn(Told())).tool_calls
    assert endpoint.violations == []
    assert set(endpoint.urls) == {"http://harness.test/case/1/v1/responses"}
    sizes = [len(body["input"]) for body in endpoint.bodies]
    assert sizes == [2, 7, 11, 18]
    for earlier, later in zip(endpoint.bodies, endpoint.bodies[1:], strict=False):
        assert later["input"][: len(earlier["input"])] == earlier["input"]
    assert endpoint.bodies[1]["input"][2:] == [
        {name: value for name, value in item.items() if (name, value) != ("content", [])}
        for item in endpoint.sent.replies[0].items
    ] + [
        {
            "type": "function_call_output",
            "call_id": call.id,
            "output": json.dumps({"ok": call.arguments}, ensure_ascii=False),
        }
        for call in endpoint.sent.replies[0].turn.calls
    ]


@pytest.mark.anyio
async def test_the_request_is_what_the_provider_takes() -> None:
    endpoint = Endpoint([TURNS["text"]])
    await session(endpoint).stream_turn(Told())
    (body,) = endpoint.bodies
    assert body == {
        "model": "gpt-5.5",
        "input": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi \ufffd"}],
        "include": ["reasoning.encrypted_content"],
        "reasoning": {"summary": "auto"},
        "store": False,
        "stream": True,
        "tools": [
            {
                "type": "function",
                "name": "read_file",
                "description": "Read one file.",
                "parameters": {"type": "object", "properties": {}},
                "strict": False,
            }
        ],
    }


# --- events that real servers send -------------------------------------------------------------------------


async def fold(events: Sequence[dict[str, Any]]) -> tuple[ProviderTurn, Told]:
    body = b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events)
    return await one_turn(Answering([body]))


def ended(*output: dict[str, Any]) -> dict[str, Any]:
    return {"type": "response.completed", "response": {"id": "resp_1", "status": "completed", "output": list(output)}}


def a_call(name: str, call_id: str = "call_1", arguments: str = "{}") -> dict[str, Any]:
    return {"type": "function_call", "id": f"fc_{name}", "call_id": call_id, "name": name, "arguments": arguments}


@pytest.mark.anyio
async def test_arguments_before_their_call_are_told_with_it() -> None:
    delta = {"type": "response.function_call_arguments.delta", "output_index": 0, "item_id": "fc_f"}
    done = {"type": "response.output_item.done", "output_index": 0, "item": a_call("f", arguments='{"a":1}')}
    turn, told = await fold([{**delta, "delta": '{"a"'}, {**delta, "delta": ":1"}, done, ended()])
    assert told.deltas == [ToolCallDelta("call_1", "f", '{"a":1}')]
    assert [call.arguments for call in turn.tool_calls] == ['{"a":1}']


@pytest.mark.anyio
async def test_the_finished_item_counts_where_its_deltas_said_otherwise() -> None:
    events = [
        {"type": "response.output_item.added", "output_index": 0, "item": a_call("f", arguments="")},
        {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": "{wrong"},
        {"type": "response.output_item.done", "output_index": 0, "item": a_call("f", arguments='{"a":1}')},
    ]
    turn, told = await fold([*events, ended()])
    assert told.calls == [("call_1", "f", "{wrong")]
    assert [call.arguments for call in turn.tool_calls] == ['{"a":1}']


@pytest.mark.anyio
async def test_only_what_the_provider_refuses_is_left_out_of_reasoning() -> None:
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": [], "content": [], "status": "completed", "extra": 1}
    raw = {**reasoning, "id": "rs_2", "content": [{"type": "reasoning_text", "text": "Hm."}]}
    call = {**a_call("f"), "status": "completed", "namespace": "n"}
    turn, _ = await fold([ended(reasoning, raw, call)])
    assert turn.assistant_turn == [
        {"type": "reasoning", "id": "rs_1", "summary": [], "extra": 1},
        {"type": "reasoning", "id": "rs_2", "summary": [], "content": raw["content"], "extra": 1},
        call,
    ]
    assert turn.thinking_text == "Hm."


@pytest.mark.anyio
@pytest.mark.parametrize(
    "event",
    [
        {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": 5},
        {"type": "response.output_text.delta", "output_index": [], "content_index": 0, "delta": "x"},
        {"type": "response.output_item.done", "output_index": 0, "item": "text"},
        {"type": "response.output_item.done", "output_index": 0, "item": [1]},
        {"type": "response.completed", "response": {"id": "resp_1", "output": 7}},
    ],
)
async def test_members_of_a_wrong_type_are_a_broken_stream(event: dict[str, Any]) -> None:
    with pytest.raises(StreamFailed):
        await fold([event, ended()])


@pytest.mark.anyio
@pytest.mark.parametrize("status", ["failed", "cancelled", "in_progress", "queued"])
async def test_a_whole_response_that_is_not_finished_gives_no_turn(status: str) -> None:
    body = json.dumps({"id": "resp_1", "object": "response", "status": status, "output": []}).encode()
    with pytest.raises(StreamFailed, match=status):
        await one_turn(Answering([body], content_type="application/json"), stream=False)


@pytest.mark.anyio
async def test_a_scripted_turn_is_read() -> None:
    await is_read_and_goes_back("openai-responses", TURNS["thinking"])


@pytest.mark.anyio
async def test_chunks_change_nothing() -> None:
    await is_read_and_goes_back("openai-responses", TURNS["parallel calls"], size=2)
