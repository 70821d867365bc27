"""The automatic model: calls of whatever tools a request offers, with arguments that fit, and then an answer."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from harness.endpoint import AutomaticModel, ByWire, CaseEndpoint, Conversations, Endpoints, ModelRequest, Rounds
from harness.trace import Case
from harness.wire import NativeWireName, Turn, WireName, wire

PARAMETERS = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "unit": {"enum": ["C", "F"]},
        "days": {"type": "integer", "minimum": 2, "maximum": 5},
        "comment": {"type": "string"},
    },
    "required": ["city", "unit", "days"],
}
CHAT = "/v1/chat/completions"


def said(body: dict[str, Any], name: WireName = "openai-chat", path: str = CHAT) -> Turn:
    """What the model answers to a request."""
    asked = wire(name)
    route = asked.route("POST", path)
    assert route is not None
    read = asked.read(route, json.dumps(body).encode())
    return AutomaticModel().next(ModelRequest("POST", path, {}, b"", read)).turn


def chat(*names: str, history: tuple[object, ...] = (), **more: object) -> dict[str, Any]:
    tools = [{"type": "function", "function": {"name": name, "parameters": PARAMETERS}} for name in names]
    return {"model": "gpt-4.1", "messages": [{"role": "user", "content": "hi"}, *history], "tools": tools, **more}


def turn(*names: str) -> tuple[object, ...]:
    """A turn of the model that calls these tools, and their results."""
    calls = [{"id": n, "type": "function", "function": {"name": n, "arguments": "{}"}} for n in names]
    return (
        {"role": "assistant", "content": None, "tool_calls": calls},
        *({"role": "tool", "tool_call_id": n, "content": "done"} for n in names),
    )


def called(answer: Turn) -> list[str]:
    return [call.name for call in answer.calls]


def test_two_tools_are_called_in_parallel_with_arguments_that_fit_and_then_it_answers() -> None:
    first = said(chat("move", "turn"))
    assert called(first) == ["move", "turn"]
    arguments = [json.loads(call.arguments) for call in first.calls]
    assert arguments == [
        {"city": "example", "unit": "C", "days": 2},
        {"city": "another example", "unit": "F", "days": 3, "comment": "another example"},
    ]
    second = said(chat("move", "turn", history=turn("move", "turn")))
    assert called(second) == []
    assert re.fullmatch(r"This is the answer of the automatic model\. \[[0-9a-f]{8}\]", second.text)


def test_the_same_request_has_the_same_answer() -> None:
    assert said(chat("move")) == said(chat("move"))


def test_one_tool_is_called_twice_with_different_arguments() -> None:
    first = said(chat("move"))
    assert called(first) == ["move", "move"]
    assert len({call.arguments for call in first.calls}) == 2


def test_tools_that_only_read_are_called_before_those_that_change_something() -> None:
    assert called(said(chat("delete_all", "send_mail", "get_mail", "list_mail"))) == ["get_mail", "list_mail"]
    assert called(said(chat("delete_all", "get_mail"))) == ["get_mail", "delete_all"]


def test_a_second_question_is_answered_with_calls_again_but_not_for_ever() -> None:
    again = {"role": "user", "content": "And now?"}
    assert called(said(chat("move", history=(*turn("move"), again)))) == ["move", "move"]
    # An agent that adds a reminder behind the results asks for ever what looks like a question.
    assert called(said(chat("move", history=(*turn("move"), again) * 5))) == []


def test_without_tools_it_answers() -> None:
    assert called(said(chat())) == []


@pytest.mark.parametrize(
    ("choice", "first", "second"),
    [
        ("none", [], []),
        ("auto", ["move", "turn"], []),
        (None, ["move", "turn"], []),
        ("required", ["move"], ["turn"]),
        ({"type": "function", "function": {"name": "turn"}}, ["turn"], ["turn"]),
    ],
    ids=["none", "auto", "null", "required", "named"],
)
def test_a_tool_choice_is_obeyed(choice: object, first: list[str], second: list[str]) -> None:
    assert called(said(chat("move", "turn", tool_choice=choice))) == first
    assert called(said(chat("move", "turn", tool_choice=choice, history=turn("move")))) == second


def test_a_forced_tool_is_called_once() -> None:
    forced = {"type": "function", "function": {"name": "turn"}}
    assert called(said(chat("move", "turn", tool_choice=forced, history=turn("turn")))) == []


def test_no_parallel_calls_where_the_request_forbids_them() -> None:
    assert called(said(chat("move", "turn", parallel_tool_calls=False))) == ["move"]


def test_a_custom_tool_takes_no_json_and_is_not_called() -> None:
    body = {**chat("move"), "tools": [{"type": "custom", "custom": {"name": "shell"}}, *chat("move")["tools"]]}
    assert set(called(said(body))) == {"move"}


def test_an_answer_in_json_fits_its_schema() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    assert json.loads(said(chat(response_format=form)).text) == {"n": 1}


ANTHROPIC = {
    "model": "claude-sonnet-4-6",
    "max_tokens": 4000,
    "messages": [{"role": "user", "content": "hi"}],
    "tools": [{"name": "move", "input_schema": PARAMETERS}],
}


def test_it_thinks_where_the_request_asks_for_it() -> None:
    thinking = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
    plain, thought = (said({**ANTHROPIC, **more}, "anthropic-messages", "/v1/messages") for more in ({}, thinking))
    assert [type(part).__name__ for part in plain.parts] == ["Text", "Call", "Call"]
    assert [type(part).__name__ for part in thought.parts] == ["ThinkingPart", "Text", "Call", "Call"]
    one = {**ANTHROPIC, "tool_choice": {"type": "auto", "disable_parallel_tool_use": True}}
    assert called(said(one, "anthropic-messages", "/v1/messages")) == ["move"]


def test_gemini_says_its_choice_elsewhere() -> None:
    tools = [
        {"functionDeclarations": [{"name": name, "parametersJsonSchema": PARAMETERS} for name in ("move", "turn")]}
    ]
    body = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}], "tools": tools}
    path = "/v1beta/models/gemini-3.6-flash:generateContent"
    some = {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["turn"]}}
    assert called(said(body, "gemini-generate", path)) == ["move", "turn"]
    assert called(said({**body, "toolConfig": some}, "gemini-generate", path)) == ["turn"]


# --- several wires at one address -------------------------------------------------------------------------------------


def test_a_request_is_answered_on_the_wire_that_its_path_says() -> None:
    def rounds(name: NativeWireName) -> Rounds:
        def desk(number: int) -> CaseEndpoint:
            case = Case(id=f"{name}.{number}", scenario="x", wire=name)
            return CaseEndpoint(case, AutomaticModel(), clock=lambda: 0.0, apart=Conversations())

        return Rounds(desk)

    names: tuple[NativeWireName, ...] = ("openai-chat", "anthropic-messages")
    both = ByWire({name: rounds(name) for name in names})
    endpoints = Endpoints()
    prefix = endpoints.open("x", both)
    body = json.dumps(ANTHROPIC).encode()
    headers = {"anthropic-version": "2023-06-01"}
    for path, content, desk in (
        (CHAT, json.dumps(chat("move")).encode(), "openai-chat.1"),
        ("/v1/messages", body, "anthropic-messages.1"),
    ):
        answered_by, _, _ = endpoints.answer("POST", f"{prefix}{path}", headers, content)
        assert answered_by is not None
        assert answered_by.case.id == desk
    assert endpoints.answer("POST", f"{prefix}/v1/responses", {}, b"{}")[0] is None
    assert endpoints.not_served("x") == {"POST /v1/responses": 1}
    assert [len(desk.recorder.trace().exchanges) for desk in both.endpoints] == [1, 1]
    endpoints.close("x")
