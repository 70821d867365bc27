"""The Gemini session on the real SDK, over bytes of our own wire, of the examples, and of a scripted endpoint."""

from __future__ import annotations

import json
import zlib
from collections.abc import AsyncIterator
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
    ToolCallDelta,
)
from harness.wire import Identity, ToolDeclaration, Turn
from harness.wire.gemini_generate import WIRE
from tests.loop.sessions.sdk_endpoint import is_read_and_goes_back
from tests.sdks import genai, sessions
from tests.wire.gemini_generate.samples import STREAM_PATH, TURNS, WHOLE_PATH, conversation
from tests.wire.gemini_generate.sdk import Endpoint, stream

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


async def test_the_client_stays_on_httpx2_where_aiohttp_can_be_imported(
    client: genai.Client, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("google.genai._api_client.has_aiohttp", True)
    turn, _ = await turn_of(session(client, endpoint, rendered(TURNS["call"]).body))
    assert len(turn.tool_calls) == len(endpoint.requests) == 1


# --- turns -------------------------------------------------------------------------------------------------


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


def test_a_streamed_call_in_an_answer_that_is_blocked_is_cut_off() -> None:
    part = {"functionCall": {"name": "f", "willContinue": True}}
    chunk = {"promptFeedback": {"blockReason": "SAFETY"}, "candidates": [{"content": {"parts": [part]}}]}
    reader = sessions.gemini_generate.GenerateReader(set())
    assert reader.feed(chunk) == []
    assert [delta.arguments for delta in reader.end() if isinstance(delta, ToolCallDelta)] == ["{"]
    assert reader.finish().assistant_turn["parts"] == [{"functionCall": {"name": "f", "args": {}}}]


async def test_a_turn_in_small_chunks() -> None:
    await is_read_and_goes_back("gemini-generate", TURNS["mixed"], size=2)


async def test_the_turn_goes_back_as_it_came() -> None:
    await is_read_and_goes_back("gemini-generate", TURNS["signed-by-script"])
