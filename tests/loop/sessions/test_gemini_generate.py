"""The Gemini session on the real SDK, over bytes of our own wire, of the examples, and of a scripted endpoint."""

from __future__ import annotations

import json
import zlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from harness.loop.session import (
    AssistantDelta,
    CallResult,
    Delta,
    HttpFailed,
    ProviderTurn,
    SessionConfig,
    StreamFailed,
    ThinkingDelta,
    ToolCall,
    ToolCallDelta,
)
from harness.wire import Call, FinishReason, Identity, IssuedState, Text, ThinkingPart, ToolDeclaration, Turn, Usage
from harness.wire.gemini_generate import WIRE
from tests.sdks import genai, sessions
from tests.wire.gemini_generate.samples import CALL, PAGE, STREAM_PATH, TURNS, WHOLE_PATH, conversation
from tests.wire.gemini_generate.sdk import Endpoint, cut, stream

pytestmark = pytest.mark.anyio

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "additionalProperties": False}
TOOLS = [ToolDeclaration("read_file", "Read one file.", SCHEMA)]
PROMPT = [("system", "Be brief."), ("user", "What is in src/app.py?")]
UNSAYABLE = {"malformed-call", "arguments-no-object"}
FAILING = UNSAYABLE | {name for name, turn in TURNS.items() if turn.error or turn.ending == "eof"}


@pytest.fixture(scope="module")
def endpoint() -> Endpoint:
    return Endpoint()


@pytest.fixture(scope="module")
async def client(endpoint: Endpoint) -> AsyncIterator[genai.Client]:
    async with httpx2.AsyncClient(transport=endpoint) as http:
        yield sessions.gemini_generate.open_client(http)


def config(**members: Any) -> SessionConfig:
    given = {"model": "gemini-3.6-flash", "prompt": PROMPT, "tools": TOOLS, "base_url": "http://gem/case/7"}
    return SessionConfig(**{**given, **members})


def session(
    client: genai.Client, endpoint: Endpoint, answer: Any, **members: Any
) -> sessions.gemini_generate.GeminiGenerateSession:
    endpoint.requests.clear()
    endpoint.bodies.clear()
    endpoint.answer = answer if callable(answer) else lambda _: stream([answer])
    return sessions.gemini_generate.GeminiGenerateSession(config(**members), client)


async def turn_of(loop: sessions.gemini_generate.GeminiGenerateSession) -> tuple[ProviderTurn, list[Delta]]:
    told: list[Delta] = []

    async def on_event(delta: Delta) -> None:
        told.append(delta)

    return await loop.stream_turn(on_event), told


def rendered(turn: Turn, path: str = STREAM_PATH) -> Any:
    return WIRE.render(turn, Identity("case"), conversation(path=path))


def event(*parts: Any, **members: Any) -> bytes:
    candidate = {"content": {"parts": list(parts), "role": "model"}, **members}
    return b"data: " + json.dumps({"candidates": [candidate]}).encode() + b"\r\n\r\n"


STOP = event({"text": ""}, finishReason="STOP")


def says(turn: ProviderTurn, script: Turn) -> None:
    parts = [part for part in script.parts if not isinstance(part, Call) or _is_object(part.arguments)]
    assert turn.assistant_text == "".join(part.text for part in parts if not isinstance(part, Call | ThinkingPart))
    assert turn.thinking_text == "".join(part.text for part in parts if isinstance(part, ThinkingPart))
    assert [(call.name, json.loads(call.arguments)) for call in turn.tool_calls] == [
        (part.name, json.loads(part.arguments or "{}")) for part in parts if isinstance(part, Call)
    ]
    assert turn.usage == script.usage


def _is_object(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments or "{}"), dict)
    except ValueError:
        return False


# --- requests ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("streamed", "path"), [(True, STREAM_PATH), (False, WHOLE_PATH)])
async def test_the_request(streamed: bool, path: str, client: genai.Client, endpoint: Endpoint) -> None:
    body = rendered(TURNS["text"], path).body
    await turn_of(session(client, endpoint, body, api_key="secret", stream=streamed))
    [sent], [asked] = endpoint.requests, endpoint.bodies
    assert str(sent.url) == f"http://gem/case/7{path}"
    assert sent.headers["x-goog-api-key"] == "secret"
    assert "+afc" not in sent.headers["x-goog-api-client"]
    assert asked == {
        "contents": [{"role": "user", "parts": [{"text": "What is in src/app.py?"}]}],
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "tools": [
            {
                "functionDeclarations": [
                    {"name": "read_file", "description": "Read one file.", "parametersJsonSchema": SCHEMA}
                ]
            }
        ],
        "generationConfig": {"thinkingConfig": {"includeThoughts": True}},
    }


