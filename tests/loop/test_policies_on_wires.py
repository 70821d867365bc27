"""Policies on every wire, with the official SDKs: what they add to a history stands where the provider takes it."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from harness.endpoint import CaseEndpoint, Endpoints, ScriptSource
from harness.endpoint.transport import EndpointTransport
from harness.loop import (
    HUGIND,
    PYDANTIC_AI,
    SCREENSHOT_TO_CODE,
    Agent,
    Approved,
    CallResult,
    EditableSession,
    LoopPolicy,
    ModelFailed,
    ProviderTurn,
    Runner,
    SessionConfig,
    Supplied,
    ToolCall,
    ToolOutcome,
)
from harness.loop.sessions.shared import OwnHistory
from harness.scenario import Cut, TurnStep
from harness.targets.clients import Clients
from harness.trace import Case, Event
from harness.wire import (
    WIRES,
    Call,
    FinishReason,
    Message,
    Result,
    Text,
    ThinkingPart,
    ToolDeclaration,
    Turn,
    WireName,
    recognise,
    wire,
)
from harness.wire import wire as wire_named
from tests.loop.playing import StubTools

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("name", WIRES)]

SCHEMA = {"type": "object", "properties": {"city": {"type": "string", "description": "Where."}}, "required": ["city"]}
PROMPT = [("system", "You know the weather."), ("user", "Paris and London?")]
PARIS, LONDON = '{"city": "Paris"}', '{"city": "London"}'
BOTH = Turn((Text("Looking."), Call("look", PARIS), Call("ask", LONDON)), FinishReason.TOOL_CALLS)
DONE = Turn((Text("Both fine."),))


@dataclass
class CityTools(StubTools):
    """Two tools that tell what they were asked; ``look`` says more beside its result."""

    ran: list[str] = field(default_factory=list)
    declarations: Sequence[ToolDeclaration] = (
        ToolDeclaration("look", "Look at a city.", SCHEMA),
        ToolDeclaration("ask", "Ask about a city.", SCHEMA),
    )

    async def run(self, call: ToolCall) -> ToolOutcome:
        self.ran.append(call.name)
        city = json.loads(call.arguments)["city"]
        return ToolOutcome({"city": city}, city, extra=f"More of {city}." if call.name == "look" else "")


@dataclass
class Endpoint:
    """A scripted model on one wire."""

    name: WireName
    desk: CaseEndpoint
    prefix: str
    clients: Clients
    tools: CityTools = field(default_factory=CityTools)

    def open_session(self, config: SessionConfig) -> Any:
        return self.clients.open_session(self.name, config)

    def agent(self, policy: LoopPolicy) -> Agent:
        return Agent(
            open_session=self.open_session,
            send_message=_ignore,
            tools=self.tools,
            base_url=f"http://model.test{self.prefix}",
            policy=policy,
        )

    def session(self) -> EditableSession:
        base_url = f"http://model.test{self.prefix}"
        session: EditableSession = self.open_session(
            SessionConfig(wire_named(self.name).default_model, PROMPT, self.tools.declarations, base_url)
        )
        return session

    @property
    def requests(self) -> list[tuple[Message, ...]]:
        """The history of each request, read by the wire."""
        read = []
        for exchange in self.desk.recorder.trace().exchanges:
            route = recognise(exchange.request.method, exchange.request.path)
            assert route is not None
            read.append(wire(self.name).read(route, exchange.request.body).messages)
        return read

    def after_the_model(self, request: int) -> list[tuple[str, Any]]:
        """What stands behind the model's last call in a request: results with their city, texts."""
        messages = self.requests[request]
        start = max(at for at, message in enumerate(messages) if message.calls)
        parts = [(message.role, part) for message in messages[start:] for part in message.parts]
        return [_shown(role, part) for role, part in parts if isinstance(part, Result) or (role == "user")]


def _shown(role: str, part: Any) -> tuple[str, Any]:
    if isinstance(part, Result):
        return "result", next((city for city in ("Paris", "London", "sun") if city in repr(part)), repr(part))
    return role, part.text


async def _ignore(event: Event) -> None:
    pass


@asynccontextmanager
async def endpoint(name: WireName, *turns: Turn | TurnStep) -> AsyncGenerator[Endpoint]:
    case = Case(id="a-case", scenario="policies", wire=name)
    desk = CaseEndpoint(
        case,
        ScriptSource([each if isinstance(each, TurnStep) else TurnStep(each) for each in turns]),
        clock=lambda: 0.0,
    )
    endpoints = Endpoints()
    clients = Clients(EndpointTransport(endpoints))
    try:
        yield Endpoint(name, desk, endpoints.open(case.id, desk), clients)
        # A caller who edits the history takes it from the model, which no provider refuses (OAI-28).
        assert [violation for _, violation in desk.violations if violation.level != "INFO"] == []
        assert desk.overrun == 0
    finally:
        await clients.close()


