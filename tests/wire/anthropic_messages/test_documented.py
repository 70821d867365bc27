"""Requests that people were refused, and requests that the documentation shows: none of them was written here first."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.wire.anthropic_messages.histories import Body, assistant, body_of, call, judge, result, text, user

JPEG = "/9j/4AAQSkZJRgABAQ=="
PNG = "iVBORw0KGgoAAAANSUhEUg=="
GIF = base64.b64encode(b"GIF89a\x01\x00\x01\x00\x80\x00").decode()
WEBP = base64.b64encode(b"RIFF\x24\x00\x00\x00WEBPVP8 ").decode()


def found(body: Body) -> list[tuple[str, str, str]]:
    return [(each.id, each.level, each.answered.message) for each in judge(body) if each.level != "INFO"]


def image(media_type: str, data: str) -> Body:
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}}


def returning(*content: Any, **members: Any) -> Body:
    """A loop whose tool returned ``content``."""
    answer = {**result("toolu_1"), "content": [*content]}
    return body_of(user("How is it?"), assistant(call("toolu_1")), user(answer), **members)


# --- refused ------------------------------------------------------------------------------------------------


def test_an_image_of_another_type_than_it_says() -> None:
    ((_, _, message),) = found(body_of(user(image("image/png", WEBP))))
    assert message.startswith("messages.0.content.0.image.source.base64: The image was specified using the image/png")


@pytest.mark.parametrize(
    ("media_type", "data"),
    [
        ("image/jpeg", JPEG),
        ("image/png", PNG),
        ("image/gif", GIF),
        ("image/webp", WEBP),
        ("image/png", "AAAA"),
        ("image/png", "é"),
        ("image/png", "iVBO"),
    ],
)
def test_an_image_that_is_what_it_says_or_nobody_knows(media_type: str, data: str) -> None:
    assert found(body_of(user(image(media_type, data)))) == []


def test_an_image_that_is_too_large() -> None:
    prefix = "messages.0.content.0.image.source.base64: image exceeds 5 MB maximum: "
    most = 5 * 1024 * 1024
    assert found(body_of(user(image("image/png", "A" * most)))) == []
    told = found(body_of(user(image("image/png", "A" * (most + 4)))))
    assert told == [("ANT-IMAGE", "SHOULD", f"{prefix}{most + 4} bytes > {most} bytes")]
    assert found(body_of(user(image("image/png", "A" * 8_259_148)))) == [
        ("ANT-IMAGE", "MUST", f"{prefix}8259148 bytes > {most} bytes")
    ]


# --- documented, or tried on the API ------------------------------------------------------------------------

TOOL = {"name": "get_weather", "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}}}
SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}}
PAGES = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
LOOKUP = {"type": "server_tool_use", "id": "srvtoolu_2", "name": "tool_search_tool_regex", "input": {"pattern": "w"}}
REFERENCES = {
    "type": "tool_search_tool_search_result",
    "tool_references": [{"type": "tool_reference", "tool_name": "get_weather"}],
}
FOUND = {"type": "tool_search_tool_result", "tool_use_id": "srvtoolu_2", "content": REFERENCES}
CODE = {"type": "server_tool_use", "id": "srvtoolu_3", "name": "code_execution", "input": {"code": "1"}}
FROM_CODE = {**call("toolu_1"), "caller": {"type": "code_execution_20250825", "tool_id": "srvtoolu_3"}}
REMOTE = {"type": "mcp_tool_use", "id": "mcptoolu_1", "name": "echo", "server_name": "e", "input": {}}
ECHO = {"type": "mcp_tool_result", "tool_use_id": "mcptoolu_1", "is_error": False, "content": [text("a")]}
EDIT = {"type": "clear_tool_uses_20250919", "trigger": {"type": "input_tokens", "value": 30_000}}
CLOSED = {"type": "object", "properties": {}, "additionalProperties": False}
CITABLE = {"type": "search_result", "source": "s", "title": "t", "content": [text("a")], "citations": {"enabled": True}}

DOCUMENTED: dict[str, Body] = {
    "text behind a call": body_of(user("a"), assistant(call("x"), text("b")), user(result("x"))),
    "text between calls": body_of(
        user("a"), assistant(text("b"), call("x"), text("c"), call("y")), user(result("x"), result("y"))
    ),
    "an image as a result": returning(text("a"), image("image/png", PNG)),
    "a file as a result": returning({"type": "document", "source": {"type": "file", "file_id": "file_1"}}),
    "pages to cite as a result": returning(CITABLE),
    "a reference to a tool as a result": returning(
        {"type": "tool_reference", "tool_name": "get_weather"}, tools=[TOOL]
    ),
    "one tool forced": body_of(user("a"), tools=[TOOL], tool_choice={"type": "tool", "name": "get_weather"}),
    "calls one by one": body_of(
        user("a"), tools=[TOOL], tool_choice={"type": "any", "disable_parallel_tool_use": True}
    ),
    "a search of the web": body_of(user("a"), assistant(SEARCH, PAGES, text("b")), user("c")),
    "a search of tools": body_of(
        user("a"),
        assistant(LOOKUP, FOUND, call("x")),
        user(result("x")),
        tools=[{"type": "tool_search_tool_regex_20251119", "name": "tool_search_tool_regex"}, TOOL],
    ),
    "a call from code": body_of(user("a"), assistant(CODE, FROM_CODE), user(result("toolu_1")), container="c"),
    "a remote tool": body_of(user("a"), assistant(REMOTE, ECHO, text("b")), user("c")),
    "edited context": body_of(user("a"), context_management={"edits": [EDIT]}),
    "a compacted history": body_of(user("a"), assistant({"type": "compaction", "content": "b"}, text("c")), user("d")),
    "cache marks": body_of(
        user({**text("a"), "cache_control": {"type": "ephemeral", "ttl": "1h"}}),
        tools=[{**TOOL, "cache_control": {"type": "ephemeral"}}],
    ),
    "a structured answer": body_of(user("a"), output_config={"format": {"type": "json_schema", "schema": CLOSED}}),
    "adaptive thinking": body_of(user("a"), thinking={"type": "adaptive"}, output_config={"effort": "medium"}),
}


@pytest.mark.parametrize("body", DOCUMENTED.values(), ids=DOCUMENTED)
def test_what_is_known_to_be_accepted_has_no_finding(body: Body) -> None:
    assert found(body) == []
