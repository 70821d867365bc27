"""What the official SDKs can ask for, member by member: answered so that the SDK reads it, and no finding.

The SDKs' own tests call each method with what is required, and with every member. So does this: each value of each
member that an SDK declares is sent by itself (``sdk_values``), and so is a history with each item, block and message
(``sdk_histories``), by turns whole and streamed. The SDK checks the answers against its types. What a provider refuses
stands in ``REFUSED`` and ``REFUSED_HISTORIES`` with the reason; everything else must be answered.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from tests.outside.endpoint import Endpoint, asked
from tests.outside.sdk_histories import of_chat, of_messages, of_responses
from tests.outside.sdk_values import members, values
from tests.sdks import anthropic, openai

ASKED: list[Any] = [{"role": "user", "content": "Which tide is it?"}]
CALL = {"type": "object", "properties": {"harbour": {"type": "string"}}, "required": ["harbour"]}


def sdks(endpoint: Endpoint) -> tuple[openai.OpenAI, anthropic.Anthropic]:
    """Clients that raise where an answer is not of its type."""
    common: dict[str, Any] = {"api_key": "harness", "max_retries": 0, "_strict_response_validation": True}
    return (
        openai.OpenAI(base_url=endpoint.v1, http_client=endpoint.http, **common),
        anthropic.Anthropic(base_url=endpoint.url, http_client=endpoint.http, **common),
    )


def chat(endpoint: Endpoint) -> Callable[..., Any]:
    create = sdks(endpoint)[0].chat.completions.create
    return lambda **more: create(**{"model": "gpt-4.1", "messages": ASKED, **more})


def responses(endpoint: Endpoint) -> Callable[..., Any]:
    create = sdks(endpoint)[0].responses.create
    return lambda **more: create(**{"model": "gpt-4.1", "input": "Which tide is it?", **more})


def messages(endpoint: Endpoint) -> Callable[..., Any]:
    create = sdks(endpoint)[1].messages.create
    return lambda **more: create(**{"model": "claude-sonnet-4-6", "max_tokens": 2000, "messages": ASKED, **more})


def beta_messages(endpoint: Endpoint) -> Callable[..., Any]:
    create = sdks(endpoint)[1].beta.messages.create
    return lambda **more: create(**{"model": "claude-sonnet-4-6", "max_tokens": 2000, "messages": ASKED, **more})


def declared(method: str) -> Any:
    return {
        "chat": lambda: openai.types.chat.completion_create_params.CompletionCreateParamsBase,
        "responses": lambda: openai.types.responses.response_create_params.ResponseCreateParamsBase,
        "messages": lambda: anthropic.types.message_create_params.MessageCreateParamsBase,
        "beta_messages": lambda: anthropic.types.beta.message_create_params.MessageCreateParamsBase,
    }[method]()


METHODS: dict[str, Callable[[Endpoint], Callable[..., Any]]] = {
    "chat": chat,
    "responses": responses,
    "messages": messages,
    "beta_messages": beta_messages,
}
NOTHING: Mapping[str, Any] = {}
HISTORIES = ("messages", "input", "model")
"""Not each of their values is right by itself."""


def refused(method: str, name: str, value: Any) -> str:
    """Why the provider refuses a value; empty if it does not."""
    wrong, why = REFUSED.get((method, name), (lambda _: False, ""))
    return why if wrong(value) else ""


def is_xhigh(value: Any) -> bool:
    return isinstance(value, dict) and value.get("effort") == "xhigh"


def has_no_type(tools: Any) -> bool:
    return "input_schema" in tools[0] and "type" not in tools[0]["input_schema"]


def are_all_deferred(tools: Any) -> bool:
    return all(tool.get("defer_loading") for tool in tools)


REFUSED: dict[tuple[str, str], tuple[Callable[[Any], bool], str]] = {
    ("responses", "max_output_tokens"): (lambda value: value is not None, "less than 16"),
    ("responses", "previous_response_id"): (bool, "there is no response of this id"),
    ("responses", "reasoning"): (lambda value: bool(value and value.get("effort")), "gpt-4.1 does not reason"),
    ("messages", "output_config"): (is_xhigh, "not an effort of claude-sonnet-4-6"),
    ("beta_messages", "output_config"): (is_xhigh, "not an effort of claude-sonnet-4-6"),
    ("beta_messages", "thread"): (lambda value: bool(value) and value["type"] == "continue", "there is no such thread"),
    ("messages", "tools"): (lambda tools: are_all_deferred(tools) or has_no_type(tools), "deferred, or without a type"),
    ("beta_messages", "tools"): (
        lambda tools: are_all_deferred(tools) or has_no_type(tools),
        "deferred, or without a type",
    ),
}


def companions(method: str, name: str) -> dict[str, Any]:
    """What must be beside a member for it to mean anything."""
    if name != "tool_choice":
        return {}
    tool = {"name": "example", "description": "The tides of a harbour."}
    if method == "chat":
        return {"tools": [{"type": "function", "function": {**tool, "parameters": CALL}}]}
    if method == "responses":
        return {"tools": [{"type": "function", **tool, "parameters": CALL, "strict": False}]}
    return {"tools": [{**tool, "input_schema": CALL}]}


def forms(method: str) -> Iterator[tuple[str, Any]]:
    """The members of a request of the method, each with each of its values. Of the beta those that it alone has."""
    known = {_said(form) for form in forms("messages")} if method == "beta_messages" else set()
    for name, kind in members(declared(method)).items():
        if name not in HISTORIES:
            yield from (form for value in values(kind) if _said(form := (name, value)) not in known)


def histories(method: str) -> Iterator[tuple[str, list[Any]]]:
    """Histories with everything that the method takes, each with what it is about. Of the beta those of its own."""
    match method:
        case "chat":
            yield from of_chat()
        case "responses":
            yield from of_responses()
        case "messages":
            yield from of_messages(beta=False)
        case _:
            known = {_said(each) for each in of_messages(beta=False)}
            yield from (each for each in of_messages(beta=True) if _said(each) not in known)


def _said(form: Any) -> str:
    return json.dumps(form, sort_keys=True)


def sent(send: Callable[..., Any], name: str, value: Any, beside: Mapping[str, Any] = NOTHING, *, stream: bool) -> str:
    """What was wrong with the answer; empty if it was read to its end."""
    try:
        answer = send(**{name: value}, **beside, **({"stream": True} if stream else {}))
        if stream:
            assert [each for each in answer if each is not None]
    except (openai.OpenAIError, anthropic.AnthropicError) as problem:
        return f"{type(problem).__name__} {str(problem)[:300]}"
    return ""


@pytest.mark.sampled(4)
@pytest.mark.parametrize("method", METHODS)
def test_each_value_of_each_member_is_answered(method: str) -> None:
    wrong: list[str] = []
    with asked() as endpoint:
        send = METHODS[method](endpoint)
        number = 0
        for number, (name, value) in enumerate(forms(method)):
            problem = sent(send, name, value, companions(method, name), stream=bool(number % 2))
            expected = refused(method, name, value)
            if bool(problem) != bool(expected):
                wrong.append(
                    f"{name}={json.dumps(value)[:200]}: {problem or 'answered'}, not: {expected or 'answered'}"
                )
        assert number > 100
    assert wrong == []
    answered = {case for case, statuses in endpoint.cases.items() if {*statuses} == {200}}
    assert [each for each in endpoint.musts if each.partition(" ")[0] in answered] == []


REFUSED_HISTORIES: dict[tuple[str, str], tuple[str, str]] = {
    ("chat", "user"): ('"type": "input_audio"', "gpt-4.1 does not hear"),
    ("chat", "function"): ('"content": null, "name"', "a result is a text"),
    ("responses", "reasoning"): ('"status":', "reasoning has no status"),
    ("messages", "tool_use"): ('"tool_id":', "there is no call of the tool that calls it"),
    ("messages", "server_tool_use"): ('"tool_id":', "there is no call of the tool that calls it"),
    ("messages", "tool_search_tool_result"): ('"tool_name":', "there is no such tool"),
    ("beta_messages", "fallback"): ("", "needs a beta"),
    ("beta_messages", "server_tool_use"): ('"tool_id":', "there is no call of the tool that calls it"),
}
"""By method and type: what is in the ones that the provider refuses, and why it does."""


def refused_history(method: str, kind: str, history: list[Any]) -> str:
    """Why the provider refuses a history; empty if it does not."""
    said = _said(history)
    if method == "chat" and kind == "assistant":
        message = history[1]
        has_any = any(message.get(name) is not None for name in ("content", "function_call", "audio", "refusal"))
        return "" if has_any or message.get("tool_calls") else "it says nothing"
    if kind == "tool_result" and ('"citations": [' in said or '"tool_name":' in said):
        return "citations in a result, or a tool that is not there"
    part, why = REFUSED_HISTORIES.get((method, kind), ("nothing", ""))
    return why if part in said else ""


@pytest.mark.sampled(4)
@pytest.mark.parametrize("method", METHODS)
def test_each_message_item_and_block_is_answered(method: str) -> None:
    wrong: list[str] = []
    member = "input" if method == "responses" else "messages"
    with asked() as endpoint:
        send = METHODS[method](endpoint)
        number = 0
        for number, (kind, history) in enumerate(histories(method)):
            problem = sent(send, member, history, stream=bool(number % 2))
            expected = refused_history(method, kind, history)
            if bool(problem) != bool(expected):
                wrong.append(f"{kind} {_said(history)[-300:]}: {problem or 'answered'}, not: {expected or 'answered'}")
        assert number > 40
    assert wrong == []
    answered = {case for case, statuses in endpoint.cases.items() if {*statuses} == {200}}
    assert [each for each in endpoint.musts if each.partition(" ")[0] in answered] == []
