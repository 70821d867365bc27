"""Reading requests: both key spellings, every place that text and tools may be in."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.wire import (
    Call,
    IssuedState,
    Message,
    Opaque,
    Result,
    Route,
    Text,
    ThinkingPart,
    ToolDeclaration,
    UnreadableRequest,
)
from harness.wire.gemini_generate import WIRE
from tests.wire.gemini_generate.samples import conversation, model, response, user

ROUTE = Route("gemini-generate", "gemini-3.6-flash", True)


def test_every_kind_of_part() -> None:
    signed = {"functionCall": {"name": "f", "args": {"a": "é"}, "id": "i"}, "thoughtSignature": "-_-_"}
    image = {"inlineData": {"mimeType": "image/png", "data": "AA=="}}
    contents = [
        user("look:", image),
        model({"text": "Hm.", "thought": True}, {"text": "So"}, {"text": " it is."}, signed),
        user(response("f", "i", output="x"), response("g", error="ENOENT")),
        user("thanks"),
    ]
    read = conversation(contents)
    assert read.messages == (
        Message("user", (Text("look:"), Opaque("inlineData", image)), "contents[0]"),
        Message(
            "assistant", (ThinkingPart("Hm."), Text("So it is."), Call("f", '{"a":"é"}', "i", "+/+/")), "contents[1]"
        ),
        Message(
            "tool",
            (Result("i", '{"output":"x"}', "f"), Result("", '{"error":"ENOENT"}', "g", is_error=True)),
            "contents[2]",
        ),
        Message("user", (Text("thanks"),), "contents[3]"),
    )
    assert (read.model, read.stream, read.continues) == ("gemini-3.6-flash", True, None)
    assert read.body["contents"] == contents, "the rules see the request as it was sent"
    assert WIRE.resolve(read, IssuedState()) is read


def test_snake_case_all_the_way() -> None:
    body = {
        "contents": [
            {
                "role": "model",
                "parts": [{"function_call": {"name": "f", "args": {"a_b": 1}}, "thought_signature": "c2ln"}],
            },
            {"role": "function", "parts": [{"function_response": {"name": "f", "response": {"output": 1}}}]},
        ],
        "system_instruction": {"parts": {"text": "Be brief."}},
        "tools": {"function_declarations": [{"name": "f", "parameters_json_schema": {"type": "object"}}]},
    }
    read = WIRE.read(ROUTE, json.dumps(body).encode())
    assert read.messages == (
        Message("system", (Text("Be brief."),), "systemInstruction"),
        Message("assistant", (Call("f", '{"a_b":1}', "", "c2ln"),), "contents[0]"),
        Message("tool", (Result("", '{"output":1}', "f"),), "contents[1]"),
    )
    assert read.tools == (ToolDeclaration("f", "", {"type": "object"}),)


def test_openapi_parameters_are_told_as_json_schema() -> None:
    parameters = {"type": "OBJECT", "properties": {"type": {"type": "STRING", "enum": ["A"]}}, "required": ["type"]}
    declared = [{"name": "f", "description": "d", "parameters": parameters}, {"name": "g"}]
    read = conversation(tools=[{"functionDeclarations": declared}, {"googleSearch": {}}])
    schema = {"type": "object", "properties": {"type": {"type": "string", "enum": ["A"]}}, "required": ["type"]}
    assert read.tools == (ToolDeclaration("f", "d", schema), ToolDeclaration("g", "", {"type": "object"}))


@pytest.mark.parametrize("system", ["Be brief.", {"parts": [{"text": "Be"}, {"text": " brief."}]}])
def test_system_places(system: Any) -> None:
    assert conversation(systemInstruction=system).messages[0].text == "Be brief."


@pytest.mark.parametrize("single", [{"parts": {"text": "hi"}}, [{"parts": [{"text": "hi"}]}]])
def test_a_single_object_stands_for_a_list_and_a_role_may_be_missing(single: Any) -> None:
    read = WIRE.read(ROUTE, json.dumps({"contents": single}).encode())
    assert read.messages == (Message("user", (Text("hi"),), "contents[0]"),)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"{nonsense", "Invalid JSON payload received. Unexpected token.\n{nonsense\n^"),
        (b"", "Invalid JSON payload received. Unexpected token.\n\n^"),
        (b"[]", 'Invalid JSON payload received. Unknown name "": Root element must be a message.'),
    ],
)
def test_what_cannot_be_read(body: bytes, text: str) -> None:
    with pytest.raises(UnreadableRequest) as raised:
        WIRE.read(ROUTE, body)
    assert raised.value.finding.answered.message == text
    assert raised.value.finding.answered.status == 400


def test_half_a_surrogate_pair_in_a_request_does_not_stop_the_reading() -> None:
    read = WIRE.read(ROUTE, b'{"contents": [{"parts": [{"text": "a\\ud83d"}, {"text": "\\ude00"}]}]}')
    assert read.messages[0].text == "a😀"
