"""Reasoning that nobody has asked for: a loop that loses it is found, and each way that a provider recommends is not.

The loops know HTTP and JSON, and nothing of the harness.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import httpx2
import pytest

from harness.endpoint import AutomaticModel, ByWire, CaseEndpoint, Conversations, Endpoints, ModelRequest, Rounds
from harness.endpoint.server import serving
from harness.rules import judge
from harness.trace import Case
from harness.wire import NativeWireName, native_wires, wire
from harness.wire.identity import Identity

pytestmark = pytest.mark.anyio

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
Json = dict[str, Any]


class Refused(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status} {message}")


class Program:
    """A client of an automatic model on all wires."""

    def __init__(self, base_url: str, http: httpx2.AsyncClient) -> None:
        self._base, self._http = base_url, http

    async def ask(self, path: str, body: Json) -> Any:
        headers = {"anthropic-version": "2023-06-01"}
        answer = await self._http.post(f"{self._base}{path}", json=body, headers=headers)
        if answer.status_code != 200:
            raise Refused(answer.status_code, answer.text)
        return answer.json()


async def run(loop: Callable[[Program], Any]) -> list[str]:
    """The rules that a loop breaks, each with its level; the loop may be refused."""

    def rounds(name: NativeWireName) -> Rounds:
        def endpoint(number: int) -> CaseEndpoint:
            case = Case(id=f"{name}.{number}", scenario="x", wire=name)
            return CaseEndpoint(case, AutomaticModel(), clock=lambda: 0.0, apart=Conversations())

        return Rounds(endpoint)

    endpoints = Endpoints()
    served = ByWire({name: rounds(name) for name in native_wires()})
    prefix = endpoints.open("x", served)
    async with serving(endpoints) as base_url, httpx2.AsyncClient(trust_env=False) as http:
        with suppress(Refused):
            await loop(Program(base_url + prefix, http))
    traces = (endpoint.recorder.trace() for endpoint in served.each())
    found = [each for trace in traces for each in judge(trace)]
    return sorted({f"{each.level} {each.reference or each.rule}" for each in found})


# --- Responses ---------------------------------------------------------------------------------------------------

TOOLS = [{"type": "function", "name": "get_weather", "parameters": CITY}]


def outputs(items: list[Json]) -> list[Json]:
    calls = [item for item in items if item["type"] == "function_call"]
    return [{"type": "function_call_output", "call_id": call["call_id"], "output": "sunny"} for call in calls]


def responses(model: str, kept: Callable[[Json], bool] = lambda item: True, **settings: Any) -> Any:
    """A loop that sends every output item back of which ``kept`` is true."""

    async def loop(program: Program) -> None:
        asked: list[Json] = [{"role": "user", "content": "Is it cold in Oslo?"}]
        while True:
            body = {"model": model, "input": asked, "tools": TOOLS, **settings}
            items = (await program.ask("/v1/responses", body))["output"]
            asked += [item for item in items if kept(item)]
            if not outputs(items):
                return
            asked += outputs(items)

    return loop


def no_reasoning(item: Json) -> bool:
    return bool(item["type"] != "reasoning")


async def by_id(program: Program) -> None:
    body: Json = {"model": "gpt-5.5", "tools": TOOLS}
    first = await program.ask("/v1/responses", {**body, "input": "Is it cold in Oslo?"})
    assert first["output"][0]["type"] == "reasoning"
    more = {"input": outputs(first["output"]), "previous_response_id": first["id"]}
    await program.ask("/v1/responses", {**body, **more})


async def by_conversation(program: Program) -> None:
    body: Json = {"model": "gpt-5.5", "tools": TOOLS, "conversation": "conv_0123456789abcdef"}
    first = await program.ask("/v1/responses", {**body, "input": "Is it cold in Oslo?"})
    await program.ask("/v1/responses", {**body, "input": outputs(first["output"])})


ENCRYPTED = {"store": False, "include": ["reasoning.encrypted_content"]}


@pytest.mark.parametrize("model", ["gpt-5.5", "o3", "gpt-5-mini", "gpt-5.6", "openai/o4-mini"])
async def test_a_loop_that_drops_reasoning_items_is_found_on_a_default_request(model: str) -> None:
    assert "MUST OAI-15" in await run(responses(model, no_reasoning))


@pytest.mark.parametrize("model", ["gpt-4.1", "gpt-5.1", "gpt-5.4-mini", "gpt-5-chat-latest", "a-model-of-mine"])
async def test_a_model_that_does_not_reason_has_nothing_to_lose(model: str) -> None:
    assert await run(responses(model, no_reasoning)) == []


@pytest.mark.parametrize("effort", ["none", "minimal"])
async def test_no_effort_no_reasoning(effort: str) -> None:
    model = "gpt-5" if effort == "minimal" else "gpt-5.5"
    assert await run(responses(model, no_reasoning, reasoning={"effort": effort})) == []


async def test_an_effort_that_is_asked_for_is_made() -> None:
    assert "MUST OAI-15" in await run(responses("gpt-5.1", no_reasoning, reasoning={"effort": "low"}))


@pytest.mark.parametrize(
    "loop",
    [
        responses("gpt-5.5"),
        responses("gpt-5.6"),
        responses("o3", **ENCRYPTED),
        responses("gpt-5.5", reasoning={"summary": "auto"}, **ENCRYPTED),
        responses("grok-4.3"),
        responses("deepseek-v4-flash"),
        responses("openai/gpt-oss-20b"),
        by_id,
        by_conversation,
    ],
    ids=["echo", "echo encrypted", "stateless", "summary", "grok", "deepseek", "gpt-oss", "by id", "conversation"],
)
async def test_each_way_to_go_on_that_is_recommended_is_right(loop: Any) -> None:
    assert await run(loop) == []


async def test_reasoning_that_nobody_can_send_back_need_not_come_back() -> None:
    """It is neither kept nor encrypted: dropping it is all that a loop can do, and the bare item is not found."""
    assert await run(responses("gpt-5.5", no_reasoning, store=False)) == []
    assert "MUST OAI-16" in await run(responses("gpt-5.5", store=False))


async def test_a_response_hides_what_is_not_asked_for() -> None:
    shown: list[Json] = []

    async def loop(program: Program) -> None:
        for settings in ({}, {"reasoning": {"summary": "auto"}}, ENCRYPTED, {"model": "deepseek-v4-flash"}):
            body = {"model": "gpt-5.5", "input": "Is it cold?", **settings}
            shown.append((await program.ask("/v1/responses", body))["output"][0])

    assert await run(loop) == []
    members = [{name for name in ("summary", "encrypted_content", "content") if item.get(name)} for item in shown]
    assert members == [set(), {"summary"}, {"encrypted_content"}, {"content"}]


# --- the other wires --------------------------------------------------------------------------------------------------


def chat(model: str, *lost: str, **settings: Any) -> Any:
    """A loop on Chat that loses members of the model's messages."""

    async def loop(program: Program) -> None:
        tools = [{"type": "function", "function": {"name": "get_weather", "parameters": CITY}}]
        messages: list[Json] = [{"role": "user", "content": "Is it cold in Oslo?"}]
        while True:
            body = {"model": model, "messages": messages, "tools": tools, **settings}
            message = (await program.ask("/v1/chat/completions", body))["choices"][0]["message"]
            messages.append({name: value for name, value in message.items() if name not in lost})
            if "tool_calls" in message:
                kept = [{name: each[name] for name in each if name not in lost} for each in message["tool_calls"]]
                messages[-1]["tool_calls"] = kept
            if not message.get("tool_calls"):
                return
            for call in message["tool_calls"]:
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": "sunny"})

    return loop


