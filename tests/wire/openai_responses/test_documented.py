"""Requests that the documentation shows: none of them was written here first."""

from __future__ import annotations

from typing import Any

import pytest

from harness.finding import Finding
from harness.wire import IssuedState
from tests.wire.openai_responses.histories import judge

CLOSED = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
CALL = {"type": "function_call", "call_id": "call_1", "name": "get_weather", "arguments": '{"city":"Rome"}'}
OUTPUT = {"type": "function_call_output", "call_id": "call_1", "output": "15"}
USER = {"role": "user", "content": "How is the weather?"}


def found(asked: Any, model: str = "gpt-5.5", **members: Any) -> list[Finding]:
    return [each for each in judge(IssuedState(), asked, model=model, **members) if each.level != "INFO"]


def strict(schema: Any, **members: Any) -> dict[str, Any]:
    return {"format": {"type": "json_schema", "name": "answer", "strict": True, "schema": schema, **members}}


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
