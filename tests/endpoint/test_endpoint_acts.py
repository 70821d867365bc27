"""Errors by their kind, and connections that break where parts have come whole."""

from __future__ import annotations

import json
from typing import get_args

import pytest

from harness.endpoint import CaseEndpoint, Endpoints, ResponsePlan
from harness.scenario import Cut, HttpErrorStep, Step, TurnStep
from harness.wire import Call, Text, ThinkingPart, Turn, WireName, native_wires, wire
from harness.wire.failures import FailureKind
from tests.endpoint.endpoint import answered as delivered
from tests.endpoint.endpoint import desk, greeting, opened

JSON = {"content-type": "application/json"}
KINDS: tuple[FailureKind, ...] = get_args(FailureKind)
TURN = Turn((ThinkingPart("I look it up first."), Text("One moment."), Call("a", '{"n": 1}'), Call("b", '{"n": 2}')))

WORDS: dict[FailureKind, dict[WireName, tuple[int, str, str]]] = {
    "context_length": {
        "anthropic-messages": (400, "invalid_request_error", "prompt is too long: "),
        "openai-responses": (400, "context_length_exceeded", "Your input exceeds the context window"),
        "openai-chat": (400, "context_length_exceeded", "This model's maximum context length is "),
        "gemini-generate": (400, "INVALID_ARGUMENT", "The input token count ("),
        "bedrock-converse": (400, "", "Input is too long for requested model."),
        "gemini-interactions": (400, "invalid_request", "The input token count ("),
    },
    "quota": {
        "anthropic-messages": (400, "invalid_request_error", "Your credit balance is too low"),
        "openai-responses": (429, "insufficient_quota", "You exceeded your current quota"),
        "openai-chat": (429, "insufficient_quota", "You exceeded your current quota"),
        "gemini-generate": (429, "RESOURCE_EXHAUSTED", "You exceeded your current quota"),
        "bedrock-converse": (429, "", "Too many tokens per day"),
        "gemini-interactions": (429, "quota_exceeded", "You exceeded your current quota"),
    },
    "model_retired": {
        "anthropic-messages": (404, "not_found_error", "model: claude"),
        "openai-responses": (400, "model_not_found", "has been deprecated"),
        "openai-chat": (404, "model_not_found", "has been deprecated"),
        "gemini-generate": (404, "NOT_FOUND", "is not found for API version v1beta"),
        "bedrock-converse": (404, "", "has reached the end of its life"),
        "gemini-interactions": (404, "model_not_found", "is not found"),
    },
    "overloaded": {
        "anthropic-messages": (529, "overloaded_error", "Overloaded"),
        "openai-responses": (503, "server_error", "The server is overloaded"),
        "openai-chat": (503, "server_error", "The server is overloaded"),
        "gemini-generate": (503, "UNAVAILABLE", "The model is overloaded"),
        "bedrock-converse": (503, "", "Bedrock is unable to process your request."),
        "gemini-interactions": (503, "service_unavailable", "currently unavailable"),
    },
}
"""Status, type or code, and a part of the text."""


def answered(name: WireName, step: Step, *, stream: bool = True) -> ResponsePlan:
    request = greeting(name, stream=stream)
    return delivered(opened(desk([step], wire=name)), request.path, request.body, JSON)


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


# --- responses that are made in the background ----------------------------------------------------------------

RESPONSES = "openai-responses"


def in_the_background() -> tuple[Endpoints, CaseEndpoint, str]:
    """A case whose model has been asked for a response in the background, and the path at which it is fetched."""
    case = desk([TurnStep(TURN)], wire=RESPONSES)
    endpoints = opened(case)
    request = greeting(RESPONSES, stream=False, background=True, store=True)
    document = json.loads(b"".join(delivered(endpoints, request.path, request.body, JSON).chunks))
    assert (document["status"], document["output"], document["background"]) == ("queued", [], True)
    return endpoints, case, f"/case/a-case/v1/responses/{document['id']}"


def fetched(endpoints: Endpoints, path: str) -> dict[str, object]:
    endpoint, _, plan = endpoints.answer("GET", path, {}, b"")
    assert endpoint is None, "it is no exchange of its own"
    assert isinstance(plan, ResponsePlan)
    document: dict[str, object] = json.loads(b"".join(plan.chunks))
    return document


def test_a_response_in_the_background_is_fetched_until_it_is_done() -> None:
    endpoints, case, path = in_the_background()
    states = [fetched(endpoints, path)["status"] for _ in range(3)]
    assert states == ["in_progress", "completed", "completed"]
    (exchange,) = case.recorder.trace().exchanges
    assert exchange.response is not None
    assert wire(RESPONSES).parse("application/json", exchange.response.body).turn.calls[1].name == "b"


def test_a_response_in_the_background_that_nobody_fetches_is_not_whole() -> None:
    _, case, _ = in_the_background()
    case.close()
    (exchange,) = case.recorder.trace().exchanges
    assert exchange.response is not None
    assert exchange.response.end == "closed"
    assert not wire(RESPONSES).parse("application/json", exchange.response.body).complete


def test_a_response_that_was_not_made_is_not_served() -> None:
    endpoints, _, _ = in_the_background()
    endpoint, _, plan = endpoints.answer("GET", "/case/a-case/v1/responses/resp_nobody", {}, b"")
    assert endpoint is None
    assert isinstance(plan, ResponsePlan)
    assert plan.status == 404
