"""Whole runs in the text protocol: previews, answers to broken calls, skills."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from harness.errors import BadInput
from harness.loop import ToolRuntime
from harness.scenario import Tool
from harness.trace import Final, SetCode, ToolResult, ToolStart
from harness.wire import ToolDeclaration
from harness.wire.chunking import Chunking
from harness.wire.text_tags.prompt import ACTIVATE_SKILL, Skill
from tests.loop.sessions.text_tags_run import requests, run
from tests.wire.text_tags.reading import call

pytestmark = pytest.mark.anyio

PAGE = "<html>\n" + '<p class="day">Open <b>daily</b> 😀 — say </tool_call> or <think></p>\n' * 30 + "</html>\n"
CREATE = json.dumps({"path": "index.html", "content": PAGE}, ensure_ascii=False)
EDIT = '{path: "index.html", edits: [{old_text: "<html>", new_text: "<html lang=en>",},],}'
SKILLS = {"bakery": Skill("How bakeries look", "Warm colours.")}


@pytest.mark.parametrize("chunking", ["whole", "event", "adversarial"])
@pytest.mark.parametrize("stream", [True, False])
async def test_create_edit_and_answer(chunking: Chunking, stream: bool) -> None:
    first = f"<think>A page.</think>Here it is.\n{call('create_file', CREATE)}"
    second = f"<|tool_call>call:edit_file{EDIT}<tool_call|>"
    result, events, desk = await run(first, second, "Done.", chunking=chunking, stream=stream)
    edited = PAGE.replace("<html>", "<html lang=en>")
    assert (result.outcome, result.code, result.text, result.turns) == ("completed", edited, "Done.", 3)
    assert desk.violations == []
    assert [type(event) for event in events if isinstance(event, ToolStart | ToolResult | Final)] == [
        ToolStart,
        ToolResult,
        ToolStart,
        ToolResult,
        Final,
    ]
    previews = [event.code for event in events if isinstance(event, SetCode) and event.preview]
    assert all(PAGE.startswith(code) for code in previews)
    assert previews[-1] == PAGE
    if stream:
        assert len(previews) > 20
        assert all(len(one) < len(next_) for one, next_ in pairwise(previews))
    assert requests(desk)[1][2] == {"role": "assistant", "content": first}
    assert requests(desk)[1][3]["content"].startswith('Tool results:\n\n[create_file] {"content":"Successfully created')


async def test_a_malformed_call_is_answered_and_the_one_behind_it_runs() -> None:
    broken = call("create_file", '{"path":"index.html","content":"<html>"oops"</html>"}')
    result, events, desk = await run(broken + call("create_file", CREATE), "Done.")
    assert (result.outcome, result.code) == ("completed", PAGE)
    assert [(event.name, event.ok) for event in events if isinstance(event, ToolResult)] == [
        ("create_file", False),
        ("create_file", True),
    ]
    assert requests(desk)[1][3]["content"].startswith(
        "Tool results:\n\n[create_file] Error: this tool call could not be read: 'o' is out of place."
    )
    assert desk.violations == []


async def test_a_call_that_contradicts_itself_is_one_call_and_does_not_run() -> None:
    twice = f'<tool_call>{{"name":"create_file","args":{CREATE},"args":{CREATE}}}</tool_call>'
    result, events, desk = await run(twice, "Done.")
    assert result.code == ""
    assert [event.id for event in events if isinstance(event, ToolStart)] == ["call_1"]
    assert {event.id: event.ok for event in events if isinstance(event, ToolResult)} == {"call_1": False}
    assert 'could not be read: it has "args" twice.' in requests(desk)[1][3]["content"]


async def test_a_skill_is_loaded_by_name_only() -> None:
    calls = "".join(
        call("activate_skill", json.dumps(arguments))
        for arguments in ({"name": "bakery"}, {"name": "../bakery"}, {"name": 7}, {}, ["bakery"])
    )
    _, _, desk = await run(calls, "Done.", skills=SKILLS)
    first, second = requests(desk)
    assert first[0]["content"].endswith(
        "- activate_skill(name): Load a skill's full instructions into context. "
        "Use this before starting work that matches a listed skill.\n"
    )
    assert second[-1]["content"] == (
        "Tool results:\n\n"
        "[activate_skill] Warm colours.\n\n"
        "[activate_skill] Error: skill '../bakery' not found\n\n"
        "[activate_skill] Error: skill 7 not found\n\n"
        "[activate_skill] Error: skill None not found\n\n"
        "[activate_skill] Error: Tool arguments must be a JSON object"
    )


async def test_without_skills_there_is_no_tool_for_them() -> None:
    _, _, desk = await run(call("activate_skill", '{"name":"bakery"}'), "Done.")
    assert "activate_skill" not in requests(desk)[0][0]["content"]
    assert requests(desk)[1][-1]["content"] == (
        "Tool results:\n\n[activate_skill] Error: tool 'activate_skill' not found"
    )


async def test_the_tool_for_skills_is_behind_the_others_and_shows_no_page() -> None:
    plain, tools = ToolRuntime(), ToolRuntime(skills=SKILLS)
    assert tools.declarations == (*plain.declarations, ACTIVATE_SKILL)
    assert not tools.previews("activate_skill")


def test_a_tool_of_the_same_name_is_refused() -> None:
    own = Tool(ToolDeclaration("activate_skill", "Mine.", {"type": "object"}))
    with pytest.raises(BadInput, match="declared twice"):
        ToolRuntime([own], skills=SKILLS)
