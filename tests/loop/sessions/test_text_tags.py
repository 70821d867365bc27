"""The text protocol over Chat: what is sent, what is made of answers, and how it fails."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.loop.policy import HUGIND
from harness.loop.session import AssistantDelta, StreamFailed, ThinkingDelta, ToolCallDelta
from harness.loop.tools.arguments import parse_arguments
from harness.wire import FinishReason, Refusal, Text, ThinkingPart, Turn, Usage
from harness.wire.text_tags.prompt import Skill
from tests.loop.sessions.text_tags_endpoint import SEARCH, Conversing, native_call, tool
from tests.wire.openai_chat.chat_support import SMILE, response
from tests.wire.text_tags.reading import NASTY, call, read

pytestmark = pytest.mark.anyio

THINK_AND_CALL = f"<think>Where?</think>I look.\n{call('search', '{path: 1}')}\n{call('search')}"


# --- what is sent --------------------------------------------------------------------------------------------


async def test_the_tools_stand_in_the_system_prompt_and_nowhere_else() -> None:
    talk = Conversing("Done.", tools=(SEARCH, tool("now")))
    await talk.turn()
    assert talk.messages[0]["content"] == (
        "S\n\n"
        'You have tools. To use one: <tool_call>{"name":"tool_name","args":{...}}</tool_call>\n'
        "When done, respond without tool_call tags.\n\n"
        "- search(path, pattern): Search.\n"
        "- now: \n"
    )
    assert talk.transport.bodies[0].keys() == {"model", "messages", "stream", "stream_options"}


async def test_skills_stand_between_the_own_text_and_the_tools_in_the_order_of_their_names() -> None:
    skills = {"rust": Skill("Rust patterns", "Use Result."), "css": Skill("Style", "Grid.")}
    talk = Conversing("Done.", skills=skills)
    await talk.turn()
    assert talk.messages[0]["content"].startswith(
        "S\n\n## Available Skills\n\n"
        "You have access to the following skills. To activate a skill that is relevant to your current task,"
        " use the activate_skill tool.\n\n- css: Style\n- rust: Rust patterns\n\n\nYou have tools."
    )
    assert "Grid." not in talk.messages[0]["content"]


async def test_without_anything_to_say_there_is_no_system_message() -> None:
    talk = Conversing("Done.", tools=(), prompt=(("user", "hi"),))
    await talk.turn()
    assert talk.messages == [{"role": "user", "content": "hi"}]


async def test_system_messages_become_one() -> None:
    talk = Conversing("Done.", tools=(), prompt=(("system", "A"), ("user", "hi"), ("system", "B")))
    await talk.turn()
    assert talk.messages == [{"role": "system", "content": "A\n\nB"}, {"role": "user", "content": "hi"}]


@pytest.mark.parametrize("stream", [True, False])
async def test_the_answer_goes_back_raw_and_the_results_in_one_user_message(stream: bool) -> None:
    talk = Conversing(THINK_AND_CALL, "Done.", stream=stream)
    turn = await talk.turn({"a": 1}, f"é {SMILE}" * 3000)
    last = await talk.turn()
    assert talk.messages[2:] == [
        {"role": "assistant", "content": THINK_AND_CALL},
        {"role": "user", "content": 'Tool results:\n\n[search] {"a":1}\n\n[search] ' + f"é {SMILE}" * 3000},
    ]
    assert talk.violations == []
    assert (turn.assistant_text, turn.thinking_text, turn.stop) == ("I look.", "Where?", FinishReason.TOOL_CALLS)
    assert [(each.name, each.arguments) for each in turn.tool_calls] == [("search", '{"path": 1}'), ("search", "{}")]
    assert (last.assistant_text, last.tool_calls, last.stop) == ("Done.", (), FinishReason.END)


async def test_half_a_character_in_a_result_is_replaced() -> None:
    talk = Conversing(call("search") + call("search"), "Done.")
    await talk.turn("\ud83d", {"\ud83d": "\ud83d\ude00"})
    await talk.turn()
    assert talk.messages[-1]["content"] == 'Tool results:\n\n[search] \ufffd\n\n[search] {"\ufffd":"😀"}'


async def test_a_turn_without_results_is_appended_alone() -> None:
    talk = Conversing("Hm.", "Done.")
    talk.session.append_tool_results(await talk.turn(), ())
    await talk.turn()
    assert talk.messages[2:] == [{"role": "assistant", "content": "Hm."}]


@pytest.mark.parametrize(
    ("block", "told"),
    [
        (call("search"), "[search] Error: boom"),
        (call("nope"), "[nope] Error: tool 'nope' not found"),
        (
            '<tool_call>{"name":"search","args":{x y}}</tool_call>',
            "[search] Error: this tool call could not be read: 'y' is out of place. "
            'To use a tool: <tool_call>{"name":"tool_name","args":{...}}</tool_call>',
        ),
        (
            "<tool_call>oops</tool_call>",
            "[unknown_tool] Error: this tool call could not be read: it is neither {...} nor call:NAME{...}. "
            'To use a tool: <tool_call>{"name":"tool_name","args":{...}}</tool_call>',
        ),
    ],
)
async def test_what_a_model_is_told_of_a_call_that_failed(block: str, told: str) -> None:
    talk = Conversing(block, "Done.")
    await talk.turn(ValueError("boom"))
    await talk.turn()
    assert talk.messages[-1]["content"] == f"Tool results:\n\n{told}"


# --- what is made of answers -----------------------------------------------------------------------------------


@pytest.mark.sampled(9)
@pytest.mark.parametrize("deltas", ["whole", "token", "character", "utf16"])
@pytest.mark.parametrize("name", NASTY)
async def test_every_odd_document_is_told_as_the_parser_reads_it(name: str, deltas: Any) -> None:
    expected = read(NASTY[name])
    talk = Conversing(Turn((Text(NASTY[name]),), deltas=deltas))
    turn = await talk.turn()
    assert (turn.assistant_text, turn.thinking_text) == (expected.text, expected.thinking)
    assert [(each.id, each.name, each.arguments) for each in turn.tool_calls] == [
        (each.id, each.name, each.arguments) for each in expected.calls
    ]
    assert "".join(delta.text for delta in talk.told if isinstance(delta, AssistantDelta)) == expected.text
    for each in turn.tool_calls:
        pieces = [delta for delta in talk.told if isinstance(delta, ToolCallDelta) and delta.id == each.id]
        assert "".join(piece.arguments for piece in pieces) == each.arguments
        assert {piece.name for piece in pieces} == {each.name}


async def test_arguments_arrive_piece_by_piece() -> None:
    content = "<p>Open daily</p>\n" * 20
    talk = Conversing(call("create_file", json.dumps({"path": "a", "content": content})))
    (found,) = (await talk.turn()).tool_calls
    pieces = [delta.arguments for delta in talk.told if isinstance(delta, ToolCallDelta)]
    assert len(pieces) > 50
    assert parse_arguments(found.arguments)["content"] == content


async def test_ids_are_unique_in_the_run() -> None:
    talk = Conversing(NASTY["name-twice"], call("search"), call("search"))
    ids = []
    for _ in range(3):
        turn = await talk.turn("ok")
        ids += [each.id for each in turn.tool_calls]
    assert ids == ["call_1", "call_2", "call_3"]


async def test_native_thinking_and_thinking_in_tags_are_both_thinking() -> None:
    talk = Conversing(Turn((ThinkingPart("One. "), Text(f"<think>Two.</think>{call('search')}"))), "Done.")
    turn = await talk.turn("ok")
    assert turn.thinking_text == "One. Two."
    assert "".join(delta.text for delta in talk.told if isinstance(delta, ThinkingDelta)) == "One. Two."
    await talk.turn()
    assert talk.messages[2] == {"role": "assistant", "content": f"<think>Two.</think>{call('search')}"}


async def test_stop_reasons_refusals_and_usage_are_the_native_ones() -> None:
    cut = await Conversing(Turn((Text(call("search")[:20]),), FinishReason.MAX_TOKENS, Usage(10, 5))).turn()
    assert (cut.stop, cut.usage) == (FinishReason.MAX_TOKENS, Usage(10, 5))
    assert (
        await Conversing(Turn((Text("Some"),), FinishReason.CONTENT_FILTER)).turn()
    ).stop is FinishReason.CONTENT_FILTER
    refused = await Conversing(Turn((Refusal("No."),), FinishReason.REFUSAL)).turn()
    assert (refused.stop, refused.refusal) == (FinishReason.REFUSAL, "No.")


# --- the last answer ---------------------------------------------------------------------------------------------


async def test_the_demand_for_an_answer_is_one_more_user_message() -> None:
    talk = Conversing(call("search"), f"<think>Hm.</think>Found: {call('search')} 3.")
    await talk.turn("ok")
    talk.session.append_user(HUGIND.answer_now)
    turn = await talk.turn()
    assert talk.messages[-2:] == [
        {"role": "user", "content": "Tool results:\n\n[search] ok"},
        {"role": "user", "content": HUGIND.answer_now},
    ]
    assert turn.assistant_text == "Found:  3."
    assert talk.violations == []


# --- failures ----------------------------------------------------------------------------------------------------


async def test_an_answer_without_its_end_fails_the_turn() -> None:
    talk = Conversing(Turn((Text(f"Hi {call()} <tool"),), ending="eof"))
    with pytest.raises(StreamFailed, match="finish_reason"):
        await talk.turn()
    assert "".join(delta.text for delta in talk.told if isinstance(delta, AssistantDelta)) == "Hi"


async def test_an_answer_without_choices_fails_the_turn() -> None:
    talk = Conversing(response([b'{"choices": []}'], "application/json"), stream=False)
    with pytest.raises(StreamFailed, match="no choices"):
        await talk.turn()


@pytest.mark.parametrize("stream", [True, False])
async def test_native_tool_calls_fail_the_turn(stream: bool) -> None:
    talk = Conversing(native_call(), stream=stream)
    with pytest.raises(StreamFailed, match="native tool calls"):
        await talk.turn()
    assert talk.told == []
