"""Requests in all their legal shapes, and those that are none. (``test_routes.py`` has their paths.)"""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.wire import (
    Call,
    IssuedState,
    Message,
    Opaque,
    Result,
    Text,
    ThinkingPart,
    ToolDeclaration,
    UnreadableRequest,
)
from harness.wire.anthropic_messages import WIRE
from tests.wire.anthropic_messages.histories import ROUTE

VERTEX = "/v1/projects/p/locations/us-east5/publishers/anthropic/models"
PLATFORMS = {
    f"{VERTEX}/claude-opus-4-5@20251101:rawPredict": ("claude-opus-4-5@20251101", False),
    f"{VERTEX}/claude-sonnet-4-6:streamRawPredict": ("claude-sonnet-4-6", True),
    "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke": (
        "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        False,
    ),
}


@pytest.mark.parametrize(("path", "asked"), PLATFORMS.items(), ids=range(len(PLATFORMS)))
def test_platforms_that_name_the_model_in_the_path(path: str, asked: tuple[str, bool]) -> None:
    route = WIRE.route("POST", path)
    assert route is not None
    assert (route.model, route.stream) == asked
    assert WIRE.path(route) == path
    body = {"anthropic_version": "bedrock-2023-05-31", "anthropic_beta": ["mcp-client-2025-11-20"], "max_tokens": 50}
    body["messages"] = [{"role": "user", "content": "a"}]
    conversation = WIRE.read(route, json.dumps(body).encode(), {"authorization": "Bearer key"})
    assert (conversation.model, conversation.stream) == asked
    assert conversation.headers == {"anthropic-beta": "mcp-client-2025-11-20"}
    assert WIRE.violations(conversation, IssuedState()) == []


def test_text_completions_of_old_models_are_no_messages() -> None:
    """They have the same path on Bedrock. A body without either is a request of this wire that lacks its messages."""
    route = WIRE.route("POST", "/model/anthropic.claude-v2%3A1/invoke")
    assert route is not None

    def found(**body: Any) -> list[str]:
        return [each.id for each in WIRE.violations(WIRE.read(route, json.dumps(body).encode()), IssuedState())]

    asked = {"prompt": "\n\nHuman: a\n\nAssistant:", "max_tokens_to_sample": 50, "temperature": 0.5, "top_k": 250}
    assert found(**asked) == []
    assert "ANT-09" in found(max_tokens=50)
    assert "ANT-10" in found(max_tokens=50, prompt="a", messages=[{"role": "user", "content": "a"}])


def _read(body: Any) -> Any:
    return WIRE.read(ROUTE, json.dumps(body).encode())


def test_every_kind_of_content() -> None:
    image = {"type": "image", "source": {"type": "url", "url": "https://a.test/a.png"}}
    search = {"type": "server_tool_use", "id": "srv", "name": "web_search", "input": {}}
    conversation = _read(
        {
            "model": "claude-sonnet-4-6",
            "max_tokens": 10,
            "stream": True,
            "system": [{"type": "text", "text": "Be"}, {"type": "text", "text": " brief."}],
            "tools": [
                {"name": "f", "input_schema": {"type": "object"}},
                {"type": "custom", "name": "g", "description": "G", "input_schema": {"type": "object"}},
                {"type": "web_search_20260318", "name": "web_search"},
            ],
            "messages": [
                {"role": "user", "content": "Hi"},
                {
                    "role": "assistant",
                    "content": [
                        {"type": "thinking", "thinking": "", "signature": "s"},
                        {"type": "redacted_thinking", "data": "d"},
                        {"type": "text", "text": "A"},
                        search,
                        {"type": "tool_use", "id": "x", "name": "f", "input": {"a": "é"}},
                    ],
                },
                {
                    "role": "user",
                    "content": [
                        {
                            "type": "tool_result",
                            "tool_use_id": "x",
                            "content": [{"type": "text", "text": "ok"}, image],
                            "is_error": True,
                        },
                        image,
                    ],
                },
                {"role": "system", "content": "Now."},
            ],
        }
    )
    assert (conversation.model, conversation.stream, conversation.continues) == ("claude-sonnet-4-6", True, None)
    assert conversation.messages == (
        Message("system", (Text("Be"), Text(" brief.")), "system"),
        Message("user", (Text("Hi"),), "messages.0"),
        Message(
            "assistant",
            (
                ThinkingPart("", "omitted", "s"),
                ThinkingPart("", "redacted", "d"),
                Text("A"),
                Opaque("server_tool_use", search),
                Call("f", '{"a":"é"}', "x"),
            ),
            "messages.1",
        ),
        Message(
            "user", (Result("x", "ok", is_error=True), Opaque("image", image), Opaque("image", image)), "messages.2"
        ),
        Message("system", (Text("Now."),), "messages.3"),
    )
    assert conversation.tools == (
        ToolDeclaration("f", "", {"type": "object"}),
        ToolDeclaration("g", "G", {"type": "object"}),
    )


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"messages": "a", "system": 1, "tools": {}, "thread": "t", "model": 3},
        {
            "messages": [None, {"role": ["a"], "content": 3}, {"content": [None, {"type": "text", "text": 5}]}],
            "tools": [1],
        },
        {
            "messages": [
                {"role": "assistant", "content": [{"type": "tool_use", "id": 1, "input": []}, {"type": "tool_result"}]}
            ]
        },
        {"messages": [], "thread": {"type": "continue", "previous_message_id": 5}},
    ],
)
def test_wrong_shapes_are_read_as_far_as_they_go(body: Any) -> None:
    conversation = _read(body)
    assert conversation.body == body
    assert conversation.continues is None


NOT_JSON = "The request body is not valid JSON: "


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"{", NOT_JSON + "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        (b'{"a": "\xff"}', NOT_JSON + "'utf-8' codec can't decode byte 0xff in position 7: invalid start byte"),
        (b'{"a": "\\ud83d"}', NOT_JSON + "no low surrogate in string: line 1 column 8 (char 7)"),
        (b"[1]", "Input should be a valid dictionary or object to extract fields from"),
    ],
)
def test_unreadable(body: bytes, message: str) -> None:
    with pytest.raises(UnreadableRequest) as caught:
        WIRE.read(ROUTE, body)
    assert caught.value.finding.answered.message == message
    assert caught.value.finding.answered.status == 400


def test_escaped_pairs_are_readable() -> None:
    assert WIRE.read(ROUTE, b'{"messages": [{"role": "user", "content": "\\ud83d\\ude00"}]}').messages[0].text == "😀"
