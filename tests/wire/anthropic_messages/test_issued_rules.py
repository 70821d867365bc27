"""Rules that need to know what was sent: turns that say the same, calls under other ids, thinking that may go."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from harness.wire import Call, FinishReason, Text, ThinkingPart, Turn
from harness.wire.anthropic_messages import WIRE
from tests.wire.anthropic_messages.histories import (
    ROUTE,
    Body,
    Served,
    assistant,
    result,
    served,
    user,
)


def drop_one(content: list[Body]) -> None:
    del content[2]


def drop_all(content: list[Body]) -> None:
    content[:] = [block for block in content if "thinking" not in block["type"]]


def test_a_call_under_an_id_of_the_loops_own_behind_a_paused_turn_has_its_own_thinking() -> None:
    case = Served()
    case.answer(Turn((ThinkingPart("One."), Text("I look.")), stop=FinishReason.PAUSE))
    case.answer(Turn((ThinkingPart("Two."), Call("list_files", "{}")), stop=FinishReason.TOOL_CALLS))
    *_, paused, called, answered = case.body["messages"]
    called["content"][-1]["id"] = answered["content"][0]["tool_use_id"] = "toolu_own1"
    assert case.judge() == []
    called["content"][0] = dict(paused["content"][0])
    assert [each.id for each in case.judge()] == ["ANT-15"]


def test_a_renamed_call_is_found_where_each_block_is_a_message_of_its_own() -> None:
    case = Served()
    case.answer(Turn((ThinkingPart("One."), Text("I look.")), stop=FinishReason.PAUSE))
    case.answer(Turn((ThinkingPart("Two."), Call("list_files", "{}")), stop=FinishReason.TOOL_CALLS))
    *before, paused, called, answered = case.body["messages"]
    called["content"][-1]["id"] = answered["content"][0]["tool_use_id"] = "toolu_own1"
    split = [{"role": "assistant", "content": [block]} for each in (paused, called) for block in each["content"]]
    case.body["messages"] = [*before, *split, answered]
    assert case.judge() == []
    split[2]["content"] = split[0]["content"]
    assert "ANT-15" in [each.id for each in case.judge()]


def _the_same_twice() -> Served:
    """Two turns with the same text and the same call, and with other thoughts."""
    case = Served()
    for thought in ("One.", "Two."):
        case.answer(
            Turn((ThinkingPart(thought), Text("I look."), Call("list_files", "{}")), stop=FinishReason.TOOL_CALLS)
        )
    return case


@pytest.mark.parametrize("calls", [True, False], ids=["with calls", "without"])
@pytest.mark.parametrize("both", [True, False], ids=["exchanged", "repeated"])
def test_turns_with_the_same_text_keep_their_own_thinking(calls: bool, both: bool) -> None:
    case = _the_same_twice() if calls else Served()
    for thought in () if calls else ("One.", "Two."):
        case.answer(Turn((ThinkingPart(thought), Text("Nothing."))))
        case.body["messages"].append(user("Sure?"))
    assert case.judge() == []
    first, second = (each["content"] for each in case.body["messages"] if each["role"] == "assistant")
    thoughts = first[0], second[0]
    second[0] = thoughts[0]
    if both:
        first[0] = thoughts[1]
    found = case.judge()
    assert [(each.id, each.level, each.answered.place) for each in found] == [
        ("ANT-15", "MUST", "messages.3.content.0")
    ]


def test_thinking_may_go_where_the_provider_lets_it() -> None:
    disabled = served(thinking={"type": "disabled"})
    drop_all(disabled.body["messages"][1]["content"])
    assert disabled.judge() == []
    answered = Served()
    answered.answer(Turn((ThinkingPart("Hm."), Text("Nothing."))))
    drop_all(answered.body["messages"][1]["content"])
    answered.body["messages"].append(user("Sure?"))
    assert answered.judge() == []


def test_the_thinking_of_another_model_may_be_left_out_but_not_a_part_of_it() -> None:
    for drop, found in ((drop_all, False), (drop_one, True)):
        case = served()
        drop(case.body["messages"][1]["content"])
        case.body["model"] = "claude-opus-4-5"
        assert ("ANT-15" in [each.id for each in case.judge()]) is found


def test_thinking_that_was_sent_without_a_signature_may_go_back_so() -> None:
    case = Served()
    conversation = WIRE.read(ROUTE, json.dumps(case.body).encode())
    reply = WIRE.render(Turn((ThinkingPart("Go."), Call("read_file", "{}"))), case.identity, conversation).reply
    unsigned, call = {**reply.items[0], "signature": ""}, reply.items[1]
    case.sent.add(conversation, replace(reply, items=(unsigned, call)))
    case.body["messages"] += [assistant(dict(unsigned), call), user(result(call["id"]))]
    assert case.judge() == []
    case.body["messages"][1]["content"][0]["thinking"] = "Stop."
    assert [(violation.id, violation.got) for violation in case.judge()][:1] == [
        ("ANT-14", "dropped: an empty signature")
    ]


def test_calls_that_were_sent_without_an_id() -> None:
    case = Served()
    conversation = WIRE.read(ROUTE, json.dumps(case.body).encode())
    turn = Turn(
        (
            ThinkingPart("Go."),
            Call("read_file", "{}", ""),
            Call("read_file", "{}", "same"),
            Call("read_file", "{}", "same"),
        )
    )
    reply = WIRE.render(turn, case.identity, conversation).reply
    case.sent.add(conversation, reply)
    items = [
        {**item, "id": f"own_{index}"} if item["type"] == "tool_use" else item for index, item in enumerate(reply.items)
    ]
    case.body["messages"] += [assistant(*items), user(*[result(f"own_{index}") for index in (1, 2, 3)])]
    assert case.judge() == []
