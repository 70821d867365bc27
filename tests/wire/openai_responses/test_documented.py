"""Requests that people were refused, and requests that the documentation shows: none of them was written here first."""

from __future__ import annotations

from typing import Any

import pytest

from harness.wire import IssuedState
from tests.wire.openai_responses.histories import judge

CLOSED = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
CALL = {"type": "function_call", "call_id": "call_1", "name": "get_weather", "arguments": '{"city":"Rome"}'}
OUTPUT = {"type": "function_call_output", "call_id": "call_1", "output": "15"}
USER = {"role": "user", "content": "How is the weather?"}
TOLD = {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "I ask the tool."}]}


def found(asked: Any, model: str = "gpt-5.5", **members: Any) -> list[tuple[Any, ...]]:
    told = judge(IssuedState(), asked, model=model, **members)
    return [
        (each.id, each.level, each.answered.message, each.answered.param, each.answered.code)
        for each in told
        if each.level != "INFO"
    ]


def strict(schema: Any, **members: Any) -> dict[str, Any]:
    return {"format": {"type": "json_schema", "name": "answer", "strict": True, "schema": schema, **members}}


# --- refused ------------------------------------------------------------------------------------------------


def test_a_cache_key_of_two_ids() -> None:
    message = (
        "Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64, but got a string with "
        "length 72 instead."
    )
    expected = ("OAI-LENGTH", "MUST", message, "prompt_cache_key", "string_above_max_length")
    assert found("x", prompt_cache_key="k" * 72) == [expected]
    assert found("x", prompt_cache_key="k" * 64) == []
    assert found("x", prompt_cache_key="k" * 72, model="llama-3.3-70b") == []


def test_reasoning_in_plain_text() -> None:
    message = (
        "Invalid 'input[1].content': array too long. Expected an array with maximum length 0, but got an array with "
        "length 1 instead."
    )
    told = found([USER, {**TOLD, "id": "rs_1"}, {**CALL, "id": "fc_1"}, OUTPUT])
    assert told == [("OAI-LENGTH", "MUST", message, "input[1].content", "array_above_max_length")]


@pytest.mark.parametrize("model", ["gpt-oss-120b", "deepseek-v4-flash", "llama-cpp-reasoning-model"])
def test_models_whose_thinking_is_open_take_it_back(model: str) -> None:
    assert found([USER, {**TOLD, "id": "rs_1"}, {**CALL, "id": "fc_1"}, OUTPUT], model) == []


def test_an_answer_that_is_not_closed() -> None:
    message = (
        "Invalid schema for response_format 'answer': In context=(), 'additionalProperties' is required to be supplied "
        "and to be false."
    )
    code = "invalid_json_schema"
    assert found("x", text=strict(CLOSED)) == [("OAI-FORMAT", "MUST", message, "text.format.schema", code)]
    inner = {**CLOSED, "properties": {"city": CLOSED}, "additionalProperties": False}
    ((_, _, told, _, _),) = found("x", text=strict(inner))
    assert "In context=('properties', 'city'), 'additionalProperties'" in told
    optional = {**CLOSED, "additionalProperties": False, "required": []}
    ((rule, level, told, _, _),) = found("x", text=strict(optional))
    assert (rule, level) == ("OAI-FORMAT", "SHOULD")
    assert told.endswith("including every key in properties. Missing 'city'.")


def test_a_strict_answer_refers_to_what_its_schema_has() -> None:
    """The schema of a recorded refusal: its definitions are below the root."""
    shared = {"Shared": {"type": "string"}}
    item = {"type": "object", "properties": {"shared": {"$ref": "#/$defs/Shared"}}, "required": ["shared"]}
    item["additionalProperties"] = False
    elements = {"type": "array", "items": {**item, "$defs": shared}}
    below = {"type": "object", "properties": {"elements": elements}, "required": ["elements"]}
    below["additionalProperties"] = False
    ((rule, level, message, _, _),) = found("x", text=strict(below))
    context = "('properties', 'elements', 'items', 'properties', 'shared')"
    assert (rule, level) == ("OAI-FORMAT", "MUST")
    assert message == (
        f"Invalid schema for response_format 'answer': In context={context}, reference to component '#/$defs/Shared' "
        "which was not found in the schema."
    )
    assert found("x", text=strict({**below, "$defs": shared})) == []
    back = {**below, "properties": {"elements": {"type": "array", "items": {"$ref": "#/properties/elements"}}}}
    assert found("x", text=strict(back)) == []