async def test_without_system_and_tools_nothing_is_sent_of_them(client: genai.Client, endpoint: Endpoint) -> None:
    await turn_of(session(client, endpoint, rendered(TURNS["text"]).body, prompt=[("user", "hi")], tools=[]))
    assert endpoint.bodies[0].keys() == {"contents", "generationConfig"}


async def test_sessions_on_one_client_do_not_mix(client: genai.Client, endpoint: Endpoint) -> None:
    endpoint.requests.clear()
    endpoint.answer = lambda _: stream([rendered(TURNS["text"]).body])
    for number in (1, 2):
        loop = sessions.gemini_generate.GeminiGenerateSession(
            config(base_url=f"http://gem/case/{number}", api_key=f"key-{number}"), client
        )
        await turn_of(loop)
        await loop.close()
    assert [(sent.url.path.split("/")[2], sent.headers["x-goog-api-key"]) for sent in endpoint.requests] == [
        ("1", "key-1"),
        ("2", "key-2"),
    ]


async def test_where_no_server_is_the_failure_has_no_status() -> None:
    async with httpx2.AsyncClient() as http:
        client = sessions.gemini_generate.open_client(http)
        with pytest.raises(HttpFailed) as raised:
            await turn_of(sessions.gemini_generate.GeminiGenerateSession(config(base_url="http://127.0.0.1:1"), client))
    assert raised.value.status is None


