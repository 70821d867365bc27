"""The session without SDK, on every wire: what is told, what goes back, and how answers fail."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from harness.errors import BadInput
from harness.finding import Finding
from harness.loop import (
    AssistantDelta,
    CallResult,
    Delta,
    HttpFailed,
    ProviderTurn,
    SessionConfig,
    StreamFailed,
    ThinkingDelta,
    ToolCallDelta,
)
from harness.loop.sessions.wire_only import Answered, WireOnlySession
from harness.wire import (
    OWN_NATIVE_WIRES,
    Call,
    Conversation,
    FinishReason,
    Identity,
    IssuedState,
    StreamError,
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


@every_wire
@pytest.mark.parametrize("stream", [True, False])
async def test_a_turn_is_told_part_by_part(name: WireName, stream: bool) -> None:
    turn, deltas = await heard(session_on(Endpoint(name, [CALLS]), stream=stream))
    assert [type(delta) for delta in deltas] == [ThinkingDelta, AssistantDelta, ToolCallDelta, ToolCallDelta]
    assert (turn.thinking_text, turn.assistant_text, turn.stop) == ("Hm.", "I look.", FinishReason.TOOL_CALLS)
    assert [(call.name, json.loads(call.arguments)) for call in turn.tool_calls] == [("look", {}), ("look", {"at": 1})]
    told = [(delta.id, delta.name, delta.arguments) for delta in deltas if isinstance(delta, ToolCallDelta)]
    assert told == [(call.id, call.name, call.arguments) for call in turn.tool_calls]


@every_wire
async def test_a_run_breaks_no_rule_and_results_come_in_call_order(name: WireName) -> None:
    endpoint = Endpoint(name, [CALLS, CALLS, Turn((Text("Done."),))])
    session = session_on(endpoint)
    for _ in range(2):
        turn = await turn_of(session)
        session.append_tool_results(turn, results(turn))
    assert (await turn_of(session)).assistant_text == "Done."
    assert endpoint.violations == []
    outputs = [result for message in endpoint.asked[2].messages for result in message.results]
    assert [json.loads(result.output).get("nth", 1) for result in outputs[:2]] in ([0, 1], [1, 1])
    assert len(outputs) == 4


@every_wire
async def test_what_calls_said_beside_their_results_follows_them(name: WireName) -> None:
    endpoint = Endpoint(name, [CALLS, Turn((Text("Done."),))])
    session = session_on(endpoint)
    turn = await turn_of(session)
    session.append_tool_results(turn, results(turn, ("", "Also this.")))
    session.append_user("And that.")
    await turn_of(session)
    said = [part.text for message in endpoint.asked[1].messages for part in message.parts if isinstance(part, Text)]
    assert said[-2:] == ["Also this.", "And that."]
    assert [each for each in endpoint.violations if each.level != "INFO"] == []


@every_wire
async def test_calls_get_ids_that_are_unique_in_the_run(name: WireName) -> None:
    doubled = replace(CALLS, parts=(Call("look", "{}", id=""), Call("look", "{}", id="")))
    session = session_on(Endpoint(name, [doubled, doubled]))
    first = await turn_of(session)
    session.append_tool_results(first, results(first))
    ids = [call.id for turn in (first, await turn_of(session)) for call in turn.tool_calls]
    assert len(set(ids)) == 4
    assert all(ids)


@every_wire
async def test_half_a_character_is_told_and_sent_as_a_replacement(name: WireName) -> None:
    endpoint = Endpoint(
        name, [Turn((Text("a\ud83d"), Call("look", '{"b":"\\ud83d"}')), FinishReason.TOOL_CALLS), Turn()]
    )
    session = session_on(endpoint)
    turn = await turn_of(session)
    assert turn.assistant_text == "a\ufffd"
    session.append_tool_results(turn, [CallResult(turn.tool_calls[0], "c\ude00", True)])
    await turn_of(session)
    assert "c\ufffd" in endpoint.asked[1].messages[-1].results[0].output


# --- history that its caller changes ------------------------------------------------------------------------


@every_wire
async def test_entries_that_a_caller_puts_into_the_history_are_sent(name: WireName) -> None:
    endpoint = Endpoint(name, [Turn((Text("Hi."),))])
    session = session_on(endpoint)
    session.history += [session.message("assistant", "Hello."), session.message("user", "Look again.")]
    await turn_of(session)
    assert [message.text for message in endpoint.asked[0].messages] == ["You help.", "Look.", "Hello.", "Look again."]


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


@every_wire
async def test_an_error_status_says_what_the_provider_says_and_how_long_to_wait(name: WireName) -> None:
    error = wire(name).error(429, Identity("e"), retry_after=7)
    with pytest.raises(HttpFailed, match=r"^HTTP 429: \w") as failed:
        await turn_of(session_on(Endpoint(name, [Answered(429, error.headers, error.body)])))
    assert (failed.value.status, failed.value.retry_after) == (429, 7.0)


@pytest.mark.parametrize("body", [b"<html>Bad gateway", b"[]", b'{"error": "Bad gateway"}'])
async def test_an_error_in_another_form_is_told_as_it_is(body: bytes) -> None:
    with pytest.raises(HttpFailed) as failed:
        await turn_of(session_on(Endpoint("openai-chat", [Answered(502, {}, body)])))
    assert str(failed.value) == f"HTTP 502: {body.decode()}"
    assert failed.value.retry_after is None


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


@every_wire
async def test_an_error_inside_the_stream_fails_the_turn(name: WireName) -> None:
    broken = Turn((Text("Hello."),), error=StreamError("overloaded", "Too much."))
    with pytest.raises(StreamFailed, match="overloaded: Too much"):
        await turn_of(session_on(Endpoint(name, [broken])))


@every_wire
@pytest.mark.parametrize("body", [b"", b"Hello.", b'data: {"half\n\n'])
async def test_what_is_no_response_fails_the_turn(name: WireName, body: bytes) -> None:
    with pytest.raises(StreamFailed):
        await turn_of(session_on(Endpoint(name, [Answered(200, {"content-type": "text/event-stream"}, body)])))


async def test_ids_of_a_failed_turn_are_those_of_no_other_call() -> None:
    failing = replace(CALLS, error=StreamError())
    endpoint = Endpoint("openai-chat", [failing, CALLS])
    session = session_on(endpoint)
    with pytest.raises(StreamFailed):
        await turn_of(session)
    endpoint.identity = Identity("session")  # the same ids again
    turn = await turn_of(session)
    assert turn.tool_calls
    assert {call.id for call in turn.tool_calls}.isdisjoint(call.id for call in endpoint.sent.replies[-1].turn.calls)
    await session.close()


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
