"""Errors by their kind, and connections that break where parts have come whole."""

from __future__ import annotations

import json
from typing import get_args

import pytest

from harness.gateway import CaseEndpoint, Gateway, ResponsePlan, ScriptSource
from harness.scenario import Cut, HttpErrorStep, Step, TurnStep
from harness.trace import Case
from harness.wire import Call, Conversation, Message, Text, ThinkingPart, Turn, WireName, native_wires, wire
from harness.wire.failures import FailureKind

KINDS: tuple[FailureKind, ...] = get_args(FailureKind)
TURN = Turn((ThinkingPart("I look it up first."), Text("One moment."), Call("a", '{"n": 1}'), Call("b", '{"n": 2}')))

WORDS: dict[FailureKind, dict[WireName, tuple[int, str, str]]] = {
    "context_length": {
        "anthropic-messages": (400, "invalid_request_error", "prompt is too long: "),
        "openai-responses": (400, "context_length_exceeded", "Your input exceeds the context window"),
        "openai-chat": (400, "context_length_exceeded", "This model's maximum context length is "),
        "gemini-generate": (400, "INVALID_ARGUMENT", "The input token count ("),
        "bedrock-converse": (400, "", "Input is too long for requested model."),
    },
    "quota": {
        "anthropic-messages": (400, "invalid_request_error", "Your credit balance is too low"),
        "openai-responses": (429, "insufficient_quota", "You exceeded your current quota"),
        "openai-chat": (429, "insufficient_quota", "You exceeded your current quota"),
        "gemini-generate": (429, "RESOURCE_EXHAUSTED", "You exceeded your current quota"),
        "bedrock-converse": (429, "", "Too many tokens per day"),
    },
    "model_retired": {
        "anthropic-messages": (404, "not_found_error", "model: claude"),
        "openai-responses": (400, "model_not_found", "has been deprecated"),
        "openai-chat": (404, "model_not_found", "has been deprecated"),
        "gemini-generate": (404, "NOT_FOUND", "is not found for API version v1beta"),
        "bedrock-converse": (404, "", "has reached the end of its life"),
    },
    "overloaded": {
        "anthropic-messages": (529, "overloaded_error", "Overloaded"),
        "openai-responses": (503, "server_error", "The server is overloaded"),
        "openai-chat": (503, "server_error", "The server is overloaded"),
        "gemini-generate": (503, "UNAVAILABLE", "The model is overloaded"),
        "bedrock-converse": (503, "", "Bedrock is unable to process your request."),
    },
}
"""Status, type or code, and a part of the text."""


def answered(name: WireName, step: Step, *, stream: bool = True) -> ResponsePlan:
    case = CaseEndpoint(Case(id="a-case", scenario="a-case", wire=name), ScriptSource([step]), clock=lambda: 0.0)
    gateway = Gateway()
    gateway.open("a-case", case)
    speaks = wire(name)
    prompt = (Message("user", (Text("Hi."),), ""),)
    asked = Conversation(name, speaks.default_model, stream, prompt, body=speaks.settings)
    request = speaks.write(asked)
    headers = {"content-type": "application/json"}
    plan = gateway.answer("POST", f"/case/a-case{request.path}", headers, request.body)[2]
    assert isinstance(plan, ResponsePlan)
    return plan


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", native_wires())
def test_an_error_of_a_kind_is_in_the_provider_s_words(name: WireName, kind: FailureKind) -> None:
    status, code, text = WORDS[kind][name]
    plan = answered(name, HttpErrorStep(400, kind=kind))
    error = json.loads(b"".join(plan.chunks))
    error = error.get("error", error)
    assert plan.status == status
    assert text in error["message"]
    assert not code or code in (error.get("type"), error.get("code"), error.get("status"))


@pytest.mark.parametrize("name", native_wires())
def test_an_error_of_a_kind_says_how_long_to_wait(name: WireName) -> None:
    plan = answered(name, HttpErrorStep(503, retry_after=7, kind="overloaded"))
    waits = wire(name).wait_in_error(json.loads(b"".join(plan.chunks)))
    assert plan.headers.get("retry-after", waits) in ("7", 7.0)


@pytest.mark.parametrize("parts", range(5))
@pytest.mark.parametrize("name", native_wires())
def test_a_connection_breaks_where_so_many_parts_have_come_whole(name: WireName, parts: int) -> None:
    plan = answered(name, TurnStep(TURN, Cut(parts=parts)))
    came = wire(name).parse(plan.headers["content-type"], b"".join(plan.chunks))
    whole = answered(name, TurnStep(TURN))
    all_of_it = wire(name).parse(whole.headers["content-type"], b"".join(whole.chunks))
    assert plan.end == "cut"
    assert not came.complete
    assert came.turn.parts == all_of_it.turn.parts[:parts]


@pytest.mark.parametrize("name", native_wires())
def test_nothing_of_a_document_is_whole(name: WireName) -> None:
    plan = answered(name, TurnStep(TURN, Cut(parts=2)), stream=False)
    assert plan.end == "cut"
    with pytest.raises(json.JSONDecodeError):
        json.loads(b"".join(plan.chunks))