@pytest.mark.parametrize("policy", [PYDANTIC_AI, SCREENSHOT_TO_CODE], ids=lambda policy: policy.name)
async def test_what_a_tool_says_more_follows_all_results(name: WireName, policy: LoopPolicy) -> None:
    async with endpoint(name, BOTH, DONE) as model:
        result = await model.agent(policy).run(wire_named(name).default_model, PROMPT)
        assert (result.outcome, result.text) == ("completed", "Both fine.")
        assert model.after_the_model(1) == [("result", "Paris"), ("result", "London"), ("user", "More of Paris.")]
        assert result.usage.input == 128


async def test_what_broke_is_asked_for_without_a_stream_and_nothing_of_it_is_kept(name: WireName) -> None:
    think = Turn((ThinkingPart("Both again."), Text("One moment."), Call("ask", PARIS)), FinishReason.TOOL_CALLS)
    async with endpoint(name, BOTH, TurnStep(think, Cut(parts=2)), BOTH, DONE) as model:
        policy = replace(SCREENSHOT_TO_CODE, broken_stream="ask-whole")
        result = await model.agent(policy).run(wire_named(name).default_model, PROMPT)
        assert (result.outcome, result.text, result.requests) == ("completed", "Both fine.", 4)
        assert model.tools.ran == ["look", "ask", "look", "ask"]
        _, streamed, whole, after = model.requests
        assert whole == streamed
        assert "moment" not in repr(after)
        streams = [conversation.stream for conversation, _ in model.desk.conversations.values()]
        assert streams == [True, True, False, True]


async def test_more_said_before_the_results_is_seen(name: WireName, monkeypatch: pytest.MonkeyPatch) -> None:
    def before(self: OwnHistory, turn: ProviderTurn, call_results: Sequence[CallResult]) -> None:
        self.history += self.turn_messages(turn)
        self.history += [self.message("user", each.extra) for each in call_results if each.extra]
        self.history += self.result_messages(turn, [replace(each, extra="") for each in call_results])

    monkeypatch.setattr(OwnHistory, "append_tool_results", before)
    with pytest.raises((ModelFailed, AssertionError)):
        await test_what_a_tool_says_more_follows_all_results(name, PYDANTIC_AI)


async def test_the_demand_for_an_answer_follows_the_results(name: WireName) -> None:
    async with endpoint(name, BOTH, BOTH) as model:
        result = await model.agent(HUGIND.with_limit(1)).run(wire_named(name).default_model, PROMPT)
        assert (result.outcome, result.text) == ("turn-limit", "Looking.")
        assert model.after_the_model(1)[-1] == ("user", HUGIND.answer_now)
        assert model.tools.ran == ["look", "ask"]


async def test_results_from_elsewhere_go_back_in_call_order(name: WireName) -> None:
    async with endpoint(name, BOTH, BOTH, DONE) as model:
        model.tools.kinds = {"look": "external", "ask": "unapproved"}
        async with model.agent(PYDANTIC_AI).open(wire_named(name).default_model, PROMPT) as run:
            result = await run.start()
            for _ in range(2):
                asked, approved = result.deferred
                await run.resume({approved.call.id: Approved()})
                result = await run.resume({asked.call.id: Supplied("sun")})
        assert (result.outcome, result.turns) == ("completed", 3)
        assert model.after_the_model(2) == [("result", "sun"), ("result", "London")]


async def test_a_caller_may_edit_the_history(name: WireName) -> None:
    async with endpoint(name, BOTH, BOTH, BOTH, DONE) as model, Runner(model.session(), model.tools, _ignore) as runner:
        edits = [_push_turn_and_note, _push_everything, _push_note]
        async for turn in runner:
            if edits:
                await edits.pop(0)(runner, turn)
        assert runner.result is not None
        assert runner.result.outcome == "completed"
        first = [("result", "Paris"), ("result", "London"), ("user", "More of Paris."), ("user", "In Celsius.")]
        assert model.after_the_model(1) == first
        assert model.after_the_model(2) == first[:3]
        assert model.after_the_model(3) == [*first[:3], ("user", "Never mind.")]
        assert model.tools.ran == ["look", "ask"] * 2


async def _push_turn_and_note(runner: Runner, turn: ProviderTurn) -> None:
    runner.push_messages(turn, ("user", "In Celsius."))


async def _push_everything(runner: Runner, turn: ProviderTurn) -> None:
    response = await runner.generate_tool_response()
    assert response is not None
    runner.push_messages(turn, response)


async def _push_note(runner: Runner, turn: ProviderTurn) -> None:
    runner.push_messages(("user", "Never mind."))


async def test_a_new_history_takes_the_place_of_the_old_one(name: WireName) -> None:
    async with endpoint(name, BOTH, DONE) as model:
        session = model.session()
        runner = Runner(session, model.tools, _ignore)
        async for turn in runner:
            if turn.tool_calls:
                told = [("user", "Anew."), ("assistant", "Yes?"), ("user", "London?")]
                runner.set_params(messages=told, model=wire_named(name).default_model)
        await session.close()
        said = [(message.role, part.text) for message in model.requests[1] for part in message.parts]  # type: ignore[union-attr]
        assert said[-3:] == [("user", "Anew."), ("assistant", "Yes?"), ("user", "London?")]
        assert model.tools.ran == []