def gemini(model: str, *lost: str, **config: Any) -> Any:
    async def loop(program: Program) -> None:
        tools = [{"functionDeclarations": [{"name": "get_weather", "parametersJsonSchema": CITY}]}]
        contents: list[Json] = [{"role": "user", "parts": [{"text": "Is it cold in Oslo?"}]}]
        while True:
            body = {"contents": contents, "tools": tools, "generationConfig": config}
            answer = await program.ask(f"/v1beta/models/{model}:generateContent", body)
            parts = answer["candidates"][0]["content"]["parts"]
            calls = [part["functionCall"] for part in parts if "functionCall" in part]
            kept = [{name: value for name, value in part.items() if name not in lost} for part in parts]
            contents.append({"role": "model", "parts": kept})
            if not calls:
                return
            found = [
                {"functionResponse": {"id": call["id"], "name": call["name"], "response": {"output": "sunny"}}}
                for call in calls
            ]
            contents.append({"role": "user", "parts": found})

    return loop


def anthropic(model: str, *lost: str, **settings: Any) -> Any:
    async def loop(program: Program) -> None:
        tools = [{"name": "get_weather", "input_schema": CITY}]
        messages: list[Json] = [{"role": "user", "content": "Is it cold in Oslo?"}]
        while True:
            body = {"model": model, "max_tokens": 4096, "messages": messages, "tools": tools, **settings}
            content = (await program.ask("/v1/messages", body))["content"]
            messages.append({"role": "assistant", "content": [each for each in content if each["type"] not in lost]})
            calls = [each for each in content if each["type"] == "tool_use"]
            if not calls:
                return
            results = [{"type": "tool_result", "tool_use_id": call["id"], "content": "sunny"} for call in calls]
            messages.append({"role": "user", "content": results})

    return loop