async def test_the_client_stays_on_httpx2_where_aiohttp_can_be_imported(
    client: genai.Client, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("google.genai._api_client.has_aiohttp", True)
    turn, _ = await turn_of(session(client, endpoint, rendered(TURNS["call"]).body))
    assert len(turn.tool_calls) == len(endpoint.requests) == 1


# --- turns -------------------------------------------------------------------------------------------------

GOOD = [name for name in TURNS if name not in FAILING]


@pytest.mark.parametrize("name", GOOD)
async def test_a_streamed_turn(name: str, client: genai.Client, endpoint: Endpoint) -> None:
    answer = rendered(TURNS[name])
    turn, told = await turn_of(session(client, endpoint, lambda _: stream(answer.frames)))
    says(turn, TURNS[name])
    assert turn.stop is answer.reply.turn.stop
    assert "".join(delta.text for delta in told if isinstance(delta, AssistantDelta)) == turn.assistant_text
    assert "".join(delta.text for delta in told if isinstance(delta, ThinkingDelta)) == turn.thinking_text
    calls = [ToolCall(delta.id, delta.name, delta.arguments) for delta in told if isinstance(delta, ToolCallDelta)]
    assert tuple(calls) == turn.tool_calls
    for delta in told:
        assert isinstance(delta, ToolCallDelta) or delta.text
        json.dumps(str(delta), ensure_ascii=False).encode()


@pytest.mark.parametrize("name", GOOD)
async def test_a_whole_turn(name: str, client: genai.Client, endpoint: Endpoint) -> None:
    answer = rendered(TURNS[name], WHOLE_PATH)
    turn, told = await turn_of(session(client, endpoint, answer.body, stream=False))
    says(turn, TURNS[name])
    assert turn.stop is answer.reply.turn.stop
    assert "".join(delta.text for delta in told if isinstance(delta, AssistantDelta)) == turn.assistant_text


@pytest.mark.parametrize("size", [1, 2, 3, 7])
async def test_a_turn_in_small_chunks(size: int, client: genai.Client, endpoint: Endpoint) -> None:
    answer = rendered(TURNS["mixed"])
    whole, _ = await turn_of(session(client, endpoint, answer.body))
    turn, _ = await turn_of(session(client, endpoint, lambda _: stream(cut(answer.body, size))))
    assert turn == whole


@pytest.mark.parametrize("name", [*GOOD, "eof"])
async def test_the_turn_goes_back_as_it_came(name: str, client: genai.Client, endpoint: Endpoint) -> None:
    answer = rendered(TURNS[name])
    loop = session(client, endpoint, lambda _: stream(answer.frames))
    if name == "eof":
        with pytest.raises(StreamFailed):
            await turn_of(loop)
        return
    turn, _ = await turn_of(loop)
    if name != "text-utf16":
        assert turn.assistant_turn == {"role": "model", "parts": list(answer.reply.items)}
    json.dumps(turn.assistant_turn, ensure_ascii=False).encode()


@pytest.mark.parametrize("members", [{}, {"thought": True}])
async def test_halves_of_a_pair_are_joined_where_every_chunk_says_stop(
    client: genai.Client, endpoint: Endpoint, members: dict[str, Any]
) -> None:
    pieces = [event({"text": text} | members, finishReason="STOP") for text in ("a\ud83d", "\ude00b\ud83d")]
    turn, told = await turn_of(session(client, endpoint, b"".join(pieces)))
    assert turn.thinking_text + turn.assistant_text == "a😀b\ufffd"
    assert "".join(delta.text for delta in told if not isinstance(delta, ToolCallDelta)) == "a😀b\ufffd"


async def test_a_signed_piece_ends_its_text(client: genai.Client, endpoint: Endpoint) -> None:
    body = event({"text": "a\ud83d", "thoughtSignature": "c2ln"}) + event({"text": "\ude00"}, finishReason="STOP")
    turn, told = await turn_of(session(client, endpoint, body))
    assert (
        turn.assistant_text
        == "a\ufffd\ufffd"
        == "".join(each.text for each in told if isinstance(each, AssistantDelta))
    )


async def test_halves_of_a_pair_are_joined_and_a_lone_half_is_replaced(
    client: genai.Client, endpoint: Endpoint
) -> None:
    body = (
        event({"text": "a\ud83d"})
        + event({"text": "\ude00b\ud83d"})
        + event({"text": "t\ud83d", "thought": True})
        + event({"text": "\ude00", "thought": True, "thoughtSignature": "c2ln"})
        + event({"functionCall": {"name": "f", "args": {"x\ud83d": ["\ude00"]}}})
        + event({"text": "\ud83d"}, finishReason="STOP")
    )
    loop = session(client, endpoint, body)
    turn, told = await turn_of(loop)
    assert turn.assistant_text == "a😀b\ufffd\ufffd"
    assert turn.thinking_text == "t😀"
    assert "".join(delta.text for delta in told if isinstance(delta, AssistantDelta)) == turn.assistant_text
    assert json.loads(turn.tool_calls[0].arguments) == {"x\ud83d": ["\ude00"]}
    assert turn.assistant_turn["parts"] == [
        {"text": "a😀b\ufffd"},
        {"text": "t😀", "thought": True, "thoughtSignature": "c2ln"},
        {"functionCall": {"name": "f", "args": {"x\ufffd": ["\ufffd"]}}},
        {"text": "\ufffd"},
    ]


async def test_nothing_that_is_sent_holds_half_a_pair(client: genai.Client, endpoint: Endpoint) -> None:
    first = event({"functionCall": {"name": "f", "args": {"a": "\ud83d"}}, "thoughtSignature": "c2ln"}) + STOP
    loop = session(client, endpoint, first, prompt=[("system", "s\ud83d"), ("user", "\ud83d\ude00 u\ude00")])
    turn, _ = await turn_of(loop)
    loop.append_tool_results(turn, [CallResult(turn.tool_calls[0], {"\ud83d": ["x\ud83d"]}, ok=True)])
    await turn_of(loop)
    for asked in endpoint.bodies:
        json.dumps(asked, ensure_ascii=False).encode()
    assert endpoint.bodies[0]["contents"][0]["parts"][0]["text"] == "😀 u\ufffd"


async def test_calls_without_an_id_or_with_one_twice_are_all_kept(client: genai.Client, endpoint: Endpoint) -> None:
    calls = [
        {"functionCall": {"name": "f", "args": {"n": 1}}, "thoughtSignature": "c2ln"},
        {"functionCall": {"name": "f", "args": {"n": 2}, "id": ""}},
        {"functionCall": {"name": "f", "args": {"n": 3}, "id": "x"}},
        {"functionCall": {"name": "f", "args": {"n": 4}, "id": "x"}},
        {"functionCall": {"name": "f", "args": None, "id": "call-1"}},
        {"functionCall": {"args": {"n": 6}}},
    ]
    loop = session(client, endpoint, event(*calls) + STOP)
    turn, _ = await turn_of(loop)
    assert len({call.id for call in turn.tool_calls}) == 6
    assert turn.tool_calls[2].id == "x"
    assert [call.arguments for call in turn.tool_calls] == ['{"n":1}', '{"n":2}', '{"n":3}', '{"n":4}', "{}", '{"n":6}']
    loop.append_tool_results(turn, [CallResult(call, number, ok=True) for number, call in enumerate(turn.tool_calls)])
    again, _ = await turn_of(loop)
    assert not {call.id for call in turn.tool_calls} & {call.id for call in again.tool_calls}
    made, answers = endpoint.bodies[1]["contents"][1:]
    assert [part["functionCall"].get("id") for part in made["parts"]] == [None, "", "x", "x", "call-1", None]
    assert [part["functionResponse"].get("id") for part in answers["parts"]] == [None, None, "x", "x", "call-1", None]
    assert [part["functionResponse"]["response"] for part in answers["parts"]] == [{"output": n} for n in range(6)]
    assert made["parts"][-1]["functionCall"]["name"] == answers["parts"][-1]["functionResponse"]["name"] != ""
    read = WIRE.read(WIRE.route("POST", STREAM_PATH), json.dumps(endpoint.bodies[1]).encode())  # type: ignore[arg-type]
    assert WIRE.violations(read, IssuedState()) == []


async def test_streamed_arguments_are_one_call_which_goes_back_whole(client: genai.Client, endpoint: Endpoint) -> None:
    begun = {"functionCall": {"name": "f", "id": "x", "willContinue": True}, "thoughtSignature": "c2ln"}
    values = [
        {"jsonPath": "$.to[0].city", "stringValue": "Os", "willContinue": True},
        {"jsonPath": "$.to[0].city", "stringValue": "lo"},
        {"jsonPath": "$.to[0].days", "numberValue": 3},
        {"jsonPath": "$.by_train", "boolValue": False},
        {"jsonPath": "$.hotel", "nullValue": None},
    ]
    pieces = [{"functionCall": {"partialArgs": [value], "willContinue": True}} for value in values]
    whole = {"functionCall": {"name": "g", "args": {"n": 1}}}
    once = {"functionCall": {"name": "h", "partialArgs": [{"jsonPath": "$.n", "nullValue": "NULL_VALUE"}]}}
    orphan = {"functionCall": {}}
    chunks = [orphan, begun, *pieces, {"text": "Hm."}, {"functionCall": {}}, orphan, whole, orphan, once, orphan]
    loop = session(client, endpoint, b"".join(map(event, chunks)) + STOP)
    turn, emitted = await turn_of(loop)
    made = [
        ("f", '{"to":[{"city":"Oslo","days":3}],"by_train":false,"hotel":null}'),
        ("g", '{"n":1}'),
        ("h", '{"n":null}'),
    ]
    assert [(call.name, call.arguments) for call in turn.tool_calls] == made
    assert emitted == [
        AssistantDelta("Hm."),
        *(ToolCallDelta(each.id, each.name, each.arguments) for each in turn.tool_calls),
    ]
    loop.append_tool_results(turn, [CallResult(call, number, ok=True) for number, call in enumerate(turn.tool_calls)])
    await turn_of(loop)
    first, text, *others = endpoint.bodies[1]["contents"][1]["parts"]
    assert first == {**begun, "functionCall": {"name": "f", "id": "x", "args": json.loads(made[0][1])}}
    assert (text, others) == (
        {"text": "Hm."},
        [whole, {"functionCall": {"name": "h", "args": {"n": None}}}],
    )
    answers = endpoint.bodies[1]["contents"][2]["parts"]
    assert [part["functionResponse"]["name"] for part in answers] == ["f", "g", "h"]


@pytest.mark.parametrize("reason", ["STOP", "MAX_TOKENS"])
async def test_streamed_arguments_without_an_end_are_cut_off(
    reason: str, client: genai.Client, endpoint: Endpoint
) -> None:
    pieces = [
        {"functionCall": {"name": "f", "willContinue": True}},
        {"functionCall": {"name": "g", "willContinue": True}},
        {"functionCall": {"partialArgs": [{"jsonPath": "$.a", "stringValue": "Os"}], "willContinue": True}},
    ]
    turn, emitted = await turn_of(session(client, endpoint, event(*pieces, finishReason=reason)))
    assert [(call.name, call.arguments) for call in turn.tool_calls] == [("f", "{"), ("g", '{"a":"Os')]
    assert [delta.arguments for delta in emitted if isinstance(delta, ToolCallDelta)] == ["{", '{"a":"Os']
    assert turn.assistant_turn["parts"] == [
        {"functionCall": {"name": "f", "args": {}}},
        {"functionCall": {"name": "g", "args": {"a": "Os"}}},
    ]
    reply = WIRE.parse("text/event-stream", event(*pieces, finishReason=reason))
    assert [(call.name, call.arguments) for call in turn.tool_calls] == [
        (call.name, call.arguments) for call in reply.turn.calls
    ]
    (entry,) = WIRE.entries(WIRE.returned(reply, ["f", "g"]))
    assert entry == turn.assistant_turn


async def test_parts_that_the_loop_does_not_read_go_back_too(client: genai.Client, endpoint: Endpoint) -> None:
    parts = [
        {"executableCode": {"language": "PYTHON", "code": "1"}, "thoughtSignature": "-_-_"},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
        {"inlineData": {"mimeType": "image/png", "data": "_-8="}},
        {"text": "", "thoughtSignature": "+/+/"},
        {"text": ""},
    ]
    turn, told = await turn_of(session(client, endpoint, event(*parts) + STOP))
    assert told == []
    kept = turn.assistant_turn["parts"]
    assert [next(iter(part.keys() - {"thoughtSignature"})) for part in kept] == [
        "executableCode",
        "codeExecutionResult",
        "inlineData",
        "text",
    ]
    assert [part.get("thoughtSignature", "").replace("-", "+").replace("_", "/") for part in kept] == [
        "+/+/",
        "",
        "",
        "+/+/",
    ]
    assert [(file.media_type, file.data) for file in turn.files] == [("image/png", b"\xff\xef")]


async def test_an_empty_text_does_not_go_back(client: genai.Client, endpoint: Endpoint) -> None:
    """The Gemini API accepts such a part, Vertex AI refuses it ("it has an empty text parameter")."""
    loop = session(client, endpoint, event({"text": "A"}) + event({"text": ""}, {"text": "B"}) + STOP)
    turn, told = await turn_of(loop)
    assert [delta.text for delta in told if isinstance(delta, AssistantDelta)] == ["A", "B"]
    loop.append_tool_results(turn, [])
    loop.append_user("Go on.")
    await turn_of(loop)
    sent = endpoint.bodies[1]["contents"][1]
    assert sent == {"role": "model", "parts": [{"text": "A"}, {"text": "B"}]}


async def test_the_model_that_has_answered_is_named(client: genai.Client, endpoint: Endpoint) -> None:
    turn, _ = await turn_of(session(client, endpoint, rendered(TURNS["text"]).body))
    assert (turn.model, turn.created) == ("gemini-3.6-flash", None)


async def test_of_several_candidates_the_first_is_read(client: genai.Client, endpoint: Endpoint) -> None:
    second = event({"text": "two"}, finishReason="SAFETY", index=1)
    turn, _ = await turn_of(session(client, endpoint, event({"text": "one"}, index=0) + second + STOP))
    assert (turn.assistant_text, turn.stop) == ("one", FinishReason.END)


@pytest.mark.parametrize(
    ("result", "ok", "payload"),
    [
        ({"path": "a"}, True, {"output": {"path": "a"}}),
        ("text", True, {"output": "text"}),
        ({"error": "Unknown tool: f"}, False, {"error": "Unknown tool: f"}),
        ("no", False, {"error": "no"}),
        (None, True, {"output": None}),
    ],
)
async def test_results(result: Any, ok: bool, payload: Any, client: genai.Client, endpoint: Endpoint) -> None:
    loop = session(client, endpoint, rendered(TURNS["call"]).body)
    turn, _ = await turn_of(loop)
    loop.append_tool_results(turn, [CallResult(turn.tool_calls[0], result, ok)])
    await turn_of(loop)
    answer = endpoint.bodies[1]["contents"][2]
    assert answer["role"] == "user"
    assert answer["parts"] == [
        {"functionResponse": {"name": "read_file", "response": payload, "id": turn.tool_calls[0].id}}
    ]


@pytest.mark.parametrize(("role", "sent"), [("user", "user"), ("assistant", "model"), ("system", "system")])
async def test_a_message_is_said_by_nobody_but_who_says_it(role: str, sent: str, client: genai.Client) -> None:
    """A system message has no place in the contents: the API says so, where the model's mouth would hide it."""
    assert sessions.gemini_generate.GeminiGenerateSession(config(), client).message(role, "Go.") == {
        "role": sent,
        "parts": [{"text": "Go."}],
    }


async def test_a_turn_without_parts_is_not_appended(client: genai.Client, endpoint: Endpoint) -> None:
    loop = session(client, endpoint, rendered(TURNS["empty"]).body)
    turn, _ = await turn_of(loop)
    loop.append_tool_results(turn, [])
    await turn_of(loop)
    assert endpoint.bodies[1]["contents"] == endpoint.bodies[0]["contents"]


# --- failures ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "streamed"),
    # A document has no end that could be left out.
    [
        (name, streamed)
        for name in sorted(FAILING)
        for streamed in (True, False)
        if streamed or TURNS[name].ending != "eof"
    ],
)
async def test_a_turn_that_broke(name: str, streamed: bool, client: genai.Client, endpoint: Endpoint) -> None:
    path = STREAM_PATH if streamed else WHOLE_PATH
    with pytest.raises(StreamFailed):
        await turn_of(session(client, endpoint, rendered(TURNS[name], path).body, stream=streamed))


