"""Requests that the documentation shows: none of them was written here first, and none may have a finding."""

from __future__ import annotations

from typing import Any

import pytest

from harness.wire import IssuedState
from harness.wire.gemini_generate import WIRE
from tests.wire.gemini_generate.samples import conversation, model, user

CITY = {"type": "OBJECT", "properties": {"city": {"type": "STRING"}}, "required": ["city"]}
FUNCTION = {"name": "get_weather", "parameters": CITY}
TOOLS = [{"functionDeclarations": [FUNCTION]}]
JSON = {"responseMimeType": "application/json"}
SIGNATURE = "EpIDCo8DAQw51scL"


def found(*contents: Any, of: str = "gemini-2.5-flash", **members: Any) -> list[str]:
    asked = conversation([*contents], path=f"/v1beta/models/{of}:generateContent", **members)
    return [each.id for each in WIRE.violations(asked, IssuedState()) if each.level != "INFO"]


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
