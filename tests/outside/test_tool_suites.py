"""Suites that try whether a server can call tools: each tool through a whole framework, and what a caller may ask for.

One kind runs an agent of a framework for each tool, again and again, and looks at what was called and at how the run
ends. Another asks plainly: for one call, several, none, a chosen one, whole and streamed, and then with the results.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, Literal

import pytest

from tests.outside.endpoint import Endpoint, asked
from tests.sdks import agents, openai

CHAT = "/v1/chat/completions"

# --- an agent of a framework ----------------------------------------------------------------------------------------


def harbour_tools(called: list[str]) -> list[Any]:
    """Tools of different shapes, as a suite has them. They note that they were called."""

    def tide(harbour: str, unit: Literal["m", "ft"] = "m") -> str:
        """High water at a harbour."""
        called.append(f"tide {harbour}")
        return f"5.1 {unit}"

    def system_health() -> dict[str, str]:
        """Whether all lights burn."""
        called.append("system_health")
        return {"lights": "all"}

    def berths(names: list[str], longest: float, fenders: bool | None = None) -> list[str]:
        """Free berths."""
        called.append("berths")
        return [f"{name}: {longest} {fenders}" for name in names]

    def invoice(customer: str, lines: list[dict[str, int]]) -> str:
        """What somebody owes."""
        called.append("invoice")
        return f"{customer}: {len(lines)}"

    return [tide, system_health, berths, invoice]


async def run_agent(endpoint: Endpoint, api: str, at: int, model: str, *, stream: bool) -> None:
    called: list[str] = []
    tool = harbour_tools(called)[at]
    async with openai.AsyncOpenAI(base_url=endpoint.v1, api_key="harness", max_retries=0) as client:
        models: dict[str, Any] = {
            "chat": agents.OpenAIChatCompletionsModel,
            "responses": agents.OpenAIResponsesModel,
        }
        agent = agents.Agent(
            name="pilot",
            instructions="Use the tool.",
            tools=[agents.function_tool(tool, strict_mode=False)],
            model=models[api](model, client),
        )
        settings = agents.RunConfig(tracing_disabled=True)
        if stream:
            result = agents.Runner.run_streamed(agent, "What do you know?", run_config=settings)
            kinds = [event.type async for event in result.stream_events()]
            assert "raw_response_event" in kinds
        else:
            result = await agents.Runner.run(agent, "What do you know?", run_config=settings)
    assert called, (api, tool.__name__)
    assert isinstance(result.final_output, str)
    assert result.final_output


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("api", ["chat", "responses"])
def test_an_agent_calls_each_tool_and_ends(api: str, stream: bool) -> None:
    async def all_of_them(endpoint: Endpoint) -> None:
        for model in ("gpt-4.1", "gpt-oss-120b"):
            for at in range(4):
                await asyncio.gather(*(run_agent(endpoint, api, at, model, stream=stream) for _ in range(2)))

    with asked() as endpoint:
        asyncio.run(all_of_them(endpoint))
    assert endpoint.findings == []
    assert len(endpoint.cases) == 16


# --- what a caller may ask for --------------------------------------------------------------------------------------


def tool(name: str, **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": [*properties]}
    return {"type": "function", "function": {"name": name, "description": f"The {name}.", "parameters": schema}}


TIDE = tool("tide", harbour={"type": "string"})
PING = tool("ping")
ROUTE = tool(
    "route",
    start={"type": "object", "properties": {"lat": {"type": "number"}, "lon": {"type": "number"}}, "required": ["lat"]},
    over={"type": "array", "items": {"enum": ["north", "south"]}, "minItems": 2},
)
USER = {"role": "user", "content": "When is high water at Leith, and at Dover?"}


def message_of(endpoint: Endpoint, stream: bool, **body: Any) -> dict[str, Any]:
    """The message of the answer, with why it ended."""
    request = {"model": "gpt-4.1", "messages": [USER], "stream": stream, **body}
    if not stream:
        choice = endpoint.post(CHAT, request).json()["choices"][0]
        return {**choice["message"], "finish_reason": choice["finish_reason"]}
    *chunks, end = endpoint.events(CHAT, request)
    assert end == "[DONE]"
    message: dict[str, Any] = {"role": "assistant", "content": "", "tool_calls": []}
    for choice in [choice for chunk in chunks for choice in chunk["choices"]]:
        delta = choice["delta"]
        message["content"] += delta.get("content") or ""
        for part in delta.get("tool_calls") or ():
            if part["index"] == len(message["tool_calls"]):
                message["tool_calls"].append(
                    {"id": part["id"], "type": "function", "function": {"name": "", "arguments": ""}}
                )
            call = message["tool_calls"][part["index"]]["function"]
            call["name"] += part["function"].get("name") or ""
            call["arguments"] += part["function"].get("arguments") or ""
        message["finish_reason"] = choice["finish_reason"] or message.get("finish_reason")
    return message


def calls_of(message: dict[str, Any]) -> list[tuple[str, Any]]:
    return [
        (each["function"]["name"], json.loads(each["function"]["arguments"]))
        for each in message.get("tool_calls") or ()
    ]


def answered(endpoint: Endpoint, stream: bool, message: dict[str, Any], tools: list[Any], **more: Any) -> None:
    """Send the results, and expect a text."""
    came = {name: value for name, value in message.items() if name != "finish_reason" and value}
    results = [
        {"role": "tool", "tool_call_id": each["id"], "content": "14:20 – 5,1 m 🌊"} for each in message["tool_calls"]
    ]
    last = message_of(endpoint, stream, messages=[USER, came, *results], tools=tools, **more)
    assert last["content"]
    assert not last.get("tool_calls")
    assert last["finish_reason"] == "stop"


def calls_what_it_is_offered(endpoint: Endpoint, stream: bool) -> None:
    message = message_of(endpoint, stream, tools=[TIDE])
    assert {name for name, _ in calls_of(message)} == {"tide"}
    assert message["finish_reason"] == "tool_calls"
    answered(endpoint, stream, message, [TIDE])


def calls_several_at_once(endpoint: Endpoint, stream: bool) -> None:
    message = message_of(endpoint, stream, tools=[TIDE, ROUTE])
    assert len(calls_of(message)) > 1
    assert len({each["id"] for each in message["tool_calls"]}) == len(message["tool_calls"])
    answered(endpoint, stream, message, [TIDE, ROUTE])


def calls_one_at_a_time(endpoint: Endpoint, stream: bool) -> None:
    message = message_of(endpoint, stream, tools=[TIDE, ROUTE], parallel_tool_calls=False)
    assert len(calls_of(message)) == 1
    answered(endpoint, stream, message, [TIDE, ROUTE], parallel_tool_calls=False)


def calls_what_is_chosen(endpoint: Endpoint, stream: bool) -> None:
    choice = {"type": "function", "function": {"name": "route"}}
    message = message_of(endpoint, stream, tools=[TIDE, PING, ROUTE], tool_choice=choice)
    ((name, arguments),) = calls_of(message)
    assert name == "route"
    assert len(arguments["over"]) >= 2
    answered(endpoint, stream, message, [TIDE, PING, ROUTE])


def calls_something_where_it_must(endpoint: Endpoint, stream: bool) -> None:
    assert calls_of(message_of(endpoint, stream, tools=[PING], tool_choice="required")) == [("ping", {})]


def calls_nothing_where_it_may_not(endpoint: Endpoint, stream: bool) -> None:
    for more in ({"tools": [TIDE], "tool_choice": "none"}, {}):
        message = message_of(endpoint, stream, **more)
        assert message["content"]
        assert not message.get("tool_calls")


def answers_after_a_failure(endpoint: Endpoint, stream: bool) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "tide", "arguments": '{"harbour": "Leith"}'}}
    history = [
        USER,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "Error: no such harbour"},
    ]
    assert message_of(endpoint, stream, messages=history, tools=[TIDE])["content"]


ASKED: list[Callable[[Endpoint, bool], None]] = [
    calls_what_it_is_offered,
    calls_several_at_once,
    calls_one_at_a_time,
    calls_what_is_chosen,
    calls_something_where_it_must,
    calls_nothing_where_it_may_not,
    answers_after_a_failure,
]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_tools_are_called_as_it_was_asked(stream: bool) -> None:
    with asked() as endpoint:
        for _ in range(2):
            for ask in ASKED:
                ask(endpoint, stream)
    assert endpoint.findings == []