EXAMPLES: dict[str, tuple[str, int, FinishReason]] = {
    "gem-text.sse": ("The capital is Paris.", 0, FinishReason.END),
    "gem-thought-text.sse": ("Paris.", 0, FinishReason.END),
    "gem-tool.sse": ("", 1, FinishReason.TOOL_CALLS),
    "gem-parallel.sse": ("", 2, FinishReason.TOOL_CALLS),
    "gem-parallel-split.sse": ("", 2, FinishReason.TOOL_CALLS),
    "gem-text-tool.sse": ("Let me look.", 1, FinishReason.TOOL_CALLS),
    "gem-max-tokens.sse": ("Once upon a", 0, FinishReason.MAX_TOKENS),
    "gem-max-tokens-empty.sse": ("", 0, FinishReason.MAX_TOKENS),
    "gem-safety.sse": ("", 0, FinishReason.CONTENT_FILTER),
    "gem-prompt-blocked.sse": ("", 0, FinishReason.CONTENT_FILTER),
    "gem-unexpected-tool-call.sse": ("", 1, FinishReason.TOOL_CALLS),
    "gem-vertex-partial-args.sse": ("", 1, FinishReason.TOOL_CALLS),
    "gem-continuation-hop2.sse": ("part two.", 0, FinishReason.END),
}


