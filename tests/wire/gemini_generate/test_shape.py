"""What protobuf's JSON reader does not take, in its words and at its places; and what it does take."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.finding import Finding
from harness.wire import IssuedState, Route
from harness.wire.gemini_generate import WIRE

ROUTE = Route("gemini-generate", "gemini-3.6-flash", False)
UNKNOWN = "Invalid JSON payload received. Unknown name"
V1BETA = "type.googleapis.com/google.ai.generativelanguage.v1beta."


def judged(**members: Any) -> list[Finding]:
    body = {"contents": [{"role": "user", "parts": [{"text": "a"}]}], **members}
    return WIRE.violations(WIRE.read(ROUTE, json.dumps(body).encode()), IssuedState())


def saying(*parts: Any, **members: Any) -> list[Finding]:
    return judged(contents=[{"role": "user", "parts": list(parts), **members}])


def declaring(**parameters: Any) -> list[Finding]:
    return judged(tools=[{"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT", **parameters}}]}])


FUNCTION = "tools[0].function_declarations[0].parameters"

REFUSED = {
    "unknown member": (judged(top_k=3), "GEM-FIELD", "body", f'{UNKNOWN} "top_k": Cannot find field.'),
    "unknown member of a content": (
        saying({"text": "a"}, name="x"),
        "GEM-FIELD",
        "contents[0]",
        f"{UNKNOWN} \"name\" at 'contents[0]': Cannot find field.",
    ),
    "unknown member of a part": (
        saying({"text": "a", "id": "x"}),
        "GEM-FIELD",
        "contents[0].parts[0]",
        f"{UNKNOWN} \"id\" at 'contents[0].parts[0]': Cannot find field.",
    ),
    "unknown setting": (
        judged(generation_config={"max_tokens": 5}),
        "GEM-FIELD",
        "generation_config",
        f"{UNKNOWN} \"max_tokens\" at 'generation_config': Cannot find field.",
    ),
    "list for one": (
        judged(generationConfig=[{}]),
        "GEM-FIELD",
        "generation_config",
        f'{UNKNOWN} "generationConfig": Proto field is not repeating, cannot start list.',
    ),
    "text for a number": (
        judged(generationConfig={"temperature": "hot"}),
        "GEM-TYPE",
        "generation_config.temperature",
        "Invalid value at 'generation_config.temperature' (TYPE_FLOAT), \"hot\"",
    ),
    "fraction for a whole number": (
        judged(generationConfig={"maxOutputTokens": 1.5}),
        "GEM-TYPE",
        "generation_config.max_output_tokens",
        "Invalid value at 'generation_config.max_output_tokens' (TYPE_INT32), 1.5",
    ),
    "number for a truth value": (
        judged(generationConfig={"responseLogprobs": 2}),
        "GEM-TYPE",
        "generation_config.response_logprobs",
        "Invalid value at 'generation_config.response_logprobs' (TYPE_BOOL), 2",
    ),
    "number for a text": (
        saying({"text": 5}),
        "GEM-TYPE",
        "contents[0].parts[0].text",
        "Invalid value at 'contents[0].parts[0].text' (TYPE_STRING), 5",
    ),
    "object for a text": (
        saying({"text": {"a": 1}}),
        "GEM-TYPE",
        "contents[0].parts[0]",
        "Invalid value at 'contents[0].parts[0]' (text), Starting an object on a scalar field",
    ),
    "word that is none": (
        judged(
            toolConfig={"functionCallingConfig": {"mode": "SOME"}}, tools=[{"functionDeclarations": [{"name": "f"}]}]
        ),
        "GEM-TYPE",
        "tool_config.function_calling_config.mode",
        f"Invalid value at 'tool_config.function_calling_config.mode' ({V1BETA}FunctionCallingConfig.Mode), \"SOME\"",
    ),
    "text for an object": (
        judged(systemInstruction="Be brief."),
        "GEM-TYPE",
        "system_instruction",
        f"Invalid value at 'system_instruction' ({V1BETA}Content), \"Be brief.\"",
    ),
    "keyword in a map": (
        declaring(properties={"a": {"type": "STRING"}, "b": {"any_of": [{"const": 1}]}}),
        "GEM-18",
        f"{FUNCTION}.properties[1].value.any_of[0]",
        f"{UNKNOWN} \"const\" at '{FUNCTION}.properties[1].value.any_of[0]': Cannot find field.",
    ),
    "property that has the name of a keyword": (
        declaring(properties={"properties": {"$ref": "#"}}),
        "GEM-18",
        f"{FUNCTION}.properties[0].value",
        f"{UNKNOWN} \"$ref\" at '{FUNCTION}.properties[0].value': Cannot find field.",
    ),
    "types in a list": (
        declaring(items={"type": ["STRING"]}),
        "GEM-18",
        f"{FUNCTION}.items.type",
        f"{UNKNOWN} \"type\" at '{FUNCTION}.items': Proto field is not repeating, cannot start list.",
    ),
    "no type": (
        declaring(items={"type": ""}),
        "GEM-18",
        f"{FUNCTION}.items.type",
        f"Invalid value at '{FUNCTION}.items.type' ({V1BETA}Type), \"\"",
    ),
    "a shorthand for a schema": (
        declaring(properties={"a": "string"}),
        "GEM-18",
        f"{FUNCTION}.properties[0].value",
        f"Invalid value at '{FUNCTION}.properties[0].value' ({V1BETA}Schema), \"string\"",
    ),
    "data of an image": (
        saying({"inlineData": {"mimeType": "image/png", "data": "a b"}}),
        "GEM-TYPE",
        "contents[0].parts[0].inline_data.data",
        "Invalid value at 'contents[0].parts[0].inline_data.data' (TYPE_BYTES), Base64 decoding failed for \"a b\"",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    found, rule, at, message = REFUSED[name]
    assert [(each.id, each.answered.place, each.answered.message, each.level) for each in found] == [
        (rule, at, message, "SHOULD")
    ]


ACCEPTED = {
    "every spelling": judged(generation_config={"thinkingConfig": {"include_thoughts": True}}, generationConfig={}),
    "nulls": judged(toolConfig=None, generationConfig=None, safetySettings=None, tools=None, systemInstruction=None),
    "numbers of enumerations": judged(safetySettings=[{"category": 10, "threshold": 3}]),
    "numbers as texts": judged(generationConfig={"seed": "5", "temperature": "1e-1", "topK": 40.0, "topP": 1}),
    "a whole number with a fraction of nothing": judged(generationConfig={"maxOutputTokens": 100.0}),
    "a model in the body": judged(model="models/gemini-3.6-flash"),
    "a part of another kind": saying({"text": "a"}, {"hologram": {}}),
    "an image of no bytes": saying({"inlineData": {"mimeType": "image/png", "data": ""}}),
    "unpadded bytes": saying({"inlineData": {"mimeType": "image/png", "data": "aGk"}}),
    "a tool of another kind": judged(tools={"timeMachine": {}}),
    "the OpenAPI subset": declaring(
        properties={"additionalProperties": {"type": "STRING", "nullable": True}},
        propertyOrdering=["a"],
        required=["a"],
    ),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_is_accepted(name: str) -> None:
    assert ACCEPTED[name] == []


def test_faults_come_in_the_order_of_the_body() -> None:
    found = judged(contents=[{"parts": [{"text": 1}, {"text": 2}]}], generationConfig={"seed": "x"})
    assert [each.answered.place for each in found] == [
        "contents[0].parts[0].text",
        "contents[0].parts[1].text",
        "generation_config.seed",
    ]
