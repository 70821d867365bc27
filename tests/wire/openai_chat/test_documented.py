"""Requests that the documentation shows: none of them was written here first."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.finding import Finding
from harness.wire import IssuedState
from harness.wire.openai_chat import WIRE
from tests.wire.openai_chat.chat_support import ROUTE

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
CLOSED = {**CITY, "additionalProperties": False}
FUNCTION = {"type": "function", "function": {"name": "get_weather", "parameters": CLOSED, "strict": True}}
USER = {"role": "user", "content": "How is the weather?"}
CALL = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city":"Rome"}'}}
CALLED = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "15"}


def found(*messages: Any, model: str = "gpt-4.1", **members: Any) -> list[Finding]:
    body = {"model": model, "messages": [USER, *messages], **members}
    told = WIRE.violations(WIRE.read(ROUTE, json.dumps(body).encode()), IssuedState())
    return [each for each in told if each.level != "INFO"]


def strict(schema: Any, **members: Any) -> dict[str, Any]:
    wanted = {"name": "answer", "strict": True, "schema": schema, **members}
    return {"type": "json_schema", "json_schema": wanted}


SEVERAL = {**CALLED, "tool_calls": [CALL, {**CALL, "id": "call_2"}]}
DUMPED = {**CALLED, "refusal": None, "annotations": [], "audio": None, "function_call": None}
PAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
SIGNED = {**CALL, "extra_content": {"google": {"thought_signature": "EpIDCo8D"}}}
PRINTED = {"id": "call_1", "type": "custom", "custom": {"name": "run", "input": "print(1)"}}

DOCUMENTED: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "a loop": ([CALLED, RESULT], {"tools": [FUNCTION]}),
    "a loop as the SDK dumps it": ([DUMPED, RESULT], {"tools": [FUNCTION]}),
    "parallel calls": ([SEVERAL, {**RESULT, "tool_call_id": "call_2"}, RESULT], {"tools": [FUNCTION]}),
    "a result of parts": ([CALLED, {**RESULT, "content": [{"type": "text", "text": "15"}]}], {"tools": [FUNCTION]}),
    "an image behind the results": ([CALLED, RESULT, {"role": "user", "content": [PAGE]}], {"tools": [FUNCTION]}),
    "one tool forced": (
        [],
        {"tools": [FUNCTION], "tool_choice": {"type": "function", "function": {"name": "get_weather"}}},
    ),
    "no tool allowed": ([CALLED, RESULT], {"tools": [FUNCTION], "tool_choice": "none"}),
    "a tool of free text": (
        [{**CALLED, "tool_calls": [PRINTED]}, RESULT],
        {"model": "gpt-5", "tools": [{"type": "custom", "custom": {"name": "run"}}]},
    ),
    "functions as in 2023": (
        [
            {"role": "assistant", "content": None, "function_call": {"name": "now", "arguments": "{}"}},
            {"role": "function", "name": "now", "content": "12"},
        ],
        {"model": "gpt-4", "functions": [{"name": "now", "parameters": {"type": "object", "properties": {}}}]},
    ),
    "a structured answer": ([], {"response_format": strict(CLOSED)}),
    "thinking of DeepSeek's": (
        [{**CALLED, "content": "", "reasoning_content": "I ask."}, RESULT],
        {"model": "deepseek-reasoner", "tools": [FUNCTION]},
    ),
    "a signature of Gemini's": (
        [{**CALLED, "tool_calls": [SIGNED, {**CALL, "id": "call_2"}]}, RESULT, {**RESULT, "tool_call_id": "call_2"}],
        {"model": "gemini-3-pro-preview", "tools": [FUNCTION]},
    ),
    "sound as an answer": (
        [{"role": "assistant", "audio": {"id": "audio_1"}}, USER],
        {"model": "gpt-audio", "modalities": ["text", "audio"], "audio": {"voice": "alloy", "format": "wav"}},
    ),
}


@pytest.mark.parametrize(("messages", "members"), DOCUMENTED.values(), ids=DOCUMENTED)
def test_what_the_documentation_shows_has_no_finding(messages: list[Any], members: dict[str, Any]) -> None:
    assert found(*messages, **members) == []