@pytest.mark.parametrize("name", EXAMPLES)
async def test_examples(name: str, client: genai.Client, endpoint: Endpoint, shared: Path) -> None:
    turn, _ = await turn_of(session(client, endpoint, (shared / "wire/examples" / name).read_bytes()))
    assert (turn.assistant_text, len(turn.tool_calls), turn.stop) == EXAMPLES[name]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gem-error-midstream.sse", "503 UNAVAILABLE: The model is overloaded"),
        ("gem-error-midstream-data.sse", "503 UNAVAILABLE: The model is overloaded"),
        ("gem-truncated.sse", "ended without a finish reason"),
        ("gem-malformed-function-call.sse", "MALFORMED_FUNCTION_CALL"),
        ("gem-continuation-hop1.sse", "ended without a finish reason"),
    ],
)
async def test_examples_that_fail(
    name: str, message: str, client: genai.Client, endpoint: Endpoint, shared: Path
) -> None:
    loop = session(client, endpoint, (shared / "wire/examples" / name).read_bytes())
    with pytest.raises(StreamFailed, match=message):
        await turn_of(loop)
    assert len(endpoint.requests) == 1


STOP_COUNTED = b'data: {"candidates": [{"finishReason": "STOP"}], "usageMetadata": %s}\r\n\r\n'


