"""Requests that people were refused, and requests that the documentation shows: none of them was written here first."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.wire import IssuedState
from harness.wire.gemini_generate import WIRE

CITY = {"type": "OBJECT", "properties": {"city": {"type": "STRING"}}, "required": ["city"]}
FUNCTION = {"name": "get_weather", "parameters": CITY}
TOOLS = [{"functionDeclarations": [FUNCTION]}]
JSON = {"responseMimeType": "application/json"}
SIGNATURE = "EpIDCo8DAQw51scL"


def user(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "parts": [{"text": part} if isinstance(part, str) else part for part in parts]}


def model(*parts: Any) -> dict[str, Any]:
    return {**user(*parts), "role": "model"}


def found(*contents: Any, of: str = "gemini-2.5-flash", **members: Any) -> list[tuple[str, str, str]]:
    route = WIRE.route("POST", f"/v1beta/models/{of}:generateContent")
    assert route is not None
    asked = WIRE.read(route, json.dumps({"contents": [*contents], **members}).encode())
    return [
        (each.id, each.level, each.answered.message)
        for each in WIRE.violations(asked, IssuedState())
        if each.level != "INFO"
    ]


def declaring(**properties: Any) -> list[Any]:
    return [{"functionDeclarations": [{"name": "f", "parameters": {"type": "object", "properties": properties}}]}]


# --- refused ------------------------------------------------------------------------------------------------

AT = "* GenerateContentRequest.tools[0].function_declarations[0].parameters"


@pytest.mark.parametrize(
    ("properties", "place"),
    [
        ({"a": {"type": "array"}}, "properties[a].items"),
        ({"a": {"type": "OBJECT", "properties": {"b": {"type": "ARRAY"}}}}, "properties[a].properties[b].items"),
        ({"a": {"anyOf": [{"type": "array"}, {"type": "string"}]}}, "properties[a].any_of[0].items"),
        ({"a": {"type": "array", "items": {"type": "array"}}}, "properties[a].items.items"),
    ],
)
def test_a_list_of_anything(properties: Any, place: str) -> None:
    assert found(user("a"), tools=declaring(**properties)) == [("GEM-18", "MUST", f"{AT}.{place}: missing field.\n")]


def test_a_parameter_without_a_type() -> None:
    message = f"{AT}.properties[a].type: must be specified when not using one_of, any_of or all_of fields\n"
    assert found(user("a"), tools=declaring(a={"description": "b"})) == [("GEM-18", "SHOULD", message)]


def test_functions_beside_an_answer_in_json() -> None:
    message = "Function calling with a response mime type: 'application/json' is unsupported"
    assert found(user("a"), tools=TOOLS, generationConfig=JSON) == [("GEM-APART", "MUST", message)]
    forced = {"functionCallingConfig": {"mode": "ANY"}}
    assert found(user("a"), tools=TOOLS, generationConfig=JSON, toolConfig=forced) == [
        ("GEM-APART", "MUST", f"Forced function calling (ANY mode){message.removeprefix('Function calling')}")
    ]
    assert found(user("a"), tools=TOOLS, generation_config={"response_mime_type": "application/json"}) != []
    assert found(user("a"), tools=TOOLS, generationConfig=JSON, of="gemini-3-pro-preview") == []
    assert found(user("a"), generationConfig=JSON) == []


def test_functions_beside_tools_of_googles_own() -> None:
    message = "Tool use with function calling is unsupported"
    assert found(user("a"), tools=[*TOOLS, {"google_search": {}}]) == [("GEM-APART", "SHOULD", message)]
    assert found(user("a"), tools=[{"googleSearch": {}}, {"urlContext": {}}]) == []


# --- documented ---------------------------------------------------------------------------------------------


def called(**members: Any) -> dict[str, Any]:
    return {"functionCall": {"name": "get_weather", "args": {"city": "Rome"}}, **members}


RESPONSE = {"functionResponse": {"name": "get_weather", "response": {"output": "15"}}}
PICTURE = {"inlineData": {"mimeType": "image/png", "data": "aGk="}}
SHOWN = {"functionResponse": {**RESPONSE["functionResponse"], "parts": [PICTURE]}}
SIGNED = called(thoughtSignature=SIGNATURE)
STEP = (model(SIGNED), user(RESPONSE))
SEARCHED = {"toolCall": {"toolType": "GOOGLE_SEARCH_WEB", "args": {}, "id": "t"}, "thoughtSignature": SIGNATURE}
FOUND = {"toolResponse": {"toolType": "GOOGLE_SEARCH_WEB", "response": {}, "id": "t"}, "thoughtSignature": SIGNATURE}
NEW = {"of": "gemini-3-flash-preview", "tools": TOOLS}

DOCUMENTED: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "a loop": ([user("a"), model(called()), user(RESPONSE)], {"tools": TOOLS}),
    "a loop with signatures": ([user("a"), *STEP, *STEP], NEW),
    "parallel calls": ([user("a"), model(SIGNED, called()), user(RESPONSE, RESPONSE)], NEW),
    "a call of another model": (
        [user("a"), model(called(thoughtSignature="skip_thought_signature_validator")), user(RESPONSE)],
        NEW,
    ),
    "a picture as a response": ([user("a"), model(SIGNED), user(SHOWN)], NEW),
    "text behind the responses": ([user("a"), *STEP, user("b")], {**NEW, "of": "gemini-3.6-flash"}),
    "one tool forced": (
        [user("a")],
        {
            "tools": TOOLS,
            "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["get_weather"]}},
        },
    ),
    "a search beside functions": (
        [user("a"), model(SEARCHED, FOUND, SIGNED), user(RESPONSE)],
        {
            "of": "gemini-3-flash-preview",
            "tools": [{"googleSearch": {}}, *TOOLS],
            "toolConfig": {"includeServerSideToolInvocations": True},
        },
    ),
    "code": (
        [
            user("a"),
            model(
                {"executableCode": {"language": "PYTHON", "code": "1"}},
                {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
            ),
            user("b"),
        ],
        {"tools": [{"codeExecution": {}}]},
    ),
    "a structured answer": (
        [user("a")],
        {"generationConfig": {**JSON, "responseSchema": {"type": "ARRAY", "items": CITY}}},
    ),
    "any JSON Schema": (
        [user("a")],
        {"tools": [{"functionDeclarations": [{"name": "f", "parametersJsonSchema": {"type": ["object", "null"]}}]}]},
    ),
    "a thinking budget": ([user("a")], {"generationConfig": {"thinkingConfig": {"thinkingBudget": 1024}}}),
    "a cached prefix": ([user("a")], {"cachedContent": "cachedContents/abc"}),
    "one content, one part": ([{"parts": {"text": "a"}}], {}),
    "a function without parameters": ([user("a")], {"tools": [{"functionDeclarations": [{"name": "now"}]}]}),
}


@pytest.mark.parametrize(("contents", "members"), DOCUMENTED.values(), ids=DOCUMENTED)
def test_what_the_documentation_shows_has_no_finding(contents: list[Any], members: dict[str, Any]) -> None:
    assert found(*contents, **members) == []
