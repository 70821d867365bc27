"""What a command is given, what it may say, and what the harness answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.scenario import (
    EditedTurn,
    EditToolResponse,
    GenerateToolResponse,
    PushMessages,
    Resolve,
    SetMessages,
    SetParams,
    Tool,
)
from harness.targets.base import CaseRun
from harness.targets.command import output
from harness.targets.command.case_line import case_line
from harness.targets.command.conversation import CommandConversation
from harness.targets.command.output import LineSplitter, TargetFailed
from harness.targets.command.surroundings import surroundings
from harness.trace import Assistant, Event, Failure, Final, ToolResult, ToolStart
from harness.trace.files import event_members
from harness.wire import ToolDeclaration
from tests.case_tables import from_table
from tests.scenarios import shipped_scenarios

WEATHER = ToolDeclaration("get_weather", "The weather.", {"type": "object"})
URL = "http://127.0.0.1:8000/case/answer.openai-chat.event"


def case_run(tools: tuple[Tool, ...] = (), **given: Any) -> CaseRun:
    prompt = (("system", "Be brief."), ("user", "Hi \ud800."))
    return CaseRun("openai-chat", "gpt-4.1", URL, prompt, tools, given.pop("emit", lambda event: None), **given)


def told(case: CaseRun) -> dict[str, Any]:
    line = case_line(case)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    value: dict[str, Any] = json.loads(line)
    return value


# --- the case -----------------------------------------------------------------------------------------------


def test_the_case_is_one_line_of_json() -> None:
    assert told(case_run()) == {
        "harness": 1,
        "case": "answer.openai-chat.event",
        "persistent": False,
        "wire": "openai-chat",
        "model": "gpt-4.1",
        "reasons": False,
        "base_url": URL,
        "api_key": "harness",
        "prompt": [{"role": "system", "text": "Be brief."}, {"role": "user", "text": "Hi \ud800."}],
        "tools": [],
        "stream": True,
        "turn_limit": None,
        "profile": "universal",
        "resolve": [],
        "answer_schema": None,
        "caller": {},
        "run": 1,
        "state": {},
        "resumed": False,
    }


def test_the_case_names_its_transport_where_that_is_not_http() -> None:
    assert told(replace(case_run(), transport="websocket"))["transport"] == "websocket"
    assert "transport" not in told(case_run())


def test_what_is_made_for_each_call_is_not_sent_as_what_a_tool_returns() -> None:
    """A program that answered the calls itself would return the braces."""
    (sent,) = told(case_run((Tool(WEATHER, returns={"code": ["{{fresh}}"]}),)))["tools"]
    assert "returns" not in sent
    assert "raises" not in sent


def test_a_tool_says_what_it_returns_or_raises_or_neither() -> None:
    tools = (
        Tool(WEATHER, returns=None, extra="Bring a coat.", finishes_after="get_time"),
        Tool(WEATHER, raises="no satellite"),
        Tool(WEATHER, kind="output"),
        Tool(WEATHER, kind="unapproved", returns=1),
        Tool(WEATHER, canonical=True),
    )
    said = told(case_run(tools))["tools"]
    assert said[0] == {
        "name": "get_weather",
        "description": "The weather.",
        "parameters": {"type": "object"},
        "kind": "function",
        "extra": "Bring a coat.",
        "finishes_after": "get_time",
        "returns": None,
    }
    assert [each.keys() & {"returns", "raises"} for each in said] == [
        {"returns"},
        {"raises"},
        set(),
        {"returns"},
        set(),
    ]


def test_callers_and_resolutions_are_in_the_words_of_scenarios() -> None:
    case = case_run(
        resolve=({"ask": Resolve("supply", 3), "delete": (Resolve("approve"), Resolve("deny", "No."))},),
        caller={
            2: (
                GenerateToolResponse(),
                EditToolResponse("a", "b"),
                PushMessages(("turn", "response", ("user", "More."))),
                PushMessages((EditedTurn("a", "b"),)),
                SetMessages(("history",)),
                SetParams({"max_tokens": 9}),
            )
        },
    )
    said = told(case)
    assert said["resolve"] == [{"ask": {"supply": 3}, "delete": ["approve", {"deny": "No."}]}]
    assert said["caller"] == {
        "2": [
            "generate_tool_response",
            {"edit_tool_response": {"old": "a", "new": "b"}},
            {"push_messages": ["turn", "response", {"user": "More."}]},
            {"push_messages": [{"turn": {"old": "a", "new": "b"}}]},
            {"set_messages": ["history"]},
            {"set_params": {"max_tokens": 9}},
        ]
    }


def test_every_shipped_scenario_can_be_said() -> None:
    for scenario in shipped_scenarios():
        case = case_run(scenario.tools, resolve=scenario.resolve, caller=scenario.caller)
        assert len(told(replace(case, prompt=scenario.prompt))["tools"]) == len(scenario.tools)


# --- its environment ----------------------------------------------------------------------------------------


def test_every_sdk_finds_the_endpoint_and_no_key_of_the_user_is_left() -> None:
    own = {
        "PATH": "/bin",
        "OPENAI_API_KEY": "sk-real",
        "ANTHROPIC_AUTH_TOKEN": "real",
        "SEARCH_API_KEY": "real",
        "GOOGLE_GENAI_USE_VERTEXAI": "true",
        "OPENAI_BASE_URL": "https://api.openai.com/v1",
        "https_proxy": "http://proxy.example.invalid:3128",
        "NODE_OPTIONS": "--max-old-space-size=512",
    }
    given = surroundings(case_run(), own)
    assert "real" not in " ".join(given.values())
    assert "GOOGLE_GENAI_USE_VERTEXAI" not in given
    assert given["PATH"] == "/bin"
    assert given["OPENAI_BASE_URL"] == f"{URL}/v1"
    assert given["ANTHROPIC_BASE_URL"] == given["GOOGLE_GEMINI_BASE_URL"] == given["HARNESS_CASE_BASE_URL"] == URL
    assert given["OPENAI_API_KEY"] == given["ANTHROPIC_API_KEY"] == given["SEARCH_API_KEY"] == "harness"
    assert (given["HARNESS_WIRE"], given["HARNESS_MODEL"]) == ("openai-chat", "gpt-4.1")
    assert given["HTTPS_PROXY"] == given["https_proxy"] == "http://answer.openai-chat.event:harness@127.0.0.1:8000"
    assert given["NODE_OPTIONS"].startswith('--max-old-space-size=512 --require "/')
    assert Path(given["NODE_OPTIONS"].split('"')[1]).is_file()


def test_no_secret_of_the_user_reaches_a_command_but_those_that_its_file_names() -> None:
    own = yaml.safe_load((Path(__file__).parent / "data" / "environment.yaml").read_text(encoding="utf-8"))
    secret, harmless = own["secret"], own["harmless"]
    given = surroundings(case_run(), {**secret, **harmless}, ["HF_TOKEN"])
    reached = {name for name, value in secret.items() if given.get(name) == value}
    assert reached == {"HF_TOKEN"}, "what a provider's SDK needs has a value of the harness's"
    assert given["HF_TOKEN"] == "x"
    assert harmless.items() <= given.items()


def test_a_region_and_credentials_that_are_named_stay_for_the_other_services_of_a_provider() -> None:
    own = {"AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "the user's", "AWS_SECRET_ACCESS_KEY": "the user's"}
    for passes, key in (([], "harness"), (["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"], "the user's")):
        reached = surroundings(case_run(), own, passes)
        assert (reached["AWS_ACCESS_KEY_ID"], reached["AWS_SECRET_ACCESS_KEY"]) == (key, key)
        assert reached["AWS_REGION"] == "eu-central-1"
    assert surroundings(case_run(), {})["AWS_REGION"] == "us-east-1"


def test_a_command_is_told_whether_the_model_reasons() -> None:
    own = {"HARNESS_MODEL_REASONS": "1"}
    assert surroundings(case_run(reasons=True), own)["HARNESS_MODEL_REASONS"] == "1"
    assert "HARNESS_MODEL_REASONS" not in surroundings(case_run(), own)


# --- what it says -------------------------------------------------------------------------------------------


class Conversation:
    """A command that says lines, and what comes of them."""

    def __init__(self, *tools: Tool, emits: frozenset[str] | None = None) -> None:
        self.events: list[Event] = []
        self.results: list[Mapping[str, Any]] = []
        observe = lambda event: bool(self.events.append(event)) or True  # noqa: E731
        case = case_run(tools, emit=self.events.append, observe=observe, emits=emits)
        self.conversation = CommandConversation(case)
        self.conversation.answer = lambda line: self.results.append(json.loads(line)["result"])

    def say(self, **line: Any) -> None:
        self.conversation.feed(json.dumps(line).encode() + b"\n")


def test_an_event_may_come_in_pieces_and_several_in_one() -> None:
    command = Conversation()
    lines = b'{"event": "assistant", "text": "Hi", "id": "1"}\r\n\n{"event": "final", "code": ""}\nthe end'
    for at in range(len(lines)):
        command.conversation.feed(lines[at : at + 1])
    command.conversation.feed(b"")
    assert command.events == [Assistant("Hi", "1"), Final("")]
    assert command.conversation.printed == "the end"


def test_a_tool_is_run_and_told_and_its_result_answered() -> None:
    command = Conversation(Tool(WEATHER, returns={"celsius": 19}, extra="Windy."))
    command.say(call={"key": "k", "name": "get_weather", "arguments": {"city": "Lisbon"}, "id": "call_1"})
    assert command.results == [{"key": "k", "ok": True, "output": {"celsius": 19}, "extra": "Windy."}]
    assert command.events == [
        ToolStart("call_1", "get_weather", {"city": "Lisbon"}),
        ToolResult("call_1", "get_weather", {"celsius": 19}, True),
    ]


@from_table(__file__, "test_what_a_call_gives")
def test_what_a_call_gives(
    tool: dict[str, Any], call: dict[str, Any], result: dict[str, Any], started: list[Any]
) -> None:
    """The input of each event toolStart, too: where there is none, there is no event at all."""
    command = Conversation(*([Tool(WEATHER, **tool)] if tool else []))
    command.say(call=call)
    assert command.results == [{"key": call["key"], "extra": "", **result}]
    assert [event.input for event in command.events if isinstance(event, ToolStart)] == started
    assert bool(command.events) is bool(started)


@pytest.mark.anyio
async def test_calls_overlap() -> None:
    first = replace(WEATHER, name="get_time")
    command = Conversation(Tool(WEATHER, returns=1, finishes_after="get_time"), Tool(first, returns=2))
    command.say(call={"key": "a", "name": "get_weather", "arguments": {}})
    command.say(call={"key": "b", "name": "get_time", "arguments": {}})
    (task,) = command.conversation._running
    await task
    assert [(each["key"], each["output"]) for each in command.results] == [("b", 2), ("a", 1)]


@pytest.mark.anyio
async def test_calls_that_wait_end_with_the_command() -> None:
    command = Conversation(Tool(WEATHER, finishes_after="get_time"))
    command.say(call={"key": "a", "name": "get_weather", "arguments": {}})
    (task,) = command.conversation._running
    command.conversation.stop()
    await asyncio.wait([task])
    assert task.cancelled()
    assert command.results == []


@from_table(__file__, "test_a_call_is_read_strictly")
def test_a_call_is_read_strictly(call: Any) -> None:
    with pytest.raises(TargetFailed) as raised:
        Conversation(Tool(WEATHER)).say(call=call)
    assert 'Line 1 of its standard output is no event: expected {"call": {"key": ANY' in str(raised.value)


def test_a_long_line_is_shown_in_short() -> None:
    with pytest.raises(TargetFailed) as raised:
        Conversation().say(evnt="x" * 100_000)
    assert len(str(raised.value)) < 600
    assert "... (100,012 bytes)" in str(raised.value)


def test_a_line_has_a_bound_however_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "LONGEST_LINE", 1024 * 1024)
    taken: list[bytes] = []
    lines = LineSplitter("standard output", taken.append)
    for _ in range(16):
        lines.feed(b"x" * 65_536)
    with pytest.raises(TargetFailed, match="A line of its standard output has more than 1 MiB"):
        lines.feed(b"x")
    assert taken == []


# --- how it ends --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "code", "emits", "end"),
    [
        ([], 0, None, None),
        ([Assistant("Hi", "1")], 0, None, Final("")),
        ([Assistant("Hi", "1")], 0, frozenset({"assistant"}), None),
        ([Final("", "refused")], 0, None, None),
        ([Failure("http", "400")], 1, None, None),
        ([], 1, None, Failure("raised", "exit code 1\nno key")),
        ([Assistant("Hi", "1")], -9, None, Failure("raised", "ended by SIGKILL\nno key")),
        ([], -99, None, Failure("raised", "ended by signal 99\nno key")),
    ],
)
def test_the_end_of_the_process_tells_what_it_did_not(
    said: list[Event], code: int, emits: frozenset[str] | None, end: Event | None
) -> None:
    command = Conversation(emits=emits)
    for event in said:
        command.say(**event_members(event))
    command.conversation.ended(code, "no key")
    assert command.events == [*said, *([end] if end else [])]