@pytest.mark.parametrize(
    "body",
    [
        b"data: nonsense\r\n\r\n",
        b"data: 42\r\n\r\n",
        b"data: [1]\r\n\r\n",
        event({"text": "a", "thoughtSignature": "!"}, finishReason="STOP"),
        event({"functionCall": {"name": "f", "args": "x"}}, finishReason="STOP"),
        event({"functionCall": "f"}, finishReason="STOP"),
        event({"text": "a", "functionCall": {"name": "f"}}, finishReason="STOP"),
        event({"text": 1}, finishReason="STOP"),
        event({"text": "a"}, finishReason=["STOP"]),
        event({"text": "a"}, finishReason=1.5),
        event("a", finishReason="STOP"),
        STOP_COUNTED % b'{"promptTokenCount": "many", "toolUsePromptTokenCount": 1}',
        STOP_COUNTED % b'["many"]',
        b'data: {"foo": 1, "error": "of another form"}\r\n\r\n',
        b"data:{}\r\n\r\n",
        b"",
    ],
)
async def test_bodies_that_cannot_be_read(body: bytes, client: genai.Client, endpoint: Endpoint) -> None:
    with pytest.raises(StreamFailed):
        await turn_of(session(client, endpoint, body))


@pytest.mark.parametrize("status", [400, 401, 403, 404, 408, 409, 413, 429, 500, 503, 529])
@pytest.mark.parametrize("streamed", [True, False])
async def test_error_statuses(status: int, streamed: bool, client: genai.Client, endpoint: Endpoint) -> None:
    answer = WIRE.error(status, Identity("case"), retry_after=1.5)
    loop = session(
        client,
        endpoint,
        lambda _: httpx2.Response(status, headers=dict(answer.headers), content=answer.body),
        stream=streamed,
    )
    with pytest.raises(HttpFailed) as raised:
        await turn_of(loop)
    assert raised.value.status == status
    assert raised.value.retry_after == (None if status == 413 else 1.5)
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(
    "body",
    [
        b'{"error": {"details": [{"@type": "google.rpc.RetryInfo", "retryDelay": "soon"}]}}',
        b'{"error": {}}',
        b"[]",
        b"{}",
    ],
)
async def test_error_bodies_without_a_delay(body: bytes, client: genai.Client, endpoint: Endpoint) -> None:
    with pytest.raises((HttpFailed, StreamFailed)) as raised:
        await turn_of(session(client, endpoint, lambda _: httpx2.Response(429, content=body)))
    assert getattr(raised.value, "retry_after", None) is None