def bedrock(model: str, *lost: str) -> Any:
    async def loop(program: Program) -> None:
        tools = [{"toolSpec": {"name": "get_weather", "inputSchema": {"json": CITY}}}]
        messages: list[Json] = [{"role": "user", "content": [{"text": "Is it cold in Oslo?"}]}]
        while True:
            body = {"messages": messages, "toolConfig": {"tools": tools}}
            message = (await program.ask(f"/model/{model}/converse", body))["output"]["message"]
            kept = [each for each in message["content"] if not set(lost) & set(each)]
            messages.append({**message, "content": kept})
            calls = [each["toolUse"] for each in message["content"] if "toolUse" in each]
            if not calls:
                return
            found = [{"toolUseId": call["toolUseId"], "content": [{"text": "sunny"}]} for call in calls]
            messages.append({"role": "user", "content": [{"toolResult": each} for each in found]})

    return loop


def interactions(model: str, *lost: str) -> Any:
    async def loop(program: Program) -> None:
        tools = [{"type": "function", "name": "get_weather", "parameters": CITY}]
        steps: list[Json] = [{"type": "user_input", "content": [{"type": "text", "text": "Is it cold in Oslo?"}]}]
        while True:
            body = {"model": model, "input": steps, "tools": tools, "store": False}
            got = (await program.ask("/v1beta/interactions", body))["steps"]
            steps += [step for step in got if step["type"] not in lost]
            calls = [step for step in got if step["type"] == "function_call"]
            if not calls:
                return
            steps += [
                {"type": "function_result", "call_id": call["id"], "name": call["name"], "result": "sunny"}
                for call in calls
            ]

    return loop


@pytest.mark.parametrize(
    ("loop", "rule"),
    [
        (chat("deepseek-v4-flash", "reasoning_content"), "MUST OAC-19"),
        (chat("deepseek-reasoner", "reasoning_content"), "MUST OAC-19"),
        (chat("kimi-k2.5", "reasoning_content"), "MUST OAC-19"),
        (chat("gemini-3.6-flash", "extra_content"), "MUST OAC-SIGNED"),
        (gemini("gemini-3.6-flash", "thoughtSignature"), "MUST GEM-08"),
        (gemini("gemini-3-pro-preview", "thoughtSignature"), "MUST GEM-08"),
        (anthropic("claude-opus-5", "thinking"), "SHOULD ANT-15"),
        (gemini("gemini-2.5-flash", "thoughtSignature"), "SHOULD history/model-thinking"),
        (interactions("gemini-3.8-flash", "thought"), "MUST INT-10"),
    ],
    ids=[
        "deepseek",
        "reasoner",
        "kimi",
        "gemini on chat",
        "gemini",
        "gemini pro",
        "opus",
        "older gemini",
        "interactions",
    ],
)
async def test_thinking_that_is_lost_is_found_on_every_wire_that_wants_it_back(loop: Any, rule: str) -> None:
    assert rule in await run(loop)


