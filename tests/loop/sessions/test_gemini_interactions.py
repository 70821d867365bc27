"""The session on google-genai's ``client.interactions``, over bytes of our own wire: each request is judged by it."""

from __future__ import annotations

import json

import httpx2
import pytest

from harness.loop.session import HttpFailed, StreamFailed
from harness.wire import (
    Call,
    Conversation,
    FinishReason,
    Identity,
    StreamError,
    Text,
    ThinkingPart,
    Turn,
    wire,
)
from tests.loop.sessions.sdk_endpoint import DONE, Answer, SdkEndpoint, heard, opened, results

pytestmark = pytest.mark.anyio

WIRE = wire("gemini-interactions")
TWO = Turn(
    (ThinkingPart("A folder."), Call("list_files", '{"path": "src"}'), Call("read_file", '{"path": "ä \U0001f600"}')),
    FinishReason.TOOL_CALLS,
    deltas="utf16",
)


class Endpoint(SdkEndpoint):
    """The endpoint of Interactions."""

    def __init__(self, *answers: Answer) -> None:
        super().__init__("gemini-interactions", *answers)


@pytest.mark.parametrize("stream", [True, False])
async def test_a_turn_is_emitted_and_goes_on_by_its_id(stream: bool) -> None:
    endpoint = Endpoint(TWO, DONE)
    session = opened(endpoint, stream=stream)
    turn, _ = await heard(session)
    assert [call.arguments for call in turn.tool_calls] == (
        ['{"path": "src"}', '{"path": "ä \U0001f600"}'] if stream else ['{"path":"src"}', '{"path":"ä \U0001f600"}']
    )
    session.append_tool_results(turn, results(turn, 1))
    await heard(session)
    first, second = endpoint.bodies
    assert "previous_interaction_id" not in first
    assert second["previous_interaction_id"] == endpoint.issued.replies[0].id
    assert [step["type"] for step in second["input"]] == ["function_result", "function_result"]
    assert [step.get("is_error") for step in second["input"]] == [None, True]
    assert [step["name"] for step in second["input"]] == ["list_files", "read_file"]
    assert second["tools"] == first["tools"]
    assert second["system_instruction"] == "Be brief."


async def test_a_history_that_was_changed_is_sent_whole_with_the_signed_thought() -> None:
    endpoint = Endpoint(TWO, DONE)
    session = opened(endpoint)
    turn, _ = await heard(session)
    session.append_tool_results(turn, results(turn))
    session.history[0] = session.message("user", "What is in src?")
    await heard(session)
    body = endpoint.bodies[1]
    assert "previous_interaction_id" not in body
    assert [step["type"] for step in body["input"]] == [
        "user_input", "thought", "function_call", "function_call", "function_result", "function_result",
    ]  # fmt: skip
    assert body["input"][1]["signature"] == endpoint.issued.replies[0].items[0]["signature"]


async def test_an_open_call_is_answered_by_a_later_session_by_the_id() -> None:
    endpoint = Endpoint(TWO, DONE)
    before = opened(endpoint)
    turn, _ = await heard(before)
    stored = json.loads(json.dumps({"session": before.stored(), "turn": before.stored_turn(turn)}))
    later = opened(endpoint)
    later.restore(stored["session"])
    again = later.restored_turn(stored["turn"])
    later.append_tool_results(again, results(again))
    await heard(later)
    assert endpoint.bodies[1]["previous_interaction_id"] == endpoint.issued.replies[0].id
    assert [step["type"] for step in endpoint.bodies[1]["input"]] == ["function_result"] * 2


async def test_what_is_not_stored_is_sent_whole() -> None:
    endpoint = Endpoint(TWO, DONE)
    session = opened(endpoint)
    session.set_params(store=False)
    turn, _ = await heard(session)
    session.append_tool_results(turn, results(turn))
    await heard(session)
    assert "previous_interaction_id" not in endpoint.bodies[1]
    assert len(endpoint.bodies[1]["input"]) == 6


async def test_an_event_that_is_no_json_is_a_failure() -> None:
    sound = WIRE.render(DONE, Identity("a"), Conversation(WIRE.name, WIRE.default_model, True, ()))
    broken = sound.body.replace(b'"text":"It"', b'"text":"It')
    assert broken != sound.body
    answer = httpx2.Response(200, headers={"content-type": sound.content_type}, content=broken)
    with pytest.raises(StreamFailed, match="an event is no JSON"):
        await heard(opened(Endpoint(answer)))


async def test_a_failed_interaction_and_a_blocked_one() -> None:
    body = {"status": "failed", "steps": [], "errors": [{"code": "api_error", "message": "It failed."}]}
    with pytest.raises(StreamFailed, match="It failed"):
        await heard(opened(Endpoint(httpx2.Response(200, json=body)), stream=False))
    blocked, _ = await heard(opened(Endpoint(Turn((Text("It"),), FinishReason.CONTENT_FILTER))))
    assert blocked.stop is FinishReason.CONTENT_FILTER


@pytest.mark.parametrize("stream", [True, False])
async def test_the_words_of_a_failed_interaction_are_kept(stream: bool) -> None:
    broken = Turn((Text("It"),), error=StreamError("server_error", "It broke."))
    with pytest.raises(StreamFailed if stream else HttpFailed, match=r"It broke\."):
        await heard(opened(Endpoint(broken), stream=stream))
