"""The session without SDK, on every wire: what is told, what goes back, and how answers fail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from harness.errors import BadInput
from harness.finding import Finding
from harness.loop import (
    CallResult,
    Delta,
    ProviderTurn,
    SessionConfig,
    StreamFailed,
)
from harness.loop.sessions.wire_only import Answered, WireOnlySession
from harness.wire import (
    OWN_NATIVE_WIRES,
    Call,
    Conversation,
    FinishReason,
    Identity,
    IssuedState,
    Text,
    ThinkingPart,
    ToolDeclaration,
    Turn,
    WireName,
    recognise,
    wire,
)
from harness.wire import wire as wire_named

pytestmark = pytest.mark.anyio
every_wire = pytest.mark.parametrize("name", OWN_NATIVE_WIRES)

TOOLS = (ToolDeclaration("look", "Looks.", {"type": "object", "properties": {}}),)
CALLS = Turn(
    (ThinkingPart("Hm."), Text("I look."), Call("look", "{}"), Call("look", '{"at":1}')), FinishReason.TOOL_CALLS
)


@dataclass
class Endpoint:
    """Answers each request with the next turn, or as it is told to; keeps what it read and which rules were broken."""

    name: WireName
    answers: list[Turn | Answered]
    asked: list[Conversation] = field(default_factory=list)
    violations: list[Finding] = field(default_factory=list)
    sent: IssuedState = field(default_factory=IssuedState)
    identity: Identity = field(default_factory=lambda: Identity("session"))

    def get(self, path: str) -> Answered:
        raise AssertionError(f"nothing is made in the background, and {path} is fetched")

    def post(self, path: str, body: bytes) -> Answered:
        route = recognise("POST", path)
        assert route is not None
        conversation = wire(self.name).read(route, body)
        self.asked.append(conversation)
        self.violations += wire(self.name).violations(conversation, self.sent)
        answer = self.answers.pop(0)
        if isinstance(answer, Answered):
            return answer
        rendered = wire(self.name).render(answer, self.identity, conversation)
        self.sent.add(conversation, rendered.reply)
        return Answered(200, {"content-type": rendered.content_type}, rendered.body)


def session_on(endpoint: Endpoint, *, stream: bool = True) -> WireOnlySession:
    prompt = [("system", "You help."), ("user", "Look.")]
    config = SessionConfig(wire_named(endpoint.name).default_model, prompt, TOOLS, "http://harness", stream=stream)
    return WireOnlySession(wire(endpoint.name), config, endpoint.post, endpoint.get)


async def heard(session: WireOnlySession) -> tuple[ProviderTurn, list[Delta]]:
    deltas: list[Delta] = []

    async def on_event(delta: Delta) -> None:
        deltas.append(delta)

    return await session.stream_turn(on_event), deltas


async def turn_of(session: WireOnlySession) -> ProviderTurn:
    turn, _ = await heard(session)
    return turn


def results(turn: ProviderTurn, said: Sequence[str] = ("", "")) -> list[CallResult]:
    return [
        CallResult(call, {"nth": number}, number == 0, extra)
        for number, (call, extra) in enumerate(zip(turn.tool_calls, said, strict=True))
    ]


# --- turns --------------------------------------------------------------------------------------------------


# --- history that its caller changes ------------------------------------------------------------------------


SYSTEM = {"anthropic-messages": "system", "gemini-generate": "systemInstruction", "openai-responses": "instructions"}


@every_wire
async def test_params_are_the_providers_own(name: WireName) -> None:
    endpoint = Endpoint(name, [Turn(), Turn()])
    session = session_on(endpoint)
    fields: dict[str, Any] = {"temperature": 0.5, "model": "other"}
    if name in SYSTEM:
        fields[SYSTEM[name]] = "Be brief."
    session.set_params(**fields)
    await turn_of(session)
    session.set_params(tools=[])
    await turn_of(session)
    first, second = endpoint.asked
    assert (first.model, first.body["temperature"], first.tools) == ("other", 0.5, TOOLS)
    assert ("Be brief." in [message.text for message in first.messages]) == (name in SYSTEM)
    assert (second.tools, second.body["temperature"]) == ((), 0.5)


async def test_params_that_no_request_can_have_are_refused() -> None:
    session = session_on(Endpoint("openai-chat", []))
    with pytest.raises(BadInput, match="messages"):
        session.set_params(messages="none")


# --- failures -----------------------------------------------------------------------------------------------


def cut(name: WireName, turn: Turn) -> Answered:
    """The answer that says ``turn``, without its last frames."""
    asked = Conversation(name, wire_named(name).default_model, True, ())
    rendered = wire(name).render(turn, Identity("cut"), asked)
    frames = rendered.frames[: len(rendered.frames) - max(rendered.terminal, 1)]
    return Answered(200, {"content-type": rendered.content_type}, b"".join(frames), "connection reset by peer")


@every_wire
async def test_a_response_that_breaks_off_is_told_as_far_as_it_came(name: WireName) -> None:
    session, deltas = session_on(Endpoint(name, [cut(name, Turn((Text("one two three four "),)))])), []

    async def on_event(delta: Delta) -> None:
        deltas.append(delta)

    with pytest.raises(StreamFailed, match="reset by peer"):
        await session.stream_turn(on_event)
    assert deltas


# --- broken sessions ----------------------------------------------------------------------------------------


class _Forgetful(WireOnlySession):
    """Sends the results without the turn that they answer."""

    def turn_messages(self, turn: ProviderTurn) -> list[Any]:
        return []


class _Backwards(WireOnlySession):
    """Sends the results before the turn."""

    def append_tool_results(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> None:
        self.history += self.result_messages(turn, call_results) + self.turn_messages(turn)


@every_wire
@pytest.mark.parametrize("broken", [_Forgetful, _Backwards])
async def test_a_session_that_sends_another_history_is_caught(name: WireName, broken: type[WireOnlySession]) -> None:
    endpoint = Endpoint(name, [CALLS, Turn()])
    config = SessionConfig(wire_named(name).default_model, [("user", "Look.")], TOOLS, "http://harness")
    session = broken(wire(name), config, endpoint.post, endpoint.get)
    turn = await turn_of(session)
    session.append_tool_results(turn, results(turn))
    await turn_of(session)
    assert endpoint.violations
