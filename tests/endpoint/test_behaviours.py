"""The rounds of the automatic model on every wire: the official SDKs read them, and a right client breaks no rule."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from harness.endpoint import BEHAVIOURS, PARALLEL, AutomaticModel, Behaviour, ModelRequest, behaviours
from harness.errors import BadInput
from harness.wire import (
    Conversation,
    FinishReason,
    IssuedState,
    Message,
    Refusal,
    Rendered,
    Result,
    Text,
    ThinkingPart,
    ToolDeclaration,
    Turn,
    WireName,
    native_wires,
    wire,
)
from harness.wire.deltas import split
from harness.wire.identity import Identity
from harness.wire.models import THINKS
from tests.endpoint.sdk_readers import READERS

pytestmark = pytest.mark.anyio

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = tuple(ToolDeclaration(name, "Of a city.", CITY) for name in ("get_weather", "get_time"))
THINKERS: dict[WireName, str] = {
    "openai-responses": "gpt-5.5",
    "openai-chat": "deepseek-v4-flash",
    "anthropic-messages": "claude-opus-5",
    "gemini-generate": "gemini-3.6-flash",
    "gemini-interactions": "gemini-3.8-flash",
    "bedrock-converse": "openai.gpt-oss-120b-1:0",
}
"""A model of each wire that thinks unasked."""

BY_NAME = {each.name: each for each in BEHAVIOURS}


@dataclass
class Client:
    """One that sends everything back as it came, as each wire has a client do it."""

    name: WireName
    behaviour: Behaviour
    model: str = ""
    stream: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)
    issued: IssuedState = field(default_factory=IssuedState)
    identity: Identity = field(default_factory=lambda: Identity("behaviours"))
    history: list[Message] = field(default_factory=lambda: [Message("user", (Text("Is it cold in Oslo?"),), "")])
    answers: list[tuple[Turn, Rendered]] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    @property
    def turns(self) -> list[Turn]:
        return [turn for turn, _ in self.answers]

    def step(self) -> bool:
        """Ask once. False when the model has no calls."""
        spoken = wire(self.name)
        body = {**spoken.settings, **self.settings}
        model = self.model or spoken.default_model
        said = Conversation(self.name, model, self.stream, tuple(self.history), TOOLS, body=body)
        written = spoken.write(said)
        route = spoken.route("POST", written.path)
        assert route is not None
        asked = spoken.read(route, written.body)
        full = spoken.resolve(asked, self.issued)
        self.broken += [finding.rule + finding.reference for finding in spoken.violations(asked, self.issued)]
        turn = AutomaticModel(self.behaviour).next(ModelRequest("POST", written.path, {}, written.body, full)).turn
        rendered = spoken.render(turn, self.identity, full)
        self.issued.add(full, rendered.reply)
        self.answers.append((turn, rendered))
        if not turn.calls:
            return False
        reply = rendered.reply
        ids = [call.id or f"call_{number}" for number, call in enumerate(reply.turn.calls)]
        results = [Result(id_, '"fine"', call.name) for id_, call in zip(ids, reply.turn.calls, strict=True)]
        self.history += [*spoken.returned(reply, ids), *spoken.answers(reply, ids, results)]
        return True

    def run(self) -> Client:
        for _ in range(8):
            if not self.step():
                return self
        raise AssertionError("the model never ends")


def said(turn: Turn) -> str:
    return "".join(part.text for part in turn.parts if isinstance(part, Text | Refusal))


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda each: each.name)
@pytest.mark.parametrize("name", native_wires())
async def test_the_official_sdk_reads_each_round_and_what_goes_back_breaks_no_rule(
    name: WireName, behaviour: Behaviour, stream: bool
) -> None:
    client = Client(name, behaviour, THINKERS[name], stream).run()
    assert client.broken == []
    for turn, rendered in client.answers:
        read = await READERS[name](rendered, stream=stream)
        assert read.text == said(turn)
        assert read.calls == tuple(call.name for call in turn.calls)
        assert (read.thought is not None) == any(isinstance(part, ThinkingPart) for part in turn.parts)


@pytest.mark.parametrize("name", native_wires())
def test_the_plain_round_is_one_turn_of_two_calls_and_an_answer(name: WireName) -> None:
    first, last = Client(name, PARALLEL).run().turns
    assert [call.name for call in first.calls] == ["get_weather", "get_time"]
    assert (bool(first.text), bool(last.text), last.stop) == (True, True, FinishReason.END)


def test_one_call_comes_after_another_without_a_text() -> None:
    turns = Client("openai-chat", BY_NAME["sequential"]).run().turns
    assert [[call.name for call in turn.calls] for turn in turns] == [
        ["get_weather"],
        ["get_time"],
        ["get_weather"],
        [],
    ]
    assert [bool(turn.text) for turn in turns] == [False, False, False, True]


def test_calls_with_a_text_between_them_are_one_turn() -> None:
    """On Responses each of them is an entry of its own. The round of reasoning has two turns with calls."""
    calls = [
        {"type": "function_call", "call_id": f"call_{number}", "name": "get_time", "arguments": "{}"}
        for number in (1, 2)
    ]
    said = {"role": "assistant", "content": [{"type": "output_text", "text": "And again."}]}
    found = [{"type": "function_call_output", "call_id": call["call_id"], "output": "noon"} for call in calls]
    asked: list[Any] = [{"role": "user", "content": "hi"}, calls[0], said, calls[1], *found]
    tools = [{"type": "function", "name": "get_time", "parameters": CITY}]
    spoken = wire("openai-responses")
    route = spoken.route("POST", "/v1/responses")
    assert route is not None

    def next_calls(*more: object) -> int:
        body = json.dumps({"model": "gpt-5.5", "input": [*asked, *more], "tools": tools}).encode()
        read = spoken.read(route, body)
        return len(AutomaticModel(BY_NAME["reasoning"]).next(ModelRequest("POST", "", {}, body, read)).turn.calls)

    assert (next_calls(), next_calls(calls[0], found[0])) == (2, 0)


def test_a_call_that_fails_lacks_its_arguments_or_is_of_no_tool() -> None:
    first, last = Client("openai-chat", BY_NAME["failing"]).run().turns
    assert [(call.name, call.arguments) for call in first.calls] == [("get_weather", "{}"), ("no_such_tool", "{}")]
    assert last.calls == ()


@pytest.mark.parametrize("model", ["gpt-4.1", "gpt-5.1", "a-model-of-mine"])
def test_the_round_of_reasoning_reasons_where_the_model_by_itself_does_not(model: str) -> None:
    def thoughts(behaviour: Behaviour, **settings: Any) -> list[bool]:
        turns = Client("openai-responses", behaviour, model, settings=settings).run().turns
        return [any(isinstance(part, ThinkingPart) for part in turn.parts) for turn in turns]

    plain = {"reasoning": None}
    assert thoughts(PARALLEL, **plain) == [False, False]
    assert thoughts(BY_NAME["reasoning"], **plain) == [True, True, True]
    assert thoughts(BY_NAME["reasoning"], reasoning={"effort": "none"}) == [False, False, False]


LIMITS: dict[WireName, dict[str, Any]] = {
    "openai-responses": {"max_output_tokens": 300},
    "openai-chat": {"max_completion_tokens": 300},
    "anthropic-messages": {"max_tokens": 300},
    "gemini-generate": {"generationConfig": {"maxOutputTokens": 300}},
    "gemini-interactions": {"generation_config": {"max_output_tokens": 300}},
    "bedrock-converse": {"inferenceConfig": {"maxTokens": 300}},
}


@pytest.mark.parametrize("name", native_wires())
def test_a_long_answer_is_thousands_of_tokens_or_what_the_request_allows(name: WireName) -> None:
    def tokens(limit: int) -> int:
        settings = json.loads(json.dumps(LIMITS[name]).replace("300", str(limit)))
        answer = Client(name, BY_NAME["long"], stream=True, settings=settings).run()
        assert len(answer.answers[-1][1].frames) > len(split(answer.turns[-1].text, "token"))
        return len(split(answer.turns[-1].text, "token"))

    assert 3900 < tokens(100_000) <= 4000
    assert 100 < tokens(300) <= 150


def test_an_answer_may_be_empty_cut_or_declined() -> None:
    last = {name: Client("openai-chat", BY_NAME[name]).run().turns[-1] for name in ("empty", "cut", "refusal")}
    assert last["empty"].parts == ()
    assert last["cut"].stop is FinishReason.MAX_TOKENS
    assert not last["cut"].text.endswith((".", "]"))
    assert last["refusal"].parts == (Refusal("I cannot help with that."),)


# --- what the request says ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda each: each.name)
def test_a_round_obeys_the_tool_choice(behaviour: Behaviour) -> None:
    def calls(**settings: Any) -> list[list[str]]:
        return [
            [call.name for call in turn.calls]
            for turn in Client("openai-chat", behaviour, settings=settings).run().turns
        ]

    assert calls(tool_choice="none") == [[]]
    forced = {"type": "function", "function": {"name": "get_time"}}
    assert calls(tool_choice=forced) == [["get_time"], []]
    assert calls(tool_choice="required") == [["get_weather"], ["get_time"], []]
    assert all(len(names) < 2 for names in calls(parallel_tool_calls=False))


@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda each: each.name)
def test_an_answer_in_json_fits_its_schema_in_every_round(behaviour: Behaviour) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    last = Client("openai-chat", behaviour, settings={"response_format": form}).run().turns[-1]
    if behaviour.name == "refusal":  # the one thing that a model may say in its place
        assert last.stop is FinishReason.REFUSAL
    else:
        assert isinstance(json.loads(last.text)["n"], int)


def test_rounds_are_chosen_by_number_or_by_name() -> None:
    assert [each.name for each in behaviours("2")] == ["parallel", "reasoning"]
    assert [each.name for each in behaviours("cut,long,cut")] == ["cut", "long"]
    for words in ("0", "99", "", "slow", "long,", "-1", "٣"):
        with pytest.raises(BadInput):
            behaviours(words)


# --- facts about models ---------------------------------------------------------------------------------------------

NAMES: dict[WireName, tuple[str, ...]] = {
    "openai-responses": ("gpt-5.5", "o3", "gpt-5", "gpt-6-sol", "grok-4.3", "deepseek-v4-flash", "openai/gpt-oss-20b"),
    "openai-chat": (
        *("deepseek-v4-flash", "deepseek-reasoner", "deepseek-ai/DeepSeek-V4-Pro", "kimi-k2.5", "openai/gpt-oss-120b"),
        *("qwen3-8b", "Qwen/Qwen3.5-9B", "zai-org/GLM-5.2", "minimax/minimax-m2", "mimo-v2.5-pro", "grok-4.3"),
    ),
    "anthropic-messages": ("claude-opus-5", "claude-sonnet-5", "claude-fable-5-1", "claude-haiku-5-5"),
    "gemini-generate": ("gemini-3.6-flash", "gemini-2.5-pro", "gemini-2.5-flash", "gemini-flash-latest"),
    "gemini-interactions": ("gemini-3.8-flash", "gemini-2.5-pro", "gemini-pro-latest"),
    "bedrock-converse": ("openai.gpt-oss-120b-1:0", "us.deepseek.r1-v1:0", "minimax.minimax-m2"),
}
"""Models that think unasked: at least one for each fact that says so."""


@pytest.mark.parametrize(("name", "model"), [(name, model) for name, models in NAMES.items() for model in models])
async def test_the_official_sdk_reads_the_thinking_of_each_model_that_thinks_unasked(
    name: WireName, model: str
) -> None:
    client = Client(name, PARALLEL, model)
    spoken = wire(name)
    asked = Conversation(name, model, False, tuple(client.history), TOOLS)
    turn = AutomaticModel().next(ModelRequest("POST", "", {}, b"", asked)).turn
    for stream in (True, False):
        rendered = spoken.render(turn, Identity("models"), replace(asked, stream=stream))
        assert (await READERS[name](rendered, stream=stream)).thought is not None


@pytest.mark.parametrize("name", native_wires())
def test_every_fact_about_thinking_is_tried(name: WireName) -> None:
    facts = [fact for fact in wire(name).models.facts if fact.name == THINKS and fact.value is True]
    assert facts
    assert [fact.models for fact in facts if not any(map(fact.covers, NAMES[name]))] == []
