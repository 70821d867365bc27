"""What all sessions have in common, on an SDK or without: turns are emitted and go back, and no turn is a failure."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from harness.loop.session import (
    AssistantDelta,
    CallResult,
    Delta,
    HttpFailed,
    StreamFailed,
    ThinkingDelta,
    ToolCallDelta,
    TurnFailed,
)
from harness.targets.clients import Clients
from harness.wire import (
    Call,
    Conversation,
    ErrorAnswer,
    FinishReason,
    Identity,
    StreamError,
    Text,
    ThinkingPart,
    Turn,
    WireName,
    native_wires,
    wire,
)
from tests.loop.sessions.sdk_endpoint import (
    DONE,
    TWO,
    SdkEndpoint,
    config,
    every_native_session,
    every_session,
    heard,
    is_read_and_goes_back,
    opened,
    results,
)
from tests.sdks import needs
from tests.wire.openai_anthropic.transport import cut, response
from tests.wire.whole_turns import WHOLE_TURNS

pytestmark = [pytest.mark.anyio, needs("botocore", "botocore is not installed")]
every_wire = pytest.mark.parametrize("name", [*native_wires(), "text-tags"])
both = pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
Opens = Callable[..., Any]


@both
@every_native_session
async def test_a_turn_is_emitted_and_goes_back_as_it_came(name: WireName, opens: Opens, stream: bool) -> None:
    endpoint = SdkEndpoint(name, TWO, TWO, DONE)
    session = opens(endpoint, stream=stream)
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


@pytest.mark.parametrize("size", [1, 2, 3, 7])
@every_wire
async def test_a_turn_may_arrive_in_pieces_of_any_size(name: WireName, size: int) -> None:
    whole = await heard(opened(SdkEndpoint(name, TWO)))
    assert await heard(opened(SdkEndpoint(name, TWO, size=size))) == whole


@both
@pytest.mark.parametrize(("name", "said"), [(name, said) for name, turns in WHOLE_TURNS.items() for said in turns])
async def test_a_turn_of_any_kind_is_what_the_wire_has_said(name: WireName, said: str, stream: bool) -> None:
    await is_read_and_goes_back(name, WHOLE_TURNS[name][said], stream=stream)


EXAMPLES = {
    "anthropic-messages": ("ant-*.sse", 16),
    "gemini-generate": ("gem-*.sse", 20),
    "gemini-interactions": ("interactions/*.sse", 10),
    "openai-chat": ("oai-chat-*.sse", 10),
    "openai-responses": ("oai-responses-*.sse", 14),
}


@pytest.mark.parametrize("name", EXAMPLES)
async def test_an_example_is_read_as_the_wire_reads_it(name: WireName, shared: Path) -> None:
    pattern, number = EXAMPLES[name]
    paths = sorted((shared / "wire/examples").glob(pattern))
    assert len(paths) == number
    for path in paths:
        reply = wire(name).parse("text/event-stream", path.read_bytes())
        if reply.continuation:
            continue  # which the SDK would go on with by itself
        session = opened(Unjudged(name, response(cut(path.read_bytes(), 11))))
        if reply.turn.error or not reply.complete:
            with pytest.raises(StreamFailed):
                await heard(session)
            continue
        turn, _ = await heard(session)
        thought = "".join(part.text for part in reply.turn.parts if isinstance(part, ThinkingPart))
        assert (turn.assistant_text, turn.thinking_text) == (reply.turn.text, thought), path.name
        assert (turn.stop, turn.usage) == (reply.turn.stop, reply.turn.usage), path.name
        assert [(call.name, call.arguments) for call in turn.tool_calls] == [
            (call.name, call.arguments or "{}") for call in reply.turn.calls
        ], path.name
        returned = wire(name).entries(wire(name).returned(reply, [call.id for call in turn.tool_calls]))
        assert session.turn_messages(turn) == returned, path.name


FAILING = {
    "gem-error-midstream.sse": "503 UNAVAILABLE: The model is overloaded",
    "gem-error-midstream-data.sse": "503 UNAVAILABLE: The model is overloaded",
    "gem-truncated.sse": "ended without a finish reason",
    "gem-malformed-function-call.sse": "MALFORMED_FUNCTION_CALL",
    "gem-continuation-hop1.sse": "ended without a finish reason",
}


@pytest.mark.parametrize(("example", "words"), FAILING.items())
async def test_an_example_that_fails_says_why(example: str, words: str, shared: Path) -> None:
    endpoint = Unjudged("gemini-generate", response([(shared / "wire/examples" / example).read_bytes()]))
    with pytest.raises(StreamFailed, match=words):
        await heard(opened(endpoint))
    assert len(endpoint.asked) == 1


class Unjudged(SdkEndpoint):
    """An endpoint that only answers."""

    def judge(self, conversation: Conversation) -> None:
        pass


# --- calls and their ids --------------------------------------------------------------------------------------


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


@both
@every_native_session
async def test_calls_with_one_id_or_none_go_back_under_ids_of_their_own(
    name: WireName, opens: Opens, stream: bool
) -> None:
    parts = [Call("list_files", "{}", "same"), Call("read_file", '{"a": 1}', "same"), Call("read_file", "{}", "")]
    if name == "gemini-interactions":  # where every call has an id, which says what its arguments are
        parts = [Call("list_files", "{}", "same"), Call("read_file", "{}", "same")]
    odd = Turn(tuple(parts), FinishReason.TOOL_CALLS)
    endpoint = SdkEndpoint(name, odd, odd, DONE)
    session, ids = opens(endpoint, stream=stream), list[str]()
    for _ in range(2):
        turn, deltas = await heard(session)
        assert [(call.name, json.loads(call.arguments)) for call in turn.tool_calls] == [
            (part.name, json.loads(part.arguments)) for part in parts
        ]
        ids += [call.id for call in turn.tool_calls]
        assert {each.id for each in deltas if isinstance(each, ToolCallDelta)} == {call.id for call in turn.tool_calls}
        session.append_tool_results(turn, results(turn))
    await heard(session)
    assert len({*ids, ""}) == 2 * len(parts) + 1
    assert ids[0] == "same"
    assert len([each for message in endpoint.asked[1].messages for each in message.results]) == len(parts)


@every_session
async def test_the_id_of_a_call_in_a_failed_turn_is_no_other_calls(name: WireName, opens: Opens) -> None:
    parts = (Call("read_file", "{}", "x"),)
    endpoint = SdkEndpoint(name, Turn(parts, error=StreamError()), Turn(parts, FinishReason.TOOL_CALLS), DONE)
    session = opens(endpoint)
    with pytest.raises(StreamFailed):
        await heard(session)
    turn, _ = await heard(session)
    assert turn.tool_calls[0].id != "x"
    session.append_tool_results(turn, results(turn))
    await heard(session)


# --- what is sent -----------------------------------------------------------------------------------------------


@both
@every_session
async def test_half_a_character_is_emitted_and_sent_as_a_replacement(
    name: WireName, opens: Opens, stream: bool
) -> None:
    parts = Text("a\ud83d"), Call("read_file", '{"b": "\\ud83d"}')
    endpoint = Lenient(name, Turn(parts, FinishReason.TOOL_CALLS), DONE)
    session = opens(endpoint, stream=stream, prompt=[("system", "s\ud83d"), ("user", "\ud83d\ude00 u\ude00")])
    turn, deltas = await heard(session)
    assert turn.assistant_text == "a\ufffd"
    assert "".join(each.text for each in deltas if isinstance(each, AssistantDelta)) == "a\ufffd"
    json.dumps(str(deltas), ensure_ascii=False).encode()
    session.append_tool_results(turn, [CallResult(turn.tool_calls[0], {"\ud83d": "c\ude00"}, ok=False)])
    await heard(session)
    assert endpoint.asked[0].messages[1].text == "\U0001f600 u\ufffd"
    assert "c\ufffd" in endpoint.asked[1].messages[-1].results[0].output
    json.dumps([each.body for each in endpoint.asked], ensure_ascii=False).encode()


@every_session
async def test_arguments_that_are_no_object_do_not_make_the_next_request_wrong(name: WireName, opens: Opens) -> None:
    if name in ("gemini-generate", "gemini-interactions"):
        pytest.skip("where arguments are no text, and so always an object")
    calls = Call("read_file", '{"a"'), Call("read_file", "[1]")
    endpoint = SdkEndpoint(name, Turn(calls, FinishReason.TOOL_CALLS), DONE)
    session = opens(endpoint)
    turn, _ = await heard(session)
    assert [call.arguments for call in turn.tool_calls] == ['{"a"', "[1]"]
    session.append_tool_results(turn, results(turn))
    await heard(session)


@pytest.mark.parametrize("parts", [(), (Text(""),), (Text(" \n"),)], ids=["nothing", "empty", "blank"])
@every_session
async def test_a_turn_that_says_nothing_does_not_make_the_next_request_wrong(
    name: WireName, opens: Opens, parts: tuple[Text, ...]
) -> None:
    endpoint = SdkEndpoint(name, Turn(parts), DONE)
    session = opens(endpoint)
    turn, _ = await heard(session)
    session.append_tool_results(turn, [])
    session.append_user("Go on.")
    await heard(session)
    assert endpoint.asked[1].messages[-1].text.endswith("Go on.")


@every_session
async def test_what_calls_said_beside_their_results_follows_them(name: WireName, opens: Opens) -> None:
    endpoint = Lenient(name, TWO, DONE)
    session = opens(endpoint)
    turn, _ = await heard(session)
    first, second = results(turn)
    session.append_tool_results(turn, [first, CallResult(second.call, second.result, True, "Also this.")])
    session.append_user("And that.")
    await heard(session)
    said = [part.text for message in endpoint.asked[1].messages for part in message.parts if isinstance(part, Text)]
    assert said[-2:] == ["Also this.", "And that."]


class Lenient(SdkEndpoint):
    """An endpoint that does not mind what is only inferred."""

    def judge(self, conversation: Conversation) -> None:
        found = self.wire.violations(conversation, self.issued)
        assert [(each.id, each.got) for each in found if each.level != "INFO"] == []


@every_native_session
async def test_entries_that_a_caller_puts_into_the_history_are_sent(name: WireName, opens: Opens) -> None:
    endpoint = SdkEndpoint(name, DONE)
    session = opens(endpoint)
    session.history += [session.message("assistant", "Hello."), session.message("user", "Look again.")]
    await heard(session)
    said = [message.text for message in endpoint.asked[0].messages]
    assert said == ["Be brief.", "What is in src/app.py?", "Hello.", "Look again."]


@every_wire
async def test_sessions_on_one_client_do_not_mix_and_none_closes_it(name: WireName) -> None:
    endpoint = SdkEndpoint(name, DONE, DONE)
    clients = Clients(endpoint)
    for number in (1, 2):
        settings = config(endpoint, base_url=f"http://int/case/{number}", api_key=f"key-{number}")
        session = clients.open_session(name, settings)
        await heard(session)
        await session.close()
        assert endpoint.urls[-1].startswith(f"http://int/case/{number}/")
        assert f"key-{number}" in str(endpoint.headers[-1])


# --- failures -----------------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("status", [400, 401, 403, 404, 408, 409, 413, 429, 500, 503, 529])
@every_session
async def test_an_error_status_is_reported_with_its_words_and_the_wait_and_nobody_asks_twice(
    name: WireName, opens: Opens, status: int, stream: bool
) -> None:
    error = wire(name).error(status, Identity("e"), retry_after=2)
    endpoint = SdkEndpoint(name, httpx2.Response(error.status, headers=dict(error.headers), content=error.body))
    with pytest.raises(HttpFailed) as failed:
        await heard(opens(endpoint, stream=stream))
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
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"3",
        b"\xff\xfe",
        b"<html>busy</html>",
        b'{"error": "busy"}',
        b'{"error": {"message": "busy"}}',
        b'{"detail": "busy"}',
    ],
)
@every_session
async def test_an_error_in_another_form_keeps_its_words(
    name: WireName, opens: Opens, body: bytes, stream: bool
) -> None:
    answer = httpx2.Response(502, headers={"content-type": "text/html"}, content=body)
    with pytest.raises(HttpFailed, match="busy" if b"busy" in body else ".") as failed:
        await heard(opens(SdkEndpoint(name, answer), stream=stream))
    assert (failed.value.status, failed.value.retry_after) == (502, None)


@both
@every_session
async def test_a_request_without_an_answer_is_a_failure_that_nobody_repeats(
    name: WireName, opens: Opens, stream: bool
) -> None:
    endpoint = SdkEndpoint(name, httpx2.ConnectError("refused"), DONE)
    with pytest.raises(HttpFailed, match="refused") as failed:
        await heard(opens(endpoint, stream=stream))
    assert failed.value.status is None
    assert len(endpoint.asked) == 1


@both
@pytest.mark.parametrize("kind", ["overloaded", "server_error", "rate_limit", "context_length"])
@every_session
async def test_an_error_inside_the_answer_fails_the_turn(name: WireName, opens: Opens, kind: Any, stream: bool) -> None:
    failing = Turn((Text("Par"),), error=StreamError(kind, "No more."))
    with pytest.raises(StreamFailed if stream else TurnFailed, match=r"No more\."):
        await heard(opens(SdkEndpoint(name, failing), stream=stream))


@pytest.mark.parametrize("turn", [DONE, TWO], ids=["text", "calls"])
@every_session
async def test_a_stream_cut_anywhere_is_no_turn(name: WireName, opens: Opens, turn: Turn) -> None:
    rendered = wire(name).render(turn, Identity("cut"), Conversation(name, wire(name).default_model, True, ()))
    whole = b"".join(rendered.frames[: len(rendered.frames) - max(rendered.terminal, 1)])
    for part in range(8):
        body = whole[: len(whole) * part // 7]
        answer = httpx2.Response(200, headers={"content-type": rendered.content_type}, content=body)
        with pytest.raises(StreamFailed):
            await heard(opens(SdkEndpoint(name, answer)))
    with pytest.raises(StreamFailed):
        await heard(opens(SdkEndpoint(name, Turn(turn.parts, turn.stop, ending="eof"))))


@both
@pytest.mark.parametrize("arrived", [0, 20, 300])
@every_wire
async def test_a_connection_that_breaks_off_is_no_turn(name: WireName, arrived: int, stream: bool) -> None:
    asked = Conversation(name, wire(name).default_model, stream, ())
    rendered = wire(name).render(TWO, Identity("cut"), asked)
    pieces = [rendered.body[:arrived]] if arrived else []
    lost = response(pieces, rendered.content_type, httpx2.RemoteProtocolError("peer closed connection"))
    endpoint = SdkEndpoint(name, lost, DONE)
    session = opened(endpoint, stream=stream)
    with pytest.raises(TurnFailed):
        await heard(session)
    assert (await heard(session))[0].assistant_text == "It prints a line."
    assert endpoint.asked[0].body == endpoint.asked[1].body, "nothing of a broken turn is kept"


@both
@pytest.mark.parametrize("body", [b"", b"[]", b"3", b"Busy.", b"<html>", b'{"half', b'data: {"half\n\n'])
@every_session
async def test_what_is_no_answer_is_no_turn(name: WireName, opens: Opens, body: bytes, stream: bool) -> None:
    kind = wire(name).transport.content_type if stream else "application/json"
    answer = httpx2.Response(200, headers={"content-type": kind}, content=body)
    with pytest.raises(TurnFailed):
        await heard(opens(SdkEndpoint(name, answer), stream=stream))


@both
@every_wire
async def test_an_empty_document_is_no_turn(name: WireName, stream: bool) -> None:
    with pytest.raises(TurnFailed):
        await heard(opened(SdkEndpoint(name, httpx2.Response(200, json={})), stream=stream))


@every_session
async def test_what_the_listener_raises_is_not_the_streams_fault(name: WireName, opens: Opens) -> None:
    async def hear(delta: Delta) -> None:
        raise ValueError("listener")

    with pytest.raises(ValueError, match="listener"):
        await opens(SdkEndpoint(name, DONE)).stream_turn(hear)