@pytest.mark.parametrize(
    "loop",
    [
        chat("deepseek-v4-flash"),
        chat("deepseek-v4-flash", "reasoning_content", thinking={"type": "disabled"}),
        chat("kimi-k2.5"),
        chat("gemini-3.6-flash"),
        chat("google/gemini-3.6-flash", "extra_content"),
        chat("gpt-4.1", "reasoning_content"),
        chat("gpt-5-mini", "reasoning_content"),
        chat("openai/gpt-oss-120b", "reasoning_content"),
        chat("qwen3-8b", "reasoning_content"),
        gemini("gemini-3.6-flash"),
        gemini("gemini-3.6-flash", thinkingConfig={"includeThoughts": True}),
        gemini("gemini-2.5-flash"),
        gemini("gemini-2.0-flash", "thoughtSignature"),
        anthropic("claude-opus-5"),
        anthropic("claude-opus-5", "thinking", thinking={"type": "disabled"}),
        anthropic("claude-sonnet-4-6", "thinking"),
        bedrock("openai.gpt-oss-120b-1:0"),
        bedrock("openai.gpt-oss-120b-1:0", "reasoningContent"),
        bedrock("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "reasoningContent"),
        interactions("gemini-3.8-flash"),
    ],
    ids=range(20),
)
async def test_a_loop_that_is_right_on_its_wire_is_not_blamed(loop: Any) -> None:
    assert await run(loop) == []


async def test_gemini_signs_what_it_has_thought_about() -> None:
    signed: list[list[bool]] = []

    async def loop(program: Program) -> None:
        tools = [{"functionDeclarations": [{"name": "get_weather", "parametersJsonSchema": CITY}]}]
        body = {"contents": [{"role": "user", "parts": [{"text": "Is it cold?"}]}], "tools": tools}
        for model, config in (
            ("gemini-3.6-flash", {}),
            ("gemini-2.5-pro", {"includeThoughts": True}),
            ("gemini-2.5-flash", {"thinkingBudget": 0}),
            ("gemini-2.5-flash-lite", {}),
            ("gemini-2.0-flash", {}),
        ):
            asked = {**body, "generationConfig": {"thinkingConfig": config}}
            answer = await program.ask(f"/v1beta/models/{model}:generateContent", asked)
            parts = answer["candidates"][0]["content"]["parts"]
            signed.append(["thoughtSignature" in part for part in parts])
            assert any(part.get("thought") for part in parts) == ("includeThoughts" in config)

    await run(loop)
    assert signed == [
        [False, True, False],
        [False, False, True, False],
        [False, False, False],
        [False, False, False],
        [False, False, False],
    ]


@pytest.mark.parametrize(
    ("model", "offers", "signs"),
    [("gemini-2.5-flash", False, False), ("gemini-2.5-flash", True, True), ("gemini-3-flash-preview", False, True)],
)
def test_gemini_before_3_signs_a_text_only_where_functions_are_declared(model: str, offers: bool, signs: bool) -> None:
    body: dict[str, Any] = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}
    if offers:
        body |= {
            "tools": [{"functionDeclarations": [{"name": "read"}]}],
            "toolConfig": {"functionCallingConfig": {"mode": "NONE"}},
        }
    spoken = wire("gemini-generate")
    path = f"/v1beta/models/{model}:generateContent"
    route = spoken.route("POST", path)
    assert route is not None
    asked = spoken.read(route, json.dumps(body).encode())
    step = AutomaticModel().next(ModelRequest("POST", path, {}, b"", asked))
    rendered = spoken.render(step.turn, Identity("a"), asked)
    assert (b"thoughtSignature" in rendered.body) is signs
