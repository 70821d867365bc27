"""What a response is made of, with its values left out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.cassette.forms import Response
from harness.wire import NativeWireName
from harness_lab.recorded.drift import shapes_of
from tests.case_tables import from_table


def response(wire: NativeWireName, body: bytes, *, status: int = 200, streamed: bool = False) -> Response:
    return Response(wire, body, streamed, status, {})


def document(wire: NativeWireName, value: Any, **how: Any) -> set[str]:
    return {str(shape) for shape in shapes_of(response(wire, json.dumps(value).encode(), **how))}


def stream(wire: NativeWireName, *events: Any, whole: bool = True) -> set[str]:
    body = b"".join(b"data: %s\n\n" % json.dumps(event).encode() for event in events)
    return {str(shape) for shape in shapes_of(response(wire, body, streamed=True), whole=whole)}


def test_members_are_told_by_their_path_and_their_type() -> None:
    value = {"id": "1", "n": 1.5, "ok": True, "none": None, "usage": {"tokens": 3}, "list": [[1], "a"]}
    assert document("openai-chat", value) == {
        "document | id: text",
        "document | n: number",
        "document | ok: boolean",
        "document | none: null",
        "document | usage: object",
        "document | usage.tokens: number",
        "document | list: list",
        "document | list[]: list",
        "document | list[][]: number",
        "document | list[]: text",
    }


@pytest.mark.parametrize("other", [{"id": "msg_02", "n": 7}, {"n": 0, "id": ""}])
def test_values_and_the_order_of_members_are_no_shape(other: Any) -> None:
    assert document("openai-chat", other) == document("openai-chat", {"id": "msg_01", "n": 1})


def test_objects_of_different_types_in_one_list_are_told_apart() -> None:
    blocks = [{"type": "text", "text": "Hi"}, {"type": "tool_use", "name": "f", "input": {"any": {"thing": 1}}}]
    assert document("anthropic-messages", {"content": blocks}) >= {
        "document | content[]<text>.text: text",
        "document | content[]<tool_use>.name: text",
    }


@from_table(__file__, "test_free_keys_are_cut_off_at_their_root")
def test_free_keys_are_cut_off_at_their_root(wire: NativeWireName, value: Any, root: str) -> None:
    shapes = document(wire, value)
    assert f"document | {root}: object" in shapes
    assert not [shape for shape in shapes if shape.startswith(f"document | {root}.")]


def test_an_error_is_a_form_of_its_own_and_may_be_no_json() -> None:
    assert document("openai-chat", {"error": {}}, status=500) == {"error | error: object"}
    assert [*map(str, shapes_of(response("gemini-generate", b"<html>", status=413)))] == ["error | no JSON"]


def test_headers_are_told_by_their_name() -> None:
    shapes = shapes_of(Response("openai-chat", b"{}", False, 200, {"x-request-id": "req_1"}))
    assert [*map(str, shapes)] == ["document headers | x-request-id"]


def test_events_are_told_with_what_may_follow_them() -> None:
    shapes = stream(
        "anthropic-messages",
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text"}},
        {"type": "content_block_stop", "index": 0},
    )
    assert shapes == {
        "stream | (start) -> content_block_start text",
        "stream | content_block_start text -> content_block_stop",
        "stream | content_block_stop -> (end)",
        "stream | content_block_start/type: text",
        "stream | content_block_start/index: number",
        "stream | content_block_start/content_block: object",
        "stream | content_block_start/content_block<text>.type: text",
        "stream | content_block_stop/type: text",
        "stream | content_block_stop/index: number",
    }


def test_where_a_broken_stream_ends_says_nothing() -> None:
    assert "stream | content_block_stop -> (end)" not in stream(
        "anthropic-messages", {"type": "content_block_stop"}, whole=False
    )


def test_the_name_of_an_event_in_its_frame_is_a_shape() -> None:
    body = b'event: ping\ndata: {"type":"ping"}\n\n'
    assert "stream | event: ping" in {*map(str, shapes_of(response("anthropic-messages", body, streamed=True)))}


def test_a_chunk_of_chat_is_named_by_what_it_says() -> None:
    def chunk(delta: Any, finish: str | None = None) -> Any:
        return {"choices": [{"delta": delta, "finish_reason": finish}]}

    call = {"index": 0, "id": "c", "type": "function", "function": {"arguments": ""}}
    shapes = stream(
        "openai-chat",
        chunk({"role": "assistant", "content": ""}),
        chunk({"tool_calls": [call]}),
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]}),
        chunk({}, "tool_calls"),
        {"choices": [], "usage": {"total_tokens": 1}},
    )
    assert [shape for shape in sorted(shapes) if "->" in shape] == [
        "stream | (start) -> role",
        "stream | arguments -> finish",
        "stream | call -> arguments",
        "stream | finish -> usage",
        "stream | role -> call",
        "stream | usage -> (end)",
    ]


def test_what_is_no_json_is_an_event_by_itself() -> None:
    shapes = {*map(str, shapes_of(response("openai-chat", b"data: [DONE]\n\n", streamed=True)))}
    assert shapes == {"stream | (start) -> [DONE]", "stream | [DONE] -> (end)"}


def test_a_response_of_gemini_is_named_by_its_parts() -> None:
    def answer(*parts: Any, **end: Any) -> Any:
        return {"candidates": [{"content": {"parts": list(parts)}, **end}]}

    shapes = stream(
        "gemini-generate",
        answer({"text": "Hm", "thought": True}),
        answer({"thoughtSignature": "x", "functionCall": {"name": "f"}}, finishReason="STOP"),
    )
    assert {"stream | thought -> functionCall+finish", "stream | (start) -> thought"} <= shapes
    assert "stream | response/candidates[].content.parts[]<functionCall>.thoughtSignature: text" in shapes
