"""A dialect changes how a turn is streamed, and nothing of what it says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from harness.errors import BadInput
from harness.wire import (
    Call,
    Conversation,
    FinishReason,
    Identity,
    Part,
    Rendered,
    Text,
    ThinkingPart,
    Turn,
    WireName,
    wire,
    wire_names,
)
from harness.wire.dialects import in_dialect
from harness.wire.sse import parse_events

PAGE = json.dumps({"path": "a.html", "content": "<p>Rye, walnut and plum.</p>\n" * 4})
TURNS = (
    Turn((Text("Two pages."), Call("create_file", PAGE), Call("list_files", "{}")), FinishReason.TOOL_CALLS),
    Turn((Call("create_file", PAGE),), FinishReason.TOOL_CALLS),
    Turn((Call("create_file", '{"path": "a'), Call("count", "[1, 2]")), FinishReason.TOOL_CALLS),
    Turn((ThinkingPart("The page is short."), Call("create_file", PAGE)), FinishReason.TOOL_CALLS),
    Turn((ThinkingPart("Nothing is left."), Text("Done."))),
    Turn((Text("Half"),), FinishReason.MAX_TOKENS),
)
STOPS = ("end-turn-with-calls", "two-finish-reasons")
"""Dialects in which the reason why a turn has ended is said wrong."""
DIALECTS = [(name, dialect) for name in wire_names() for dialect in wire(name).dialects]


def plain(name: WireName, turn: Turn, *, stream: bool = True) -> Rendered:
    body = {"stream_options": {"include_usage": True}} if name == "openai-chat" else {}
    return wire(name).render(turn, Identity("dialects"), Conversation(name, "m", stream, (), body=body))


LEFT_OUT: dict[str, dict[str, Any]] = {
    "ids-missing": {"id": None},
    "thinking-in-text": {"signature": ""},
    "finish-with-last-part": {"signature": ""},
}
"""Members of parts that a dialect does not have, or has elsewhere."""


def meant(parts: tuple[Part, ...], dialect: str) -> Iterator[object]:
    """What parts say; arguments that are JSON by their value."""
    for part in parts:
        left_out = {name: value for name, value in LEFT_OUT.get(dialect, {}).items() if hasattr(part, name)}
        part = replace(part, **left_out)
        if isinstance(part, Call):
            try:
                yield replace(part, arguments=""), json.loads(part.arguments)
            except ValueError:
                yield part
        else:
            yield part


@pytest.mark.parametrize(("name", "dialect"), DIALECTS)
def test_the_same_is_said(name: WireName, dialect: str) -> None:
    changed = 0
    for turn in TURNS:
        provider = plain(name, turn)
        server = in_dialect(wire(name), provider, dialect)
        assert list(meant(server.reply.turn.parts, dialect)) == list(meant(provider.reply.turn.parts, dialect))
        assert server.reply.turn.stop == provider.reply.turn.stop or dialect in STOPS, turn
        assert server.reply.complete
        assert server.reply == wire(name).parse(server.content_type, server.body)
        changed += server.body != provider.body
    assert changed, "a dialect that changes nothing"


@pytest.mark.parametrize(("name", "dialect"), DIALECTS)
def test_an_answer_that_is_no_stream_stays_as_it_is(name: WireName, dialect: str) -> None:
    whole = plain(name, TURNS[0], stream=False)
    assert in_dialect(wire(name), whole, dialect) is whole


@pytest.mark.parametrize("name", [name for name in wire_names() if name != "text-tags"])
def test_an_unknown_dialect_is_bad_input(name: WireName) -> None:
    with pytest.raises(BadInput, match=f"{name} has no dialect 'broad'; expected one of: "):
        in_dialect(wire(name), plain(name, TURNS[-2]), "broad")


# --- what each is about, read from the bytes ------------------------------------------------------------------------


def chunks(dialect: str, turn: Turn = TURNS[0]) -> list[Any]:
    body = in_dialect(wire("openai-chat"), plain("openai-chat", turn), dialect).body
    return [json.loads(event.data) for event in parse_events(body) if event.data != "[DONE]"]


def fragments(dialect: str, turn: Turn = TURNS[0]) -> list[Any]:
    """The fragments of all calls, in the order in which they come."""
    return [
        fragment
        for chunk in chunks(dialect, turn)
        for choice in chunk.get("choices") or []
        for fragment in choice["delta"].get("tool_calls") or []
    ]


def finishes(dialect: str, turn: Turn = TURNS[0]) -> list[str]:
    choices = (choice for chunk in chunks(dialect, turn) for choice in chunk.get("choices") or [])
    return [choice["finish_reason"] for choice in choices if choice["finish_reason"]]


def test_where_a_fragment_belongs() -> None:
    assert {fragment["index"] for fragment in fragments("index-zero")} == {0}
    assert [fragment for fragment in fragments("index-missing") if "index" in fragment] == []
    assert len({fragment["id"] for fragment in fragments("repeated-ids")}) == 2
    assert [fragment["index"] for fragment in fragments("index-changes")][-3:] == [0, 1, 1]
    indexes = [fragment["index"] for fragment in fragments("interleaved-calls")]
    assert indexes[:4] == [0, 1, 0, 1]


def test_how_much_comes_at_once() -> None:
    assert [fragment["index"] for fragment in fragments("whole-calls")] == [0, 1]
    functions = [fragment["function"] for fragment in fragments("object-arguments")]
    assert [function["arguments"] for function in functions] == [json.loads(PAGE), {}]


def test_how_a_turn_ends() -> None:
    assert finishes("stop-with-calls") == ["stop"]
    assert finishes("two-finish-reasons") == ["tool_calls", "stop"]
    assert finishes("two-finish-reasons", TURNS[-1]) == ["length"]
    assert finishes("finish-with-last-delta") == ["tool_calls"]
    late = chunks("calls-after-finish")
    finish = next(at for at, chunk in enumerate(late) if chunk["choices"][0]["finish_reason"])
    called = [at for at, chunk in enumerate(late) if chunk["choices"] and "tool_calls" in chunk["choices"][0]["delta"]]
    assert min(called) > finish
    assert b"[DONE]" not in in_dialect(wire("openai-chat"), plain("openai-chat", TURNS[0]), "no-done").body


def test_members() -> None:
    assert "choices" not in chunks("usage-without-choices")[-1]
    assert chunks("usage-with-null-choices")[-1]["choices"] is None
    thought = json.dumps(chunks("reasoning", TURNS[3]))
    assert '"reasoning": "' in thought
    assert "The" in thought
    roles = [choice["delta"].get("role") for chunk in chunks("repeated-roles") for choice in chunk["choices"]]
    assert roles[:-1] == ["assistant"] * (len(roles) - 1)
    assert '"tool_calls": null' in json.dumps(chunks("null-calls"))


def test_messages_and_responses() -> None:
    twice = in_dialect(wire("anthropic-messages"), plain("anthropic-messages", TURNS[0]), "two-message-starts").body
    assert twice.count(b"event: message_start") == 2
    ended = in_dialect(wire("anthropic-messages"), plain("anthropic-messages", TURNS[0]), "end-turn-with-calls").body
    assert b'"stop_reason":"end_turn"' in ended
    speaks = wire("openai-responses")
    assert b"sequence_number" not in in_dialect(speaks, plain(speaks.name, TURNS[0]), "no-sequence-numbers").body
    one = in_dialect(speaks, plain(speaks.name, TURNS[0]), "sequence-number-one").body
    assert {json.loads(event.data)["sequence_number"] for event in parse_events(one)} == {1}


def test_ids_on_chat() -> None:
    assert [fragment for fragment in fragments("ids-missing") if fragment.get("id")] == []
    late = fragments("late-ids")
    assert [("id" in each, "name" in each["function"]) for each in late[:2]] == [(False, True), (True, False)]
    assert len({each["id"] for each in late if "id" in each}) == 2
    changed = {(each["index"], each["id"]) for each in fragments("changing-ids")}
    assert sorted(index for index, _ in changed) == [0, 0, 1, 1]
    assert {each["id"] for each in fragments("empty-ids") if not each["function"]["name"]} == {""}


def test_a_call_in_one_fragment_gets_a_late_id_in_a_fragment_without_arguments() -> None:
    first, *others = fragments("late-ids", Turn((Call("list_files", ""),), FinishReason.TOOL_CALLS))
    assert "id" not in first
    assert [(each["function"]["arguments"], bool(each["id"])) for each in others] == [("", True)]


def test_a_reason_that_says_more_than_the_end_stays() -> None:
    assert finishes("no-finish-reason") == []
    assert finishes("no-finish-reason", TURNS[-1]) == ["length"]


def events(name: WireName, dialect: str, turn: Turn = TURNS[0]) -> list[Any]:
    return [json.loads(event.data) for event in parse_events(in_dialect(wire(name), plain(name, turn), dialect).body)]


def test_done_comes_behind_the_last_event_of_responses() -> None:
    for turn in TURNS:
        rendered = in_dialect(wire("openai-responses"), plain("openai-responses", turn), "done")
        *before, last = parse_events(rendered.body)
        assert (last.data, last.event) == ("[DONE]", "message")
        assert rendered.frames[:-1] == plain("openai-responses", turn).frames
        assert json.loads(before[-1].data)["type"] in ("response.completed", "response.incomplete")
        assert rendered.terminal == 2


def test_items_of_responses() -> None:
    assert not any("output_index" in event for event in events("openai-responses", "no-output-index"))
    changing = events("openai-responses", "changing-item-ids")
    named = [event["item_id"] for event in changing if "item_id" in event]
    assert len(set(named)) == len(named) > 3
    done = [event["item"]["id"] for event in changing if event["type"] == "response.output_item.done"]
    assert done == [item["id"] for item in changing[-1]["response"]["output"]]
    assert not set(done) & set(named)


THOUGHTS = Turn(
    (ThinkingPart("Two."), Text("Both."), Call("list_files", "{}"), ThinkingPart("One."), Call("list_files", "{}")),
    FinishReason.TOOL_CALLS,
)


def test_blocks_of_messages() -> None:
    thinking = events("anthropic-messages", "thinking-in-text", THOUGHTS)
    blocks = [event for event in thinking if event["type"].startswith("content_block_")]
    assert [(each["index"], each["content_block"]["type"]) for each in blocks if "content_block" in each] == [
        (0, "text"), (1, "tool_use"), (2, "thinking"), (3, "tool_use"),
    ]  # fmt: skip
    assert {each["delta"]["type"] for each in blocks if each["index"] == 0 and "delta" in each} == {
        "thinking_delta", "text_delta",
    }  # fmt: skip
    assert [each["index"] for each in blocks if each["type"] == "content_block_stop"] == [0, 1, 2, 3]
    whole = events("anthropic-messages", "input-at-start")
    inputs = [event["content_block"]["input"] for event in whole if "input" in event.get("content_block", {})]
    assert inputs == [json.loads(PAGE), {}]


def test_chunks_of_gemini() -> None:
    def candidates(dialect: str, turn: Turn = TURNS[0]) -> list[Any]:
        return [chunk["candidates"][0] for chunk in events("gemini-generate", dialect, turn)]

    assert {each["finishReason"] for each in candidates("early-stop")} == {"STOP"}
    assert [each["finishReason"] for each in candidates("early-stop", TURNS[-1])][-1] == "MAX_TOKENS"
    assert candidates("finish-without-parts")[-1]["content"] == {"role": "model"}
    last = candidates("finish-with-last-part")[-1]
    assert (last["finishReason"], "functionCall" in last["content"]["parts"][-1]) == ("STOP", True)
    together = [each["content"]["parts"] for each in candidates("calls-together") if len(each["content"]["parts"]) > 1]
    assert [["functionCall" in part for part in parts] for parts in together] == [[True, True]]
    parts = [part for each in candidates("ids-missing") for part in each["content"]["parts"]]
    calls = [part["functionCall"] for part in parts if "functionCall" in part]
    assert [call for call in calls if "id" in call] == []
    assert len(calls) == 2


def test_an_id_that_happens_to_end_in_the_number_of_its_event_changes_as_well() -> None:
    changing = wire("openai-responses").dialects["changing-item-ids"]
    (event,) = changing.spoken([{"type": "response.output_text.delta", "item_id": "msg_0000"}])
    assert event["item_id"] != "msg_0000"
    assert len(event["item_id"]) == len("msg_0000")
