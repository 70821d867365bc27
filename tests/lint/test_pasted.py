"""Whatever people paste: which wire it is, where things stand in it, and why it is none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.errors import BadInput
from harness.lint import read_pasted
from harness.wire import WireName

USER: dict[str, Any] = {"role": "user", "content": "a"}


def bytes_of(value: Any) -> bytes:
    return value if isinstance(value, bytes) else json.dumps(value).encode()


CLEAR: list[tuple[dict[str, Any], WireName]] = [
    ({"model": "gpt-5", "input": "a"}, "openai-responses"),
    ({"input": [], "previous_response_id": "resp_1"}, "openai-responses"),
    ({"model": "m", "contents": []}, "gemini-generate"),
    ({"messages": [USER], "system": "s"}, "anthropic-messages"),
    ({"messages": [USER], "model": "claude-sonnet-4-6"}, "anthropic-messages"),
    ({"messages": [USER], "tools": [{"name": "f", "input_schema": {}}]}, "anthropic-messages"),
    ({"messages": [{"role": "user", "content": [{"type": "tool_result"}]}]}, "anthropic-messages"),
    ({"messages": [USER], "model": "gpt-4o"}, "openai-chat"),
    ({"messages": [USER], "model": "o3-mini"}, "openai-chat"),
    ({"messages": [USER], "stream_options": {}}, "openai-chat"),
    ({"messages": [USER], "tools": [{"type": "function", "function": {}}]}, "openai-chat"),
    ({"messages": [USER, {"role": "tool", "content": "r"}]}, "openai-chat"),
    ({"messages": [USER, {"role": "assistant", "tool_calls": []}]}, "openai-chat"),
    ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "openai-chat"),
]


@pytest.mark.parametrize(("body", "wire"), CLEAR)
def test_a_body_that_says_which_wire_it_is(body: dict[str, Any], wire: WireName) -> None:
    assert read_pasted("f", bytes_of(body)).asked.route.wire == wire


def test_headers_tell_the_wire_too() -> None:
    asked = read_pasted("f", bytes_of({"messages": [USER]}), headers={"anthropic-version": "2023-06-01"}).asked
    assert (asked.route.wire, asked.headers) == ("anthropic-messages", {"anthropic-version": "2023-06-01"})


def test_the_model_of_gemini() -> None:
    body = {"contents": []}
    assert read_pasted("f", bytes_of(body), model="gemini-3-pro").asked.route.model == "gemini-3-pro"
    assert read_pasted("f", bytes_of({**body, "model": "models/g"})).asked.route.model == "g"
    wrapped = {"url": "https://g/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse", "body": body}
    route = read_pasted("f", bytes_of(wrapped)).asked.route
    assert (route.model, route.stream) == ("gemini-2.5-pro", True)


def test_the_model_of_a_body_that_does_not_say_one() -> None:
    asked = read_pasted("f", bytes_of({"messages": [USER]}), "openai-chat", "gpt-5").asked
    assert json.loads(asked.body)["model"] == "gpt-5"


PRETTY = """\
{"request": {
  "method": "POST",
  "body": {
    "model": "gpt-5",
    "input": [
      {"role": "user", "content": "a ] } \\" input"},
      {
        "type": "function_call",
        "call_id": "c"
      }
    ]
  }
}}"""


@pytest.mark.parametrize(
    ("at", "line"),
    [("input[0]", 6), ("input[1]", 7), ("input[1].call_id", 9), ("model", 4), ("input[2]", None), ("tools.0", None)],
)
def test_the_line_of_a_place(at: str, line: int | None) -> None:
    assert read_pasted("f", PRETTY.encode()).line(at) == line


def test_a_file_of_one_line_has_no_lines_to_tell() -> None:
    assert read_pasted("f", bytes_of({"input": "a"}) + b"\n").line("input") is None


def test_members_that_stand_twice() -> None:
    text = b'{"input": [\n {"a": 1,\n "a": 2}],\n "input": "x"}'
    assert read_pasted("f", text).warnings == (
        "f:3: the member 'a' is twice in its object; the last one is judged",
        "f:4: the member 'input' is twice in its object; the last one is judged",
    )


def test_a_byte_order_mark_means_nothing() -> None:
    assert read_pasted("f", b'\xef\xbb\xbf{"input": "a"}').asked.route.wire == "openai-responses"


EXPECTED = "expected the JSON body of a request"
RESPONSE = f"f: {EXPECTED}, got a response, not a request"
CASSETTE = f"f: {EXPECTED}, got a cassette; 'harness lint-cassette' judges the requests in it"

REFUSED: list[tuple[Any, str]] = [
    (b"", "f: is empty; expected the JSON body of a request"),
    (b" \n ", "f: is empty; expected the JSON body of a request"),
    (b'{"input": \n  oops}', f"f:2:3: {EXPECTED}: Expecting value, at 'oops}}'"),
    (b'{"input": "a"', f"f:1:14: {EXPECTED}: Expecting ',' delimiter, at the end"),
    (b'{"input": "a"}\n{"input": "b"}', f'f:2:1: {EXPECTED}: Extra data, at \'{{"input": "b"}}\''),
    (
        b"POST /v1/messages HTTP/1.1\r\n\r\n{}",
        f"f:1:1: {EXPECTED}: Expecting value, at 'POST /v1/messages HTTP/1.1\\r\\n\\r\\n'",
    ),
    (b'{"a": "NaN",\n "b": NaN}', "f:2:7: expected a number that JSON can say, got NaN"),
    (b'{"a": [-Infinity]}', "f:1:8: expected a number that JSON can say, got -Infinity"),
    (b'{"a": 1e999}', "f:1:7: expected a number that JSON can say, got 1e999"),
    (b'{"a": ' + b"9" * 5000 + b"}", "f:1:7: expected a number that JSON can say, got " + "9" * 30),
    (b"[" * 100_000, "f: is nested too deeply for a request"),
    (b"\x89PNG\r\n", "f:1: expected JSON in UTF-8, got the byte 0x89"),
    ('{"input": "a"}'.encode("utf-16"), "f:1: expected JSON in UTF-8, got the byte 0xff; it seems to be UTF-16"),
    ([1], "f: expected the body of a request, which is an object, got a list: [1]"),
    ("a", 'f: expected the body of a request, which is an object, got text: "a"'),
    (1.5, "f: expected the body of a request, which is an object, got a number: 1.5"),
    (None, "f: expected the body of a request, which is an object, got null: null"),
    ({"body": "x"}, 'f: body: expected the body of a request, which is an object, got text: "x"'),
    ({"interactions": []}, CASSETTE),
    (b"version: 1\ninteractions: []\n", CASSETTE),
    (b"---\nhttp_interactions:\n- request:\n", CASSETTE),
    (b"event: message_start\ndata: {}\n\n", f"f: {EXPECTED}, got the events of a streamed response"),
    ({"object": "response", "id": "resp_1", "output": []}, RESPONSE),
    ({"object": "chat.completion.chunk", "choices": []}, RESPONSE),
    ({"type": "message", "role": "assistant", "content": [], "stop_reason": "end_turn"}, RESPONSE),
    ({"candidates": []}, RESPONSE),
    ({"error": {"message": "m"}}, f"f: {EXPECTED}, got an error answer of a provider, not a request"),
    ({"log": {"entries": []}}, f"f: {EXPECTED}, got an HTTP archive (HAR)"),
    ({"messages": [USER]}, "f: may be a request of openai-chat or anthropic-messages; say which with --wire"),
    (
        {"messages": [USER], "system": "s", "n": 1},
        "f: may be a request of openai-chat or anthropic-messages; say which with --wire",
    ),
    (
        {"name": "x", "version": 2},
        "f: expected a request, which has 'messages', 'input' or 'contents'; got 'name', 'version'. If it is one all "
        "the same, name its wire with --wire",
    ),
    ({"contents": []}, "f: a gemini-generate request has its model in the path, not in the body; name it with --model"),
]


def test_the_arguments_of_a_client_name_the_model() -> None:
    """As somebody pastes them who calls ``client.converse(**arguments)``."""
    asked = {"modelId": "us.amazon.nova-pro-v1:0", "messages": [{"role": "user", "content": [{"text": "Hi."}]}]}
    route = read_pasted("f", json.dumps(asked).encode()).asked.route
    assert (route.wire, route.model) == ("bedrock-converse", "us.amazon.nova-pro-v1:0")
    del asked["modelId"]
    with pytest.raises(BadInput, match="a bedrock-converse request has its model in the path"):
        read_pasted("f", json.dumps(asked).encode())


@pytest.mark.parametrize(("content", "message"), REFUSED)
def test_what_is_no_request(content: Any, message: str) -> None:
    with pytest.raises(BadInput) as refusal:
        read_pasted("f", bytes_of(content))
    assert str(refusal.value) == message


def test_a_body_of_another_wire() -> None:
    with pytest.raises(BadInput) as refusal:
        read_pasted("f", bytes_of({"messages": [USER], "model": "gpt-5"}), "openai-responses")
    assert str(refusal.value) == "f: expected a request of openai-responses, got what looks like one of openai-chat"


def test_a_body_without_a_history_is_judged_where_the_wire_is_named() -> None:
    assert read_pasted("f", b'{"model": "m"}', "openai-chat").asked.route.wire == "openai-chat"


def test_another_model_than_the_body_says() -> None:
    with pytest.raises(BadInput) as refusal:
        read_pasted("f", bytes_of({"input": "a", "model": "gpt-5"}), model="gpt-4")
    assert str(refusal.value) == "f: is a request to the model gpt-5, not to gpt-4; leave --model out"


def test_a_file_that_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.lint.json_file.MOST_BYTES", 1 << 20)
    with pytest.raises(BadInput) as refusal:
        read_pasted("f", b" " * (2 << 20))
    assert str(refusal.value) == "f: is too long; requests of up to 1 MB are read"
