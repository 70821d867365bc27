"""The session on botocore, over bytes of our own wire: each request is judged by it."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from harness.loop.session import (
    HttpFailed,
    StreamFailed,
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
from harness.wire.aws_events import in_frame
from harness.wire.bedrock_converse.stream import event
from tests.loop.sessions.sdk_endpoint import DONE, Answer, SdkEndpoint, heard, opened, results
from tests.sdks import needs
from tests.wire.bedrock_converse.requests import LLAMA

pytestmark = [pytest.mark.anyio, needs("botocore", "botocore is not installed")]

WIRE = wire("bedrock-converse")
TWO = Turn(
    (
        ThinkingPart("A folder."),
        ThinkingPart(form="redacted", signature=base64.b64encode(b"\x00\xffsecret").decode()),
        Text("I look."),
        Call("list_files", '{"path": "src"}'),
        Call("read_file", '{"path": "ä \U0001f600"}'),
    ),
    FinishReason.TOOL_CALLS,
    deltas="utf16",
)


class Endpoint(SdkEndpoint):
    """The endpoint of Converse."""

    def __init__(self, *answers: Answer) -> None:
        super().__init__("bedrock-converse", *answers)


class Unjudged(Endpoint):
    """An endpoint that only answers."""

    def judge(self, conversation: Conversation) -> None:
        pass


@pytest.mark.parametrize("stream", [True, False])
async def test_a_turn_is_emitted_and_goes_back_as_it_came(stream: bool) -> None:
    endpoint = Endpoint(TWO, DONE)
    session = opened(endpoint, stream=stream)
    turn, _ = await heard(session)
    assert [call.arguments for call in turn.tool_calls] == (
        ['{"path": "src"}', '{"path": "ä \U0001f600"}'] if stream else ['{"path":"src"}', '{"path":"ä \U0001f600"}']
    )
    session.append_tool_results(turn, results(turn, 1))
    await heard(session)
    first, second = endpoint.bodies
    (_, answered, result) = second["messages"]
    issued = json.loads(json.dumps(endpoint.issued.replies[0].items))
    for block in issued:
        block.get("toolUse", {}).pop("type", None)
    assert answered == {"role": "assistant", "content": issued}
    assert [block["toolResult"]["status"] for block in result["content"]] == ["success", "error"]
    assert (second["system"], second["toolConfig"]) == (first["system"], first["toolConfig"])
    assert first["additionalModelRequestFields"] == WIRE.settings["additionalModelRequestFields"]


async def test_what_the_service_would_refuse_stays_behind() -> None:
    blank = Turn((Text("  \n"),))
    session = opened(Endpoint(blank))
    turn, _ = await heard(session)
    assert session.turn_messages(turn) == []
    beside = Turn((Text(""), Call("read_file", "{}")), FinishReason.TOOL_CALLS)
    session = opened(Endpoint(beside))
    turn, _ = await heard(session)
    (message,) = session.turn_messages(turn)
    assert [next(iter(block)) for block in message["content"]] == ["toolUse"]


@pytest.mark.parametrize(
    ("model", "roles"),
    [(WIRE.default_model, ["user", "assistant", "user"]), (LLAMA, ["user", "assistant", "user", "user"])],
)
async def test_what_the_user_says_more_is_in_one_message(model: str, roles: list[str]) -> None:
    """The roles alternate (BED-11), but where the model takes nothing beside results (BED-30)."""
    session = opened(endpoint := Unjudged(Turn((Call("read_file", "{}"),), FinishReason.TOOL_CALLS), DONE), model=model)
    turn, _ = await heard(session)
    session.append_tool_results(turn, results(turn))
    session.append_user("And the other file?")
    await heard(session)
    messages = endpoint.bodies[1]["messages"]
    assert [each["role"] for each in messages] == roles
    assert [next(iter(block)) for each in messages[2:] for block in each["content"]] == ["toolResult", "text"]
    assert [each["role"] for each in session.history] == ["user", "assistant", "user", "user"]


UNREADABLE = b'{"contentBlockIndex":0,"delta":{"text":"a'


def frames(*wrong: int) -> bytes:
    """A whole answer, of which the bytes at some places are wrong."""
    body = bytearray(WIRE.render(DONE, Identity("a"), Conversation(WIRE.name, WIRE.default_model, True, ())).body)
    for place in wrong:
        body[place] ^= 1
    return bytes(body)


def no_json() -> bytes:
    headers = {":event-type": "contentBlockDelta", ":content-type": "application/json", ":message-type": "event"}
    return event("messageStart", {"role": "assistant"}) + in_frame(headers, UNREADABLE) + frames()


def streamed(body: bytes) -> httpx2.Response:
    return httpx2.Response(200, headers={"content-type": WIRE.transport.content_type}, content=body)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda: Turn((Text("It"),), error=StreamError("rate_limit", "Wait.")), "throttlingException: Wait."),
        (lambda: Turn((Text("It"),), ending="eof"), "without messageStop"),
        (lambda: streamed(b""), "without messageStop"),
        (lambda: streamed(frames()[:-400]), "without messageStop"),
        (lambda: streamed(frames(140)), "cannot be read: ChecksumMismatch"),
        (lambda: streamed(no_json()), "the contentBlockDelta event cannot be read"),
        (lambda: streamed(event("contentBlockStart", {"contentBlockIndex": 0, "start": {}})), "ResponseParserError"),
        (lambda: streamed(event("messageStop", {"stopReason": "malformed_tool_use"})), "stopped with malformed_tool"),
    ],
)
async def test_a_stream_that_is_no_turn_is_a_failure(answer: Callable[[], Any], words: str) -> None:
    with pytest.raises(StreamFailed, match=words):
        await heard(opened(Endpoint(answer())))


async def test_a_mistake_of_whoever_sends_is_not_taken_for_an_answer_that_cannot_be_read() -> None:
    with pytest.raises(KeyError, match="tools"):
        await heard(opened(Endpoint(KeyError("tools"))))


async def test_what_botocore_does_not_send_is_a_refusal() -> None:
    endpoint = Endpoint()
    session = opened(endpoint)
    session.set_params(inferenceConfig={"maxTokens": "many"})
    with pytest.raises(HttpFailed, match="Parameter validation failed") as failed:
        await heard(session)
    assert failed.value.status == 400
    assert endpoint.asked == []


async def test_nothing_of_the_users_own_setting_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A profile that is not there, a file that cannot be read, a token, and settings that lead elsewhere."""
    broken = tmp_path / "config"
    broken.write_text("[default\nregion =", encoding="utf-8")
    theirs = {
        "AWS_PROFILE": "nobody",
        "AWS_CONFIG_FILE": str(broken),
        "AWS_SHARED_CREDENTIALS_FILE": str(broken),
        "AWS_BEARER_TOKEN_BEDROCK": "theirs",
        "AWS_ACCESS_KEY_ID": "AKIATHEIRS",
        "AWS_SECRET_ACCESS_KEY": "theirs",
        "AWS_SESSION_TOKEN": "theirs",
        "AWS_ENDPOINT_URL": "http://theirs",
        "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": "http://theirs",
        "AWS_REGION": "eu-theirs-1",
        "AWS_USE_FIPS_ENDPOINT": "true",
        "AWS_MAX_ATTEMPTS": "9",
        "AWS_CA_BUNDLE": str(broken),
    }
    for name, value in theirs.items():
        monkeypatch.setitem(os.environ, name, value)
    endpoint = Endpoint(DONE)
    await heard(opened(endpoint, api_key="ours"))
    (headers,) = endpoint.headers
    assert "theirs" not in json.dumps(headers).lower().replace("akiatheirs", "theirs")
    assert headers["authorization"].startswith("AWS4-HMAC-SHA256 Credential=ours/")
    assert "/us-east-1/bedrock/" in headers["authorization"]
    assert headers["host"] == "int"