def refuse_connection(_: httpx2.Request) -> httpx2.Response:
    raise httpx2.ConnectError("refused")


def disconnect(_: httpx2.Request) -> httpx2.Response:
    raise httpx2.RemoteProtocolError("Server disconnected without sending a response.")


@pytest.mark.parametrize("failure", [refuse_connection, disconnect])
@pytest.mark.parametrize("streamed", [True, False])
async def test_no_response(
    failure: Callable[[httpx2.Request], httpx2.Response], streamed: bool, client: genai.Client, endpoint: Endpoint
) -> None:
    with pytest.raises(HttpFailed) as raised:
        await turn_of(session(client, endpoint, failure, stream=streamed))
    assert raised.value.status is None
    assert raised.value.retry_after is None


@pytest.mark.parametrize("arrived", [0, 20, 2000])
@pytest.mark.parametrize("streamed", [True, False])
async def test_a_cut_connection(arrived: int, streamed: bool, client: genai.Client, endpoint: Endpoint) -> None:
    body = rendered(TURNS["mixed"]).body[:arrived]
    failure = httpx2.RemoteProtocolError("peer closed connection")
    loop = session(client, endpoint, lambda _: stream([body] if body else [], failure), stream=streamed)
    with pytest.raises(StreamFailed, match="peer closed connection"):
        await turn_of(loop)


async def test_an_answer_that_cannot_be_unpacked_to_its_end(client: genai.Client, endpoint: Endpoint) -> None:
    """What came before has been shown, so the same request must not be sent again."""
    packer = zlib.compressobj(wbits=31)
    begun = packer.compress(event({"text": "Once"})) + packer.flush(zlib.Z_SYNC_FLUSH)

    def answer(_: httpx2.Request) -> httpx2.Response:
        broken = stream([begun, b"no gzip at all"])
        broken.headers["content-encoding"] = "gzip"
        return broken

    loop, heard = session(client, endpoint, answer), list[Delta]()

    async def on_event(delta: Delta) -> None:
        heard.append(delta)

    with pytest.raises(StreamFailed):
        await loop.stream_turn(on_event)
    assert heard == [AssistantDelta("Once")]