def test_an_answer_that_is_closed_or_not_strict() -> None:
    assert found("x", text=strict({**CLOSED, "additionalProperties": False})) == []
    assert found("x", text=strict(CLOSED, strict=False)) == []
    assert found("x", text={"format": {"type": "json_object"}}) == []
    assert found("x", text={"verbosity": "low"}) == []


# --- documented ---------------------------------------------------------------------------------------------

FUNCTION = {"type": "function", "name": "get_weather", "parameters": CLOSED, "strict": False}
ENCRYPTED = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAABo"}
ITEM = {**CALL, "id": "fc_1", "status": "completed"}
PAGE = {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo=", "detail": "high"}
SHELL = {"type": "shell_call", "id": "sh_1", "call_id": "call_2", "action": {"commands": ["ls"]}, "status": "completed"}
LISTED = {"stdout": "a", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}
PATCH = {"type": "update_file", "path": "a", "diff": "@@"}

DOCUMENTED: dict[str, dict[str, Any]] = {
    "a loop": {"input": [USER, CALL, OUTPUT], "tools": [FUNCTION]},
    "a loop without storage": {
        "input": [USER, ENCRYPTED, ITEM, OUTPUT],
        "store": False,
        "include": ["reasoning.encrypted_content"],
    },
    "parallel calls": {
        "input": [USER, ITEM, {**ITEM, "id": "fc_2", "call_id": "call_2"}, {**OUTPUT, "call_id": "call_2"}, OUTPUT]
    },
    "an image as a result": {"input": [USER, CALL, {**OUTPUT, "output": [{"type": "input_text", "text": "x"}, PAGE]}]},
    "one tool forced": {"input": "x", "tools": [FUNCTION], "tool_choice": {"type": "function", "name": "get_weather"}},
    "some tools allowed": {
        "input": "x",
        "tools": [FUNCTION],
        "tool_choice": {
            "type": "allowed_tools",
            "mode": "auto",
            "tools": [{"type": "function", "name": "get_weather"}],
        },
    },
    "a tool of free text": {
        "input": [
            USER,
            {"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_2", "name": "run", "input": "print(1)"},
            {"type": "custom_tool_call_output", "call_id": "call_2", "output": "1"},
        ],
        "tools": [{"type": "custom", "name": "run", "format": {"type": "text"}}],
    },
    "a shell": {
        "input": [USER, SHELL, {"type": "shell_call_output", "call_id": "call_2", "output": [LISTED]}],
        "tools": [{"type": "shell"}],
    },
    "a patch": {
        "input": [
            USER,
            {"type": "apply_patch_call", "id": "apc_1", "call_id": "c", "status": "completed", "operation": PATCH},
            {"type": "apply_patch_call_output", "call_id": "c", "status": "completed", "output": "ok"},
        ],
        "tools": [{"type": "apply_patch"}],
    },
    "a search of tools": {
        "input": "x",
        "model": "gpt-5.4",
        "tools": [
            {"type": "namespace", "name": "crm", "description": "d", "tools": [{**FUNCTION, "defer_loading": True}]},
            {"type": "tool_search"},
        ],
    },
    "a compacted history": {
        "input": [{"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAA"}, USER],
        "store": False,
    },
    "compaction by the provider": {
        "input": "x",
        "context_management": [{"type": "compaction", "compact_threshold": 200_000}],
    },
    "a structured answer": {"input": "x", "text": strict({**CLOSED, "additionalProperties": False})},
    "a stored prompt": {"prompt": {"id": "pmpt_1", "version": "2", "variables": {"city": "Rome"}}},
    "an approval": {
        "input": [{"type": "mcp_approval_response", "approve": True, "approval_request_id": "mcpr_1"}],
        "previous_response_id": "resp_1",
    },
}


@pytest.mark.parametrize("request_", DOCUMENTED.values(), ids=DOCUMENTED)
def test_what_the_documentation_shows_has_no_finding(request_: dict[str, Any]) -> None:
    members = dict(request_)
    assert found(members.pop("input", None), **members) == []
