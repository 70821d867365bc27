"""The Chat session: what it sends, what it makes of answers, and how it fails."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.loop.session import (
    Delta,
    ProviderTurn,
    SessionConfig,
    StreamFailed,
    ThinkingDelta,
    ToolCall,
    TurnFailed,
)
from harness.wire import (
    ToolDeclaration,
    Turn,
)
from tests.sdks import sessions
from tests.wire.openai_chat.chat_support import Answers, render, response, sdk

TOOL = ToolDeclaration("read_file", "Read.", {"type": "object", "properties": {"path": {"type": "string"}}})
PROMPT = (("system", "You build pages."), ("user", "Build one."))

pytestmark = pytest.mark.anyio


def config(*, stream: bool = True) -> SessionConfig:
    return SessionConfig("gpt-4o-mini", PROMPT, (TOOL,), "http://model.test/case/7", stream=stream)


async def ask(session: sessions.openai_chat.OpenAIChatSession) -> tuple[ProviderTurn, list[Delta]]:
    told: list[Delta] = []

    async def hear(delta: Delta) -> None:
        told.append(delta)

    return await session.stream_turn(hear), told


async def answered(
    *chunks: bytes, stream: bool = True, end: Exception | None = None
) -> tuple[ProviderTurn, list[Delta]]:
    kind = "text/event-stream" if stream else "application/json"
    transport = Answers(lambda _: response(chunks, kind, end))
    return await ask(sessions.openai_chat.OpenAIChatSession(config(stream=stream), sdk(transport)))


def chunk(delta: dict[str, Any], finish: str | None = None, **members: Any) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return f"data: {json.dumps({'id': 'x', 'choices': [choice], **members})}\n\n".encode()


def fragment(arguments: str | None, **members: Any) -> dict[str, Any]:
    function = {"arguments": arguments} | ({"name": members.pop("name")} if "name" in members else {})
    return {"tool_calls": [{"function": function, **members}]}


async def test_the_request_asks_for_usage_and_offers_the_tools() -> None:
    transport = Answers(lambda _: response(render(Turn()).frames))
    function = {"name": "read_file", "description": "Read.", "parameters": dict(TOOL.parameters)}
    await ask(sessions.openai_chat.OpenAIChatSession(config(), sdk(transport)))
    assert transport.requests[0].url == "http://model.test/case/7/v1/chat/completions"
    assert transport.requests[0].headers["authorization"] == "Bearer harness"
    assert transport.bodies[0] == {
        "model": "gpt-4o-mini",
        "messages": [{"role": "system", "content": "You build pages."}, {"role": "user", "content": "Build one."}],
        "tools": [{"type": "function", "function": function}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


# --- reasoning ---------------------------------------------------------------------------------------------


async def test_reasoning_goes_back_with_calls_under_the_name_it_came_by() -> None:
    for name in ("reasoning_content", "reasoning"):
        got, _ = await answered(
            chunk({"role": "assistant", name: "Let me"}),
            chunk({name: " see."}),
            chunk(fragment("{}", index=0, id="call_1", name="f"), "tool_calls"),
        )
        assert got.thinking_text == "Let me see."
        assert got.assistant_turn[name] == "Let me see."


async def test_reasoning_stays_here_without_calls() -> None:
    got, _ = await answered(chunk({"reasoning_content": "Hm.", "content": None}), chunk({"content": "Hi"}, "stop"))
    assert got.thinking_text == "Hm."
    assert got.assistant_turn == {"role": "assistant", "content": "Hi"}


async def test_reasoning_under_both_names_is_thought_once() -> None:
    got, told = await answered(
        chunk({"reasoning_content": "Hm.", "reasoning": "Hm."}), chunk({"content": "Hi"}, "stop")
    )
    assert got.thinking_text == "Hm."
    assert told[0] == ThinkingDelta("Hm.")


async def test_reasoning_details_are_put_together_again() -> None:
    block = {"type": "reasoning.text", "index": 0, "format": "anthropic-claude-v1"}
    got, _ = await answered(
        chunk({"reasoning": "A", "reasoning_details": [{**block, "text": "A"}]}),
        chunk({"reasoning": "B", "reasoning_details": [{**block, "text": "B"}]}),
        chunk({"reasoning_details": [{**block, "signature": "sig"}]}),
        chunk(fragment("{}", index=0, id="call_1", name="f"), "tool_calls"),
    )
    assert got.assistant_turn["reasoning_details"] == [{**block, "text": "AB", "signature": "sig"}]


async def test_thinking_parts_in_the_content_go_back_in_the_content() -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
    got, _ = await answered(
        chunk({"content": [thinking]}),
        chunk({"content": "Hi"}),
        chunk(fragment("{}", index=0, id="c", name="f"), "stop"),
    )
    assert (got.thinking_text, got.assistant_text) == ("Hm.", "Hi")
    assert got.assistant_turn["content"] == [thinking, {"type": "text", "text": "Hi"}]


# --- ids and indexes ---------------------------------------------------------------------------------------


async def test_an_id_in_every_fragment_makes_one_call() -> None:
    got, _ = await answered(
        chunk(fragment('{"a"', index=0, id="call_a", name="f")),
        chunk(fragment(":1}", index=0, id="call_a", name="f"), "stop"),
    )
    assert got.tool_calls == (ToolCall("call_a", "f", '{"a":1}'),)


async def test_missing_arguments_and_name_lose_no_call() -> None:
    got, _ = await answered(
        chunk({"tool_calls": [{"index": 0, "id": "call_a", "function": {"arguments": None}}]}, "stop")
    )
    assert got.tool_calls == (ToolCall("call_a", "", ""),)
    assert got.assistant_turn["tool_calls"][0]["function"] == {"name": "unknown_tool", "arguments": ""}


# --- failures ----------------------------------------------------------------------------------------------


async def test_an_error_beside_choices_fails_the_turn() -> None:
    with pytest.raises(StreamFailed, match="Provider returned error"):
        await answered(
            chunk({"content": "a"}), chunk({}, None, error={"code": 502, "message": "Provider returned error"})
        )
    with pytest.raises(StreamFailed, match="'error'"):
        await answered(chunk({"content": "a"}), chunk({}, "error"))


async def test_a_whole_response_that_is_none_fails_the_turn() -> None:
    for body in (b"{}", b'{"choices":[]}', b"<html>", b'{"choices":[{"index":0,"message":{}}]}'):
        with pytest.raises(TurnFailed):
            await answered(body, stream=False)
