"""The session on google-genai's ``client.interactions``, over bytes of our own wire: each request is judged by it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from harness.loop.session import (
    AssistantDelta,
    HttpFailed,
    StreamFailed,
    ThinkingDelta,
    ToolCallDelta,
)
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
    turn, deltas = await heard(session)
    assert [call.arguments for call in turn.tool_calls] == (
        ['{"path": "src"}', '{"path": "ä \U0001f600"}'] if stream else ['{"path":"src"}', '{"path":"ä \U0001f600"}']
    )
    assert "".join(each.text for each in deltas if isinstance(each, ThinkingDelta)) == turn.thinking_text == "A folder."
    pieces = [each for each in deltas if isinstance(each, ToolCallDelta)]
    for call in turn.tool_calls:
        assert "".join(each.arguments for each in pieces if each.id == call.id) == call.arguments
    assert (turn.stop, turn.model) == (FinishReason.TOOL_CALLS, WIRE.default_model)
    session.append_tool_results(turn, results(turn, 1))
    last, deltas = await heard(session)
    assert last.assistant_text == "".join(each.text for each in deltas if isinstance(each, AssistantDelta))
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


async def test_calls_with_one_id_go_back_under_two_and_without_the_interaction() -> None:
    twice = Turn((Call("list_files", "{}", "same"), Call("read_file", "{}", "same")), FinishReason.TOOL_CALLS)
    endpoint = Endpoint(twice, DONE)
    session = opened(endpoint)
    turn, _ = await heard(session)
    assert len({call.id for call in turn.tool_calls}) == 2
    session.append_tool_results(turn, results(turn))
    await heard(session)
    assert "previous_interaction_id" not in endpoint.bodies[1]


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


PAGE = {"content-type": "text/html"}


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    ("answer", "failure", "words"),
    [
        (lambda: httpx2.Response(200, headers=PAGE, text="<html>"), StreamFailed, "cannot be read|another form"),
        (lambda: Turn((Text("It"),), error=StreamError("server_error", "It broke.")), None, "It broke."),
        (
            lambda: httpx2.Response(400, json={"error": {"message": "No.", "code": "invalid_request"}}),
            HttpFailed,
            "No.",
        ),
    ],
)
async def test_what_is_no_turn_is_a_failure(
    answer: Callable[[], Any], failure: type[Exception] | None, words: str, stream: bool
) -> None:
    expected = failure or (StreamFailed if stream else HttpFailed)
    with pytest.raises(expected, match=words):
        await heard(opened(Endpoint(answer()), stream=stream))


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
