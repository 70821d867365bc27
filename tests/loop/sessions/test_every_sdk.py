"""What the sessions on all SDKs have in common: turns are emitted and go back, and what is no turn is a failure."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from harness.loop.session import AssistantDelta, Delta, HttpFailed, StreamFailed, ThinkingDelta, ToolCallDelta
from harness.wire import (
    Call,
    Conversation,
    ErrorAnswer,
    FinishReason,
    Identity,
    StreamError,
    Text,
    Turn,
    WireName,
    native_wires,
    wire,
)
from tests.loop.sessions.sdk_endpoint import DONE, TWO, SdkEndpoint, heard, opened, results
from tests.sdks import needs

pytestmark = [pytest.mark.anyio, needs("botocore", "botocore is not installed")]
every_wire = pytest.mark.parametrize("name", native_wires())
both = pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])


@both
@every_wire
async def test_a_turn_is_emitted_and_goes_back_as_it_came(name: WireName, stream: bool) -> None:
    endpoint = SdkEndpoint(name, TWO, TWO, DONE)
    session = opened(endpoint, stream=stream)
    for _ in range(2):
        turn, deltas = await heard(session)
        assert [json.loads(call.arguments) for call in turn.tool_calls] == [{"path": "src"}, {"path": "ä \U0001f600"}]
        said = "".join(each.text for each in deltas if isinstance(each, AssistantDelta))
        thought = "".join(each.text for each in deltas if isinstance(each, ThinkingDelta))
        assert (said, thought) == (turn.assistant_text, turn.thinking_text) == ("I look.", "A folder.")
        for call in turn.tool_calls:
            pieces = [each for each in deltas if isinstance(each, ToolCallDelta) and each.id == call.id]
            assert "".join(each.arguments for each in pieces) == call.arguments
            assert {each.name for each in pieces} == {call.name}
        assert turn.stop is FinishReason.TOOL_CALLS
        session.append_tool_results(turn, results(turn, 1))
    assert (await heard(session))[0].assistant_text == "It prints a line."
    assert [each.stream for each in endpoint.asked] == [stream] * 3
    outputs = [json.loads(each.output) for message in endpoint.asked[2].messages for each in message.results]
    assert len(outputs) in (2, 4)  # a stored response has the earlier ones


@every_wire
async def test_an_open_call_is_answered_by_a_later_session(name: WireName) -> None:
    endpoint = SdkEndpoint(name, TWO, DONE)
    before = opened(endpoint)
    turn, _ = await heard(before)
    stored = json.loads(json.dumps({"session": before.stored(), "turn": before.stored_turn(turn)}))
    later = opened(endpoint)
    later.restore(stored["session"])
    again = later.restored_turn(stored["turn"])
    later.append_tool_results(again, results(again))
    await heard(later)
    assert [len(message.results) for message in endpoint.asked[1].messages if message.results] in ([2], [1, 1])


@every_wire
async def test_calls_with_one_id_or_none_go_back_under_ids_of_their_own(name: WireName) -> None:
    parts = [Call("list_files", "{}", "same"), Call("read_file", '{"a": 1}', "same"), Call("read_file", "{}", "")]
    if name == "gemini-interactions":  # where every call has an id, which says what its arguments are
        parts = [Call("list_files", "{}", "same"), Call("read_file", "{}", "same")]
    endpoint = SdkEndpoint(name, Turn(tuple(parts), FinishReason.TOOL_CALLS), DONE)
    session = opened(endpoint)
    turn, deltas = await heard(session)
    assert [(call.name, json.loads(call.arguments)) for call in turn.tool_calls] == [
        (part.name, json.loads(part.arguments)) for part in parts
    ]
    ids = {call.id for call in turn.tool_calls}
    assert len(ids) == len(parts)
    assert {each.id for each in deltas if isinstance(each, ToolCallDelta)} == ids
    session.append_tool_results(turn, results(turn))
    await heard(session)
    assert len([each for message in endpoint.asked[1].messages for each in message.results]) == len(parts)


# --- failures -----------------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("status", [400, 401, 403, 404, 408, 409, 413, 429, 500, 503, 529])
@every_wire
async def test_an_error_status_is_reported_with_its_words_and_the_wait_and_nobody_asks_twice(
    name: WireName, status: int, stream: bool
) -> None:
    error = wire(name).error(status, Identity("e"), retry_after=2)
    endpoint = SdkEndpoint(name, httpx2.Response(error.status, headers=dict(error.headers), content=error.body))
    with pytest.raises(HttpFailed) as failed:
        await heard(opened(endpoint, stream=stream))
    assert failed.value.status == error.status
    assert failed.value.retry_after in ((2.0,) if status in (429, 503) else (2.0, None))
    assert _message(error) in str(failed.value)
    assert len(endpoint.asked) == 1


def _message(error: ErrorAnswer) -> str:
    if error.headers["content-type"].startswith("text/html"):
        return f"{error.body.decode():.40}"  # a page of the provider's proxy
    document = json.loads(error.body)
    return str(document["error"]["message"] if "error" in document else document["message"])


@both
@every_wire
async def test_a_request_without_an_answer_is_a_failure_that_nobody_repeats(name: WireName, stream: bool) -> None:
    endpoint = SdkEndpoint(name, httpx2.ConnectError("refused"), DONE)
    with pytest.raises(HttpFailed, match="refused") as failed:
        await heard(opened(endpoint, stream=stream))
    assert failed.value.status is None
    assert len(endpoint.asked) == 1


@pytest.mark.parametrize("kind", ["overloaded", "server_error", "rate_limit"])
@every_wire
async def test_an_error_inside_the_stream_fails_the_turn(name: WireName, kind: Any) -> None:
    with pytest.raises(StreamFailed, match=r"No more\."):
        await heard(opened(SdkEndpoint(name, Turn((Text("Par"),), error=StreamError(kind, "No more.")))))


@pytest.mark.parametrize("turn", [DONE, TWO], ids=["text", "calls"])
@every_wire
async def test_a_stream_cut_anywhere_is_no_turn(name: WireName, turn: Turn) -> None:
    rendered = wire(name).render(turn, Identity("cut"), Conversation(name, wire(name).default_model, True, ()))
    whole = b"".join(rendered.frames[: len(rendered.frames) - max(rendered.terminal, 1)])
    for part in range(8):
        body = whole[: len(whole) * part // 7]
        answer = httpx2.Response(200, headers={"content-type": rendered.content_type}, content=body)
        with pytest.raises(StreamFailed):
            await heard(opened(SdkEndpoint(name, answer)))
    with pytest.raises(StreamFailed):
        await heard(opened(SdkEndpoint(name, Turn(turn.parts, turn.stop, ending="eof"))))


@every_wire
async def test_what_the_listener_raises_is_not_the_streams_fault(name: WireName) -> None:
    async def hear(delta: Delta) -> None:
        raise ValueError("listener")

    with pytest.raises(ValueError, match="listener"):
        await opened(SdkEndpoint(name, DONE)).stream_turn(hear)
