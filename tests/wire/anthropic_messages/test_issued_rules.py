"""Rules that need to know what was sent: forged, altered, dropped and moved thinking, and its prefix."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from harness.wire import Call, FinishReason, Text, ThinkingPart, Turn
from harness.wire.anthropic_messages import WIRE
from tests.wire.anthropic_messages.histories import (
    ROUTE,
    TOOLS,
    TWO_CALLS,
    Body,
    Served,
    assistant,
    judge,
    result,
    served,
    text,
    user,
)

MODIFIED = (
    "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. "
    "These blocks must remain as they were in the original response."
)


def forge(content: list[Body]) -> None:
    content[0]["signature"] = "Zm9yZ2Vk"


def forge_redacted(content: list[Body]) -> None:
    content[2]["data"] = "Zm9yZ2Vk"


def invent(content: list[Body]) -> None:
    content.insert(0, {"type": "thinking", "thinking": "invented", "signature": "Zm9yZ2Vk"})


def alter(content: list[Body]) -> None:
    content[0]["thinking"] += " And more."


def drop_one(content: list[Body]) -> None:
    del content[2]


def drop_all(content: list[Body]) -> None:
    content[:] = [block for block in content if "thinking" not in block["type"]]


def move(content: list[Body]) -> None:
    content.insert(1, content.pop(2))


def swap(content: list[Body]) -> None:
    content[0], content[2] = content[2], content[0]


def repeat(content: list[Body]) -> None:
    content.append(dict(content[0]))


SIGNATURE = "Invalid `signature` in `thinking` block"
TAMPERED: list[tuple[Callable[[list[Body]], None], str, str, str, str, str]] = [
    (forge, "ANT-14", "MUST", "messages.1.content.0", SIGNATURE, "altered signature"),
    (
        forge_redacted,
        "ANT-14",
        "MUST",
        "messages.1.content.2",
        "Invalid `data` in `redacted_thinking` block",
        "forged",
    ),
    (invent, "ANT-14", "MUST", "messages.1.content.0", SIGNATURE, "forged"),
    (alter, "ANT-15", "MUST", "messages.1.content.0", MODIFIED, "altered"),
    (drop_one, "ANT-15", "MUST", "messages.1.content.2", MODIFIED, "dropped"),
    (drop_all, "ANT-15", "SHOULD", "messages.1.content.0", MODIFIED, "dropped"),
    (move, "ANT-15", "MUST", "messages.1.content.1", MODIFIED, "moved"),
    (swap, "ANT-15", "MUST", "messages.1.content.0", MODIFIED, "moved"),
    (repeat, "ANT-15", "MUST", "messages.1.content.4", MODIFIED, "duplicated"),
]


@pytest.mark.parametrize(
    ("mutate", "rule", "level", "at", "problem", "got"), TAMPERED, ids=lambda value: getattr(value, "__name__", "")
)
def test_tampered_thinking(
    mutate: Callable[[list[Body]], None], rule: str, level: str, at: str, problem: str, got: str
) -> None:
    case = served()
    mutate(case.body["messages"][1]["content"])
    violation = case.judge()[0]
    assert (violation.id, violation.level, violation.answered.message) == (rule, level, f"{at}: {problem}")
    assert violation.got.startswith(got)
    alone = [] if mutate is not repeat else ["ANT-LAST"]
    assert [each.id for each in judge(case.body)] == alone, "nothing else of it shows in the body alone"


def test_thinking_of_another_turn() -> None:
    case = served()
    case.answer(TWO_CALLS)
    first, second = case.body["messages"][1]["content"], case.body["messages"][3]["content"]
    second.insert(0, dict(first[0]))
    violation = case.judge()[0]
    assert (violation.id, violation.answered.place) == ("ANT-15", "messages.3.content.0")
    assert violation.got.startswith("moved here from another turn")


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


def test_earlier_thinking_may_go_but_not_change() -> None:
    case = served()
    case.answer(TWO_CALLS)
    earlier = case.body["messages"][1]["content"]
    earlier[0]["thinking"] += " And more."
    [violation] = case.judge()
    assert (violation.id, violation.answered.message) == ("ANT-14", f"messages.1.content.0: {SIGNATURE}")
    drop_all(earlier)
    assert case.judge() == []


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


def test_foreign_thinking_is_only_inferred_to_be_forged() -> None:
    case = served()
    foreign = assistant({"type": "thinking", "thinking": "t", "signature": "c2lnbg=="}, text("of another case"))
    case.body["messages"][:0] = [user("before"), foreign]
    assert [(violation.id, violation.level) for violation in case.judge()] == [("ANT-14", "INFO")]


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


BOUND = (
    "Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set "
    '`thinking.block_binding.prefix_mismatch_behavior` to "drop_block". That setting requires the '
    "`thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header."
)


def _new_system(body: Body) -> None:
    body["system"] = "Another."


def _new_tools(body: Body) -> None:
    body["tools"] = TOOLS[:1]


def _new_prompt(body: Body) -> None:
    body["messages"][0] = user("What is in lib?")


def _new_message(body: Body) -> None:
    body["messages"].insert(0, user("By the way."))


@pytest.mark.parametrize("change", [_new_system, _new_tools, _new_prompt, _new_message])
def test_thinking_is_bound_to_its_prefix(change: Callable[[Body], None]) -> None:
    case = served(model="claude-opus-5-5")
    case.answer(Turn((ThinkingPart("Next."), Call("read_file", "{}")), FinishReason.TOOL_CALLS))
    change(case.body)
    [violation] = case.judge()
    index = 2 if change is _new_message else 1
    assert (violation.id, violation.answered.message) == ("ANT-18", f"messages.{index}.content.0: {BOUND}")
    case.body["model"] = "claude-sonnet-4-6"
    assert {(each.id, each.level) for each in case.judge()} == {("ANT-34", "INFO")}


def test_the_first_block_after_the_change_is_named() -> None:
    case = served(model="claude-fable-5-1")
    case.answer(TWO_CALLS)
    case.body["messages"][2]["content"][0]["content"] = "edited"
    [violation] = case.judge()
    assert (violation.id, violation.answered.place) == ("ANT-18", "messages.3.content.0")


def test_what_may_change_in_a_bound_prefix() -> None:
    case = served(model="claude-opus-5-5")
    case.answer(Turn((ThinkingPart("Next."), Call("read_file", "{}")), FinishReason.TOOL_CALLS))
    case.body["messages"][0] = user(text("What is in src?") | {"cache_control": {"type": "ephemeral"}})
    case.body["tool_choice"] = {"type": "none"}
    assert case.judge() == []
