"""Whatever the body of a request says, it is answered, and the trace can be judged: nothing is raised on the way."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from harness.endpoint import AutomaticModel, Refusing
from harness.finding import Finding
from harness.ground.bounded_json import MOST_HOLDERS, MOST_LEVELS, loads
from harness.rules import judge
from harness.trace import dumps
from harness.wire import NATIVE_WIRES, WireName
from tests.endpoint.endpoint import answered, desk, opened

PATHS: Final = {
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "anthropic-messages": "/v1/messages",
    "gemini-generate": "/v1beta/models/gemini-2.5-pro:generateContent",
}
HEADERS: Final = {"content-type": "application/json", "anthropic-version": "2023-06-01"}
STACK: Final = 60
"""Frames of a server and a test runner below whatever is called here."""


def asked(wire: WireName, body: bytes, refuse: Refusing = "must") -> tuple[int, list[Finding]]:
    """Status of the answer, and what is found in the trace."""
    endpoint = desk(wire=wire, model=AutomaticModel(), refuse=refuse)
    answer = answered(opened(endpoint), PATHS[wire], body, HEADERS)
    trace = endpoint.recorder.trace()
    assert dumps(trace)
    return answer.status, judge(trace)


# --- depth ------------------------------------------------------------------------------------------------------------

HERE: Final = "@"
"""Where the deep value stands."""

USER: Final = {"role": "user", "content": "hi"}
OPENAI: Final = {"model": "gpt-4.1", "messages": [USER]}
ANTHROPIC: Final = {"model": "claude-sonnet-4-6", "max_tokens": 9, "messages": [USER]}
GEMINI: Final = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}
TOOL: Final = {"name": "f", "parameters": HERE}
FORMAT: Final = {"type": "json_schema", "name": "x", "schema": HERE}
CALLED: Final = {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": HERE}]}
ANSWERED: Final = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": HERE}]}

PLACES: Final[list[tuple[WireName, Any]]] = [
    *[(wire, HERE) for wire in NATIVE_WIRES],
    ("openai-chat", {**OPENAI, "metadata": HERE}),
    ("openai-chat", {**OPENAI, "messages": [{"role": "user", "content": HERE}]}),
    ("openai-chat", {**OPENAI, "tools": [{"type": "function", "function": TOOL}]}),
    ("openai-chat", {**OPENAI, "response_format": {"type": "json_schema", "json_schema": FORMAT}}),
    ("openai-responses", {"model": "gpt-4.1", "input": HERE}),
    ("openai-responses", {"model": "gpt-4.1", "input": "hi", "tools": [{"type": "function", **TOOL}]}),
    ("openai-responses", {"model": "gpt-4.1", "input": "hi", "text": {"format": FORMAT}}),
    ("anthropic-messages", {**ANTHROPIC, "tools": [{"name": "f", "input_schema": HERE}]}),
    ("anthropic-messages", {**ANTHROPIC, "messages": [USER, CALLED]}),
    ("anthropic-messages", {**ANTHROPIC, "messages": [ANSWERED]}),
    ("gemini-generate", {**GEMINI, "tools": [{"functionDeclarations": [TOOL]}]}),
    ("gemini-generate", {"contents": [{"role": "model", "parts": [{"functionCall": {"name": "f", "args": HERE}}]}]}),
]

CALL: Final = {"id": "c", "type": "function", "function": {"name": "f", "arguments": HERE}}
RESULT: Final = {"role": "tool", "tool_call_id": "c", "content": HERE}
ITEMS: Final = [
    {"type": "function_call", "call_id": "c", "name": "f", "arguments": HERE},
    {"type": "function_call_output", "call_id": "c", "output": HERE},
]
TEXTS: Final[list[tuple[WireName, Any]]] = [
    ("openai-chat", {**OPENAI, "messages": [USER, {"role": "assistant", "tool_calls": [CALL]}, RESULT]}),
    ("openai-responses", {"model": "gpt-4.1", "input": [USER, *ITEMS]}),
]
"""Where JSON is in a text, which a request may hold however deep it is."""


def with_inner(body: Any, inner: str) -> bytes:
    return json.dumps(body).replace(json.dumps(HERE), inner).encode()


def nested(levels: int, name: str) -> str:
    return f'{{"{name}":' * levels + "{}" + "}" * levels


def beneath(frames: int, body: Any) -> Any:
    return body() if frames == 0 else beneath(frames - 1, body)


@pytest.mark.parametrize("levels", [MOST_LEVELS - 10, 100_000])
@pytest.mark.parametrize(("wire", "body"), PLACES)
def test_a_deep_body_is_refused_as_the_provider_would(wire: WireName, body: Any, levels: int) -> None:
    for inner in (nested(levels, "a"), nested(levels, "items"), nested(levels, "anyOf"), "[" * levels + "]" * levels):
        status, findings = beneath(STACK, lambda inner=inner: asked(wire, with_inner(body, inner)))
        if levels > MOST_LEVELS:
            assert status == 400
            assert [finding.impact for finding in findings] == ["invalid"]


@pytest.mark.parametrize("levels", [MOST_LEVELS, 100_000])
@pytest.mark.parametrize(("wire", "body"), TEXTS)
def test_deep_json_in_a_text_is_a_text(wire: WireName, body: Any, levels: int) -> None:
    sent = with_inner(body, json.dumps(nested(levels, "a")))
    for refuse in ("must", "nothing"):
        beneath(STACK, lambda refuse=refuse: asked(wire, sent, refuse))


@pytest.mark.parametrize("levels", [MOST_LEVELS - 1, MOST_LEVELS])
def test_the_bound_is_where_it_is_said_to_be(levels: int) -> None:
    for text in (b"[" * levels + b"]" * levels, b'{"a":' * levels + b"[]" + b"}" * levels):
        deep = text.count(b"[") + text.count(b"{") > MOST_LEVELS
        if deep:
            with pytest.raises(ValueError, match="values are nested more than 410 deep"):
                loads(text)
        else:
            assert loads(text) == json.loads(text)
    assert len(loads(b"[" + b"[]," * 1000 + b"[]]")) == 1001  # many are not deep


@pytest.mark.parametrize(("wire", "body"), dict(PLACES).items())
def test_a_body_of_too_many_values_is_refused_before_it_is_judged(wire: WireName, body: Any) -> None:
    status, findings = asked(wire, with_inner(body, json.dumps([{}] * MOST_HOLDERS)))
    assert status == 400
    assert [finding.impact for finding in findings] == ["invalid"]


def test_brackets_in_texts_are_no_values() -> None:
    text = json.dumps({"a": "{[" * 20, "b": [{}]})
    assert loads(text, holders=3) == json.loads(text)
    with pytest.raises(ValueError, match="more than 2 lists and objects"):
        loads(text, holders=2)


# --- odd members ------------------------------------------------------------------------------------------------------

FUNCTION: Final = {"name": "list_files", "parameters": {"type": "object"}}
ODD: Final = ([{}], {"a": []}, 7, True, "text", None)


def with_tool(wire: WireName, member: str, value: Any) -> dict[str, Any]:
    """A request with a tool, one of whose members is odd."""
    schema = {"anthropic-messages": "input_schema"}.get(wire, "parameters")
    tool = {"name": "list_files", schema: {"type": "object"}} | {{"parameters": schema}.get(member, member): value}
    if wire == "openai-chat":
        tools: Any = [{"type": "function", "function": tool}, {"type": "custom", "custom": {"name": value}}]
        return {"model": "gpt-4.1", "messages": [{"role": "user", "content": "hi"}], "tools": tools}
    if wire == "openai-responses":
        tools = [{"type": "function", **tool}, {"type": "custom", "name": value}]
        return {"model": "gpt-5.5", "input": "hi", "tools": tools, "reasoning": value, "text": value}
    if wire == "anthropic-messages":
        content = [
            {"type": "server_tool_use", "name": "web_search", "id": value},
            {"type": "web_search_tool_result", "tool_use_id": value},
            {"type": "server_tool_use", "name": "web_search"},
        ]
        messages = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": content}]
        return {"model": "claude-sonnet-4-6", "max_tokens": 9, "messages": messages, "tools": [tool]}
    contents = [{"role": "user", "parts": [{"text": "hi"}]}]
    return {"contents": contents, "tools": [{"functionDeclarations": [tool]}]}


@pytest.mark.parametrize("refuse", ["must", "nothing"])
@pytest.mark.parametrize("member", ["name", "description", "parameters"])
@pytest.mark.parametrize("wire", NATIVE_WIRES)
def test_members_of_any_type_are_answered(wire: WireName, member: str, refuse: Refusing) -> None:
    for value in ODD:
        status, _ = asked(wire, json.dumps(with_tool(wire, member, value)).encode(), refuse)
        assert status in ((200,) if refuse == "nothing" else (200, 400))
