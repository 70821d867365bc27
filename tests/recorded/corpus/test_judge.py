"""What becomes of an exchange: agreement, every reason for none, and sessions broken on purpose that must be found."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any, get_args

import pytest

from harness.cassette.recordings.recording import RecordedExchange
from harness.imports.comparison import RecordedComparison
from harness.loop.session import HttpFailed, ProviderTurn, StreamFailed
from harness.targets.clients import Clients
from harness.wire import (
    NATIVE_WIRES,
    Call,
    FinishReason,
    NativeWireName,
    Refusal,
    StreamError,
    Text,
    ThinkingPart,
    Turn,
    Usage,
)
from harness_lab.recorded.sessions.features import FEATURES
from harness_lab.recorded.sessions.read_exchange import UNSUPPORTED, ReadExchange, Unsupported
from tests.recorded.corpus.recordings import WIRES, detail, judged, recorded, replay, spoiling, spoken

pytestmark = pytest.mark.anyio

RICH = Turn(
    (ThinkingPart("Lookup.", signature="c2lnbmVk"), Text("Größe: "), Call("one", '{"a":1}'), Call("two", '{"b":[2]}')),
    FinishReason.TOOL_CALLS,
    Usage(input=40, output=20, reasoning=5, cached=8),
)


@pytest.fixture(scope="module", autouse=True)
async def closing_the_replay() -> AsyncIterator[None]:
    yield
    await replay().close()
    replay.cache_clear()


async def only(exchange: RecordedExchange, *, recut: bool = True) -> RecordedComparison[ReadExchange]:
    (outcome,) = await judged([exchange], recut=recut)
    return outcome


# --- agreement ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WIRES)
@pytest.mark.parametrize("stream", [True, False])
async def test_a_turn_agrees_and_its_features_are_told(name: NativeWireName, stream: bool) -> None:
    outcome = await only(spoken(name, RICH, stream=stream))
    assert (outcome.verdict, detail(outcome), outcome.happened.wire) == ("agrees", "", name)
    assert outcome.happened.cut == stream
    expected = {"streamed" if stream else "whole", "text", "beyond ASCII", "thinking", "call", "parallel calls"}
    signed = set() if name == "openai-chat" else {"signature"}
    assert set(outcome.happened.features) == expected | signed


@pytest.mark.parametrize(
    ("turn", "feature"),
    [
        (Turn((Refusal("No."),), FinishReason.REFUSAL), "refusal"),
        (Turn((Text("Once"),), FinishReason.MAX_TOKENS), "max tokens"),
        (Turn((Text("Once"),), FinishReason.CONTENT_FILTER), "content filter"),
        (Turn(), "empty response"),
        (Turn((Call("f", '{"a":'),), FinishReason.MAX_TOKENS), "bad-JSON arguments"),
        (Turn((Call("f", json.dumps({"a": "x" * 1024})),), FinishReason.TOOL_CALLS), "long arguments (1 kB)"),
        (Turn((Call("f", "{}", id=""),), FinishReason.TOOL_CALLS), "call without an id of its own"),
        (Turn((Call("f", "{}", id="c"), Call("f", "{}", id="c"))), "call without an id of its own"),
    ],
)
async def test_features_of_other_turns(turn: Turn, feature: str) -> None:
    outcome = await only(spoken("openai-chat", turn))
    assert (outcome.verdict, detail(outcome)) == ("agrees", "")
    assert feature in outcome.happened.features
    assert set(outcome.happened.features) <= set(FEATURES)


async def test_pauses_and_parts_without_a_neutral_word() -> None:
    block = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}}
    message = {"type": "message", "role": "assistant", "content": [block], "stop_reason": "pause_turn", "usage": {}}
    outcome = await only(recorded("anthropic-messages", json.dumps(message).encode()))
    assert (outcome.verdict, outcome.happened.features) == ("agrees", ("whole", "other parts", "pause"))


async def test_usage_that_nobody_told() -> None:
    choice = {"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}
    outcome = await only(recorded("openai-chat", json.dumps({"choices": [choice]}).encode()))
    assert (outcome.verdict, outcome.happened.features) == ("agrees", ("whole", "text", "no usage reported"))


@pytest.mark.parametrize("name", WIRES)
async def test_a_response_that_fails_inside_or_is_cut_off_agrees_when_the_session_says_so(name: NativeWireName) -> None:
    failing = await only(spoken(name, Turn((Text("Once"),), error=StreamError("overloaded", "Too much."))))
    assert (failing.verdict, detail(failing), failing.happened.features) == (
        "agrees",
        "",
        ("streamed", "failure inside"),
    )
    cut = await only(spoken(name, Turn((Text("Once"),), ending="eof")))
    assert (cut.verdict, detail(cut), cut.happened.features) == ("agrees", "", ("streamed", "failure inside"))
    assert (failing.happened.cut, cut.happened.cut) == (1, 1)


NO_RESPONSES = (b"<html>busy</html>", b"{}", b"[]", b"3", b'{"error": {"message": "Busy."}}', b"\xff\xfe")
NO_STREAMS = (b"data: {\n\n", b"data: []\n\n", b": nothing\n\n", b"event: x\n\n", b'data: {"candidates": 3}\n\n')


@pytest.mark.parametrize("body", [*NO_RESPONSES, *NO_STREAMS])
@pytest.mark.parametrize("name", WIRES)
async def test_a_body_that_is_no_response_must_be_refused_by_the_session_too(name: NativeWireName, body: bytes) -> None:
    outcome = await only(recorded(name, body))
    assert (outcome.verdict, detail(outcome)) == ("agrees", "")
    assert {"no response", "failure inside"} & set(outcome.happened.features)


@pytest.mark.parametrize("name", WIRES)
async def test_an_error_status_agrees_with_what_is_raised(name: NativeWireName) -> None:
    body = b'{"error": {"message": "Slow down.", "type": "rate_limit_error", "code": 429, "status": "X"}}'
    headers = {"retry-after": "7"} if name != "gemini-generate" else {}
    outcome = await only(recorded(name, body, status=429, headers=headers))
    assert (outcome.verdict, detail(outcome), outcome.happened.features) == ("agrees", "", ("error status",))
    page = await only(recorded(name, b"<html>", status=502, headers={"content-type": "text/html"}))
    assert (page.verdict, detail(page)) == ("agrees", "")
    nothing = await only(recorded(name, None, status=500))
    assert (nothing.verdict, detail(nothing)) == ("agrees", "")


async def test_streams_are_not_cut_apart_when_not_asked_to() -> None:
    outcome = await only(spoken("openai-chat", RICH), recut=False)
    assert (outcome.verdict, outcome.happened.cut) == ("agrees", 0)


# --- no judgement, with the reason --------------------------------------------------------------------------


def gemini(finish: Any, *parts: dict[str, Any]) -> bytes:
    candidate = {"content": {"role": "model", "parts": list(parts)}, "finishReason": finish, "index": 0}
    return f"data: {json.dumps({'candidates': [candidate]})}\r\n\r\n".encode()


def out_of_order() -> bytes:
    """A block's delta without its start, which makes the SDK's helper fail."""
    body = (spoken("anthropic-messages", Turn((Text("Hi"),))).response or b"").decode()
    frames = [frame for frame in body.split("\n\n") if "content_block_start" not in frame]
    return "\n\n".join(frames).encode()


_CASES: dict[Unsupported, RecordedExchange] = {
    "no session": recorded("openai-chat", b"{}", url="https://a/model/m/converse"),
    "Bedrock, another maker": recorded("openai-chat", b"{}", url="https://a/model/amazon.nova/invoke"),
    "Ollama's own": recorded("openai-chat", b"{}", url="https://a/api/chat"),
    "Realtime": recorded("openai-chat", b"{}", url="https://a/v1/realtime/sessions"),
    "compaction": recorded("openai-chat", b"{}", url="https://a/v1/responses/compact"),
    "side endpoint": recorded("openai-chat", b"{}", url="https://api.openai.com/v1/files"),
    "no body": recorded("openai-chat", None),
    "numeric enums": recorded("gemini-generate", gemini(1, {"text": "Hi"})),
    "streamed arguments": recorded(
        "gemini-generate", gemini("STOP", {"functionCall": {"name": "f", "partialArgs": [], "willContinue": True}})
    ),
    "no oracle": recorded("anthropic-messages", out_of_order()),
}


@pytest.mark.parametrize("reason", get_args(Unsupported))
async def test_each_reason_for_no_judgement(reason: Unsupported, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness_lab.recorded.sessions.judge.with_session", lambda: NATIVE_WIRES)
    outcome = await only(_CASES[reason])
    assert (outcome.verdict, detail(outcome)) == ("not compared", reason)
    assert UNSUPPORTED[reason]


async def test_a_refusal_on_a_wire_without_a_session_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness_lab.recorded.sessions.judge.with_session", tuple)
    refused = recorded("openai-chat", b'{"message": "No."}', url="https://a/model/m/converse", status=400)
    assert detail(await only(refused)) == "no session"


async def test_a_blocked_prompt_in_numbers_is_unsupported_too() -> None:
    body = b'data: {"promptFeedback": {"blockReason": 1}}\n\n'
    assert detail(await only(recorded("gemini-generate", body))) == "numeric enums"


# --- broken sessions ----------------------------------------------------------------------------------------


def without_a_call(turn: ProviderTurn) -> ProviderTurn:
    return replace(turn, tool_calls=turn.tool_calls[1:])


def swapped(turn: ProviderTurn) -> ProviderTurn:
    return replace(turn, tool_calls=turn.tool_calls[::-1])


def arguments_swapped(turn: ProviderTurn) -> ProviderTurn:
    one, two = turn.tool_calls
    calls = (replace(one, arguments=two.arguments), replace(two, arguments=one.arguments))
    return replace(turn, tool_calls=calls)


def arguments_cut(turn: ProviderTurn) -> ProviderTurn:
    return replace(turn, tool_calls=tuple(replace(call, arguments=call.arguments[:-1]) for call in turn.tool_calls))


def one_id(turn: ProviderTurn) -> ProviderTurn:
    return replace(turn, tool_calls=tuple(replace(call, id="same") for call in turn.tool_calls))


def other_ids(turn: ProviderTurn) -> ProviderTurn:
    return replace(turn, tool_calls=tuple(replace(call, id=f"{call.id}x") for call in turn.tool_calls))


def nothing_to_return(turn: ProviderTurn) -> ProviderTurn:
    empty: Any = {"parts": []} if "parts" in turn.assistant_turn else type(turn.assistant_turn)()
    return replace(turn, assistant_turn=empty)


def crash(turn: ProviderTurn) -> ProviderTurn:
    raise KeyError("index")


def fails(turn: ProviderTurn) -> ProviderTurn:
    raise StreamFailed("cannot")


SPOILED: dict[str, tuple[Callable[[ProviderTurn], ProviderTurn], str]] = {
    "text cut short": (lambda turn: replace(turn, assistant_text="Grö"), "text: from character 3: expected "),
    "thinking lost": (lambda turn: replace(turn, thinking_text=""), "thinking: from character 0: expected 'Lookup.'"),
    "refusal invented": (lambda turn: replace(turn, refusal="No."), "refusal: from character 0: expected ''"),
    "call dropped": (without_a_call, "calls: expected ['one', 'two'], got ['two']"),
    "calls swapped": (swapped, "calls[0]: from character 0: expected 'one', got 'two'"),
    "arguments swapped": (arguments_swapped, "calls[0].arguments"),
    "arguments cut short": (arguments_cut, "calls[0].arguments"),
    "one id for two calls": (one_id, "calls: expected an id of its own for each, got ['same', 'same']"),
    "other ids": (other_ids, "calls[0].id: from character"),
    "other stop": (
        lambda turn: replace(turn, stop=FinishReason.END),
        "stop: from character 0: expected 'tool_calls', got 'end'",
    ),
    "usage lost": (lambda turn: replace(turn, usage=Usage(0, 0)), "usage: expected Usage(input=40, "),
    "nothing goes back": (nothing_to_return, "assistant_turn"),
    "goes back unreadable": (
        lambda turn: replace(turn, assistant_turn=None),
        "assistant_turn: expected the form of its wire",
    ),
    "crash": (crash, "outcome: expected a turn, got KeyError: 'index'"),
    "fails without reason": (fails, "outcome: expected a turn, got StreamFailed: cannot"),
}


@pytest.mark.parametrize("spoiled", SPOILED)
@pytest.mark.parametrize("name", WIRES)
async def test_a_broken_session_disagrees_in_the_right_place(
    name: NativeWireName, spoiled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil, expected = SPOILED[spoiled]
    monkeypatch.setattr(Clients, "open_session", spoiling(Clients.open_session, spoil))
    outcome = await only(spoken(name, RICH))
    assert outcome.verdict == "differs"
    assert detail(outcome).startswith(expected)
    assert "parallel calls" in outcome.happened.features


@pytest.mark.parametrize("name", WIRES)
async def test_deltas_that_are_not_told_are_missed(name: NativeWireName, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Clients, "open_session", spoiling(Clients.open_session, lambda turn: turn, silent=True))
    words = {
        "deltas of text": (Text("a"),),
        "deltas of thinking": (ThinkingPart("a"),),
        "deltas of arguments": RICH.parts[2:],
    }
    outcomes = await judged([spoken(name, Turn(parts)) for parts in words.values()])
    assert [detail(outcome).split(":")[0] for outcome in outcomes] == list(words)


@pytest.mark.parametrize("name", WIRES)
async def test_a_lost_signature_is_missed(name: NativeWireName, monkeypatch: pytest.MonkeyPatch) -> None:
    def unsigned(turn: ProviderTurn) -> ProviderTurn:
        text = json.dumps(turn.assistant_turn)
        for word in ("signature", "encrypted_content", "thoughtSignature", "reasoning_content"):
            text = text.replace(f'"{word}"', '"lost"')
        return replace(turn, assistant_turn=json.loads(text))

    monkeypatch.setattr(Clients, "open_session", spoiling(Clients.open_session, unsigned))
    assert detail(await only(spoken(name, RICH))).startswith("assistant_turn")


@pytest.mark.parametrize("name", WIRES)
async def test_a_session_that_reads_what_failed_or_raises_the_wrong_failure_disagrees(
    name: NativeWireName, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = spoken(name, Turn((Text("Once"),), error=StreamError("overloaded", "Too much.")))

    class Deaf:
        def __init__(self, failure: Exception | None) -> None:
            self.failure = failure

        async def stream_turn(self, on_event: Any) -> ProviderTurn:
            if self.failure:
                raise self.failure
            return ProviderTurn("Once", (), None, FinishReason.END, model="")

    for failure, got in (
        (None, "a turn"),
        (HttpFailed("Too much.", 503), "HttpFailed: Too much."),
        (StreamFailed("something"), "StreamFailed: something"),
    ):
        deaf = Deaf(failure)
        monkeypatch.setattr(Clients, "open_session", lambda *_, deaf=deaf: deaf)
        outcome = await only(failing)
        assert detail(outcome) == f"outcome: expected StreamFailed saying 'Too much.', got {got}"


async def test_a_turn_read_from_no_response_disagrees(monkeypatch: pytest.MonkeyPatch) -> None:
    class Inventive:
        async def stream_turn(self, on_event: Any) -> ProviderTurn:
            return ProviderTurn("Hello", (), None, FinishReason.END, model="")

    monkeypatch.setattr(Clients, "open_session", lambda *_: Inventive())
    outcome = await only(recorded("openai-chat", b"<html>"))
    assert detail(outcome).startswith(
        "outcome: expected StreamFailed for the recording is no response (JSONDecodeError"
    )


@pytest.mark.parametrize(
    ("raised", "problem"),
    [
        (StreamFailed("busy"), "outcome: expected HttpFailed with status 429, got StreamFailed: busy"),
        (HttpFailed("Slow down.", 500, 7.0), "status: expected 429, got 500"),
        (HttpFailed("Slow down.", 429), "retry_after: expected 7.0, got None"),
        (HttpFailed("busy", 429, 7.0), "message: expected 'Slow down.' in it, got 'busy'"),
    ],
)
async def test_an_error_status_raised_as_something_else_disagrees(
    raised: Exception, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing:
        async def stream_turn(self, on_event: Any) -> ProviderTurn:
            raise raised

    monkeypatch.setattr(Clients, "open_session", lambda *_: Failing())
    body = b'{"error": {"message": "Slow down."}}'
    outcome = await only(recorded("openai-chat", body, status=429, headers={"retry-after": "7"}))
    assert (outcome.verdict, detail(outcome)) == ("differs", problem)


async def test_a_session_that_minds_where_the_bytes_are_cut_disagrees(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Clients.open_session
    turns: list[ProviderTurn] = []

    def forgetful(turn: ProviderTurn) -> ProviderTurn:
        turns.append(turn)
        return turn if len(turns) == 1 else replace(turn, thinking_text="")

    monkeypatch.setattr(Clients, "open_session", spoiling(opened, forgetful))
    outcome = await only(spoken("openai-chat", Turn((ThinkingPart("Lookup."),))))
    assert outcome.verdict == "differs"
    assert detail(outcome) == "thinking_text: from character 0: expected 'Lookup.', got '' (cut apart: byte, seed 0)"


async def test_large_streams_are_cut_at_bad_places_and_at_random_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    count = iter(range(9))

    def every_other_crashes(turn: ProviderTurn) -> ProviderTurn:
        if next(count) % 2:
            raise StreamFailed("cut")
        return turn

    monkeypatch.setattr(Clients, "open_session", spoiling(Clients.open_session, every_other_crashes))
    long = spoken("openai-chat", Turn((Text("word " * 400),)))
    outcomes = await judged([long, long])
    assert [detail(outcome) for outcome in outcomes] == [
        "outcome: from character 0: expected 'a turn', got 'StreamFailed: cut' (cut apart: adversarial, seed 0)",
        "outcome: from character 0: expected 'a turn', got 'StreamFailed: cut' (cut apart: random, seed 1)",
    ]