async def test_what_the_listener_raises_is_not_the_providers_fault(client: genai.Client, endpoint: Endpoint) -> None:
    async def on_event(delta: Delta) -> None:
        raise ValueError("my own")

    with pytest.raises(ValueError, match="my own"):
        await session(client, endpoint, rendered(TURNS["text"]).body).stream_turn(on_event)


async def test_the_id_of_a_call_in_a_failed_turn_is_no_other_calls_and_goes_back_as_it_came(
    client: genai.Client, endpoint: Endpoint
) -> None:
    call = event({"functionCall": {"name": "f", "id": "x"}})
    loop = session(client, endpoint, call)
    with pytest.raises(StreamFailed):
        await turn_of(loop)
    endpoint.answer = lambda _: stream([call + STOP])
    turn, _ = await turn_of(loop)
    assert turn.tool_calls[0].id != "x"
    assert turn.assistant_turn["parts"][0]["functionCall"]["id"] == "x"


def test_the_reader_needs_no_network() -> None:
    chunk = {"candidates": [{"content": {"parts": [{"text": "a"}]}, "finishReason": "STOP"}]}
    reader = sessions.gemini_generate.GenerateReader(set())
    assert reader.feed(chunk) == [AssistantDelta("a")]
    assert reader.finish().assistant_text == "a"
    with pytest.raises(StreamFailed):
        sessions.gemini_generate.GenerateReader(set()).finish()


def test_a_streamed_call_in_an_answer_that_is_blocked_is_cut_off() -> None:
    part = {"functionCall": {"name": "f", "willContinue": True}}
    chunk = {"promptFeedback": {"blockReason": "SAFETY"}, "candidates": [{"content": {"parts": [part]}}]}
    reader = sessions.gemini_generate.GenerateReader(set())
    assert reader.feed(chunk) == []
    assert [delta.arguments for delta in reader.end() if isinstance(delta, ToolCallDelta)] == ["{"]
    assert reader.finish().assistant_turn["parts"] == [{"functionCall": {"name": "f", "args": {}}}]


# --- a loop, with our own wire as the endpoint -------------------------------------------------------------

SCRIPT = [
    Turn((ThinkingPart("Two."), Text("Reading 😀."), CALL, PAGE), stop=FinishReason.TOOL_CALLS, deltas="utf16"),
    Turn(
        (Call("f", "{}", id=""), Text("and"), Call("g", "{}", id="")),
        stop=FinishReason.TOOL_CALLS,
        usage=Usage(9, 9, 4),
    ),
    Turn((Call("h", '{"a": "\\ud83d"}'),), stop=FinishReason.TOOL_CALLS, deltas="whole"),
    Turn((Text("Done."),)),
]


@pytest.mark.parametrize("streamed", [True, False])
async def test_a_loop_breaks_no_rule(streamed: bool, client: genai.Client, endpoint: Endpoint) -> None:
    sent, identity, script = IssuedState(), Identity("loop"), iter(SCRIPT)

    def answer(request: httpx2.Request) -> httpx2.Response:
        route = WIRE.route("POST", request.url.raw_path.decode().removeprefix("/case/7"))
        assert route is not None
        asked = WIRE.read(route, request.content)
        assert WIRE.violations(asked, sent) == []
        made = WIRE.render(next(script), identity, asked)
        sent.add(asked, made.reply)
        return stream(made.frames, content_type=made.content_type)

    loop = session(client, endpoint, answer, stream=streamed)
    turn, _ = await turn_of(loop)
    while turn.tool_calls:
        done = [CallResult(call, {"n": at}, ok=at == 0) for at, call in enumerate(turn.tool_calls)]
        loop.append_tool_results(turn, done)
        turn, _ = await turn_of(loop)
    loop.append_tool_results(turn, [])
    assert turn.assistant_text == "Done."
    assert len(sent.turns) == len(SCRIPT)
    assert [len(asked.messages) for asked, _ in sent.turns] == [2, 4, 6, 8]
