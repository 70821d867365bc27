"""Reading responses: cut anywhere, oddly framed, and not at all."""

from __future__ import annotations

import json

import pytest

from harness.wire import FinishReason, ThinkingPart
from harness.wire.openai_responses import WIRE
from tests.wire.openai_responses.speak import TURNS, render

STREAM = "text/event-stream; charset=utf-8"


def spoken(*events: dict[str, object]) -> bytes:
    return b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events)


def test_the_deltas_of_an_unfinished_item_are_joined() -> None:
    rendered = render(TURNS["code points"])
    until = next(n for n, frame in enumerate(rendered.frames) if b"output_text.done" in frame)
    reply = WIRE.parse(STREAM, b"".join(rendered.frames[:until]))
    assert reply.turn.text == "a😀é"
    assert reply.items[0]["status"] == "in_progress"


@pytest.mark.parametrize("name", ["parallel calls", "text"])
def test_neither_names_of_events_nor_a_second_response_change_anything(name: str) -> None:
    """Recordings have several responses in one file: the first one counts."""
    rendered = render(TURNS[name])
    without_names = b"".join(frame.split(b"\n", 1)[1] for frame in rendered.frames)
    keepalive = b': ping\n\ndata: {"type":"keepalive"}\n\n'
    for variant in (without_names, keepalive + rendered.body, rendered.body + rendered.body):
        assert WIRE.parse(STREAM, variant) == rendered.reply


def test_the_done_item_counts_before_the_one_of_the_last_event() -> None:
    rendered = render(TURNS["omitted thinking"])
    token = rendered.reply.items[0]["encrypted_content"].encode()
    last = rendered.frames[-1].replace(token, b"gAAAAABother")
    assert WIRE.parse(STREAM, b"".join((*rendered.frames[:-1], last))).items == rendered.reply.items


def test_items_that_only_the_last_event_has_are_found() -> None:
    rendered = render(TURNS["parallel calls"])
    body = b"".join((*rendered.frames[:2], rendered.frames[-1]))
    assert WIRE.parse(STREAM, body) == rendered.reply


def test_items_without_an_index_are_told_apart_by_their_ids() -> None:
    """As llama.cpp's server sends them; cut before any of them is finished."""
    items = [{"type": "function_call", "id": f"fc_{n}", "call_id": f"call_{n}", "name": "f"} for n in (1, 2)]
    begun = [{"type": "response.output_item.added", "item": {**item, "arguments": ""}} for item in items]
    argument = {"type": "response.function_call_arguments.delta"}
    pieces = [{**argument, "item_id": item, "delta": piece} for item in ("fc_2", "fc_1") for piece in ("{", item[3:])]
    cut = WIRE.parse(STREAM, spoken(*begun, *pieces))
    assert [(call.id, call.arguments) for call in cut.turn.calls] == [("call_1", "{1"), ("call_2", "{2")]
    done = [{"type": "response.output_item.done", "item": {**item, "arguments": "{}"}} for item in reversed(items)]
    assert [item["id"] for item in WIRE.parse(STREAM, spoken(*begun, *done)).items] == ["fc_1", "fc_2"]


def test_items_are_kept_when_the_last_event_lists_none() -> None:
    item = {"type": "function_call", "name": "f", "arguments": "{}", "id": "fc_1"}
    reply = WIRE.parse(
        STREAM,
        spoken(
            {"type": "response.output_item.done", "item": item},
            {"type": "response.completed", "response": {"id": "resp_1", "status": "completed", "output": []}},
        ),
    )
    assert reply.items == (item,)
    assert [(call.id, call.arguments) for call in reply.turn.calls] == [("", "{}")]
    assert reply.complete


def test_reasoning_of_open_weight_servers_is_thinking() -> None:
    item = {"type": "reasoning", "id": "r", "summary": [], "content": [{"type": "reasoning_text", "text": "Hm."}]}
    reply = WIRE.parse(STREAM, spoken({"type": "response.output_item.done", "output_index": 0, "item": item}))
    assert reply.turn.parts == (ThinkingPart("Hm."),)


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("max_output_tokens", FinishReason.MAX_TOKENS),
        ("content_filter", FinishReason.CONTENT_FILTER),
        ("steered", FinishReason.END),
    ],
)
def test_an_incomplete_response_says_why(reason: str, stop: FinishReason) -> None:
    response = {"status": "incomplete", "incomplete_details": {"reason": reason}, "output": []}
    assert WIRE.parse("application/json", json.dumps(response).encode()).turn.stop is stop


def test_the_status_of_a_response_is_that_of_its_last_event() -> None:
    created = {"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}}
    reply = WIRE.parse(STREAM, spoken(created, {"type": "response.incomplete"}))
    assert (reply.complete, reply.id, reply.turn.stop) == (True, "resp_1", FinishReason.MAX_TOKENS)


@pytest.mark.parametrize("shared", [{"output_index": 0}, {}])
def test_items_that_share_an_index_are_all_kept(shared: dict[str, object]) -> None:
    items = [{"type": "function_call", "name": name, "arguments": "{}", "id": f"fc_{name}"} for name in "fg"]
    events = [{"type": f"response.output_item.{moment}", "item": item, **shared} for item in items
              for moment in ("added", "done")]  # fmt: skip
    assert list(WIRE.parse(STREAM, spoken(*events)).items) == items


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("context_length_exceeded", "context_length"),
        ("rate_limit_exceeded", "rate_limit"),
        ("slow_down", "overloaded"),
        ("anything", "server_error"),
        (None, "server_error"),
    ],
)
def test_errors_are_told_apart(code: str | None, kind: str) -> None:
    for event in ({"code": code, "message": "m"}, {"error": {"code": code, "message": "m"}}):
        error = WIRE.parse(STREAM, spoken({"type": "error", **event})).turn.error
        assert error is not None
        assert (error.kind, error.message) == (kind, "m")