async def test_the_reader_keeps_what_is_not_the_clients() -> None:
    """A server's call and its result, cited text, and a block that botocore does not know."""
    called = {"toolUse": {"toolUseId": "s1", "name": "search", "type": "server_tool_use"}}
    cited = {"title": "A", "location": {"web": {"url": "https://a"}}}
    body = b"".join(
        event(kind, payload)
        for kind, payload in [
            ("messageStart", {"role": "assistant"}),
            ("contentBlockStart", {"contentBlockIndex": 0, "start": called}),
            ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"toolUse": {"input": '{"q": 1}'}}}),
            ("contentBlockStop", {"contentBlockIndex": 0}),
            ("contentBlockStart", {"contentBlockIndex": 1, "start": {"toolResult": {"toolUseId": "s1"}}}),
            ("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"toolResult": [{"text": "found"}]}}),
            ("contentBlockStop", {"contentBlockIndex": 1}),
            ("contentBlockDelta", {"contentBlockIndex": 2, "delta": {"text": "As A says."}}),
            ("contentBlockDelta", {"contentBlockIndex": 2, "delta": {"citation": cited}}),
            ("contentBlockStop", {"contentBlockIndex": 2}),
            ("contentBlockStart", {"contentBlockIndex": 3, "start": {"hologram": {"of": "a cat"}}}),
            ("contentBlockStop", {"contentBlockIndex": 3}),
            ("later", {"of": "a newer service"}),
            ("messageStop", {"stopReason": "end_turn"}),
        ]
    )
    session = opened(Endpoint(streamed(body)))
    turn, _ = await heard(session)
    assert (turn.assistant_text, turn.tool_calls) == ("As A says.", ())
    (message,) = session.turn_messages(turn)
    assert message["content"] == [
        {"toolUse": {**called["toolUse"], "input": {"q": 1}}},
        {"toolResult": {"toolUseId": "s1", "content": [{"text": "found"}]}},
        {"citationsContent": {"content": [{"text": "As A says."}], "citations": [cited]}},
    ]


@pytest.mark.parametrize("document", [{}, [], {"message": "Busy."}, {"output": {"message": {"content": 3}}}])
async def test_a_document_that_is_no_turn_is_called_so(document: Any) -> None:
    answer = httpx2.Response(200, json=document)
    with pytest.raises(StreamFailed, match=r"no answer of Converse|cannot be read"):
        await heard(opened(Endpoint(answer), stream=False))
