"""Tools as things to call: they do what the scenario says, and what becomes of them is told of the right call."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from harness.errors import BadInput
from harness.scenario import CANONICAL, Tool
from harness.targets import CaseRun, ended
from harness.targets.tools import CallableTool, ToolRaised
from harness.trace import Event, SetCode, ToolResult, ToolStart
from harness.wire import Call, ToolDeclaration
from tests.case_tables import from_table

pytestmark = pytest.mark.anyio


def tool(name: str, **answer: Any) -> Tool:
    return Tool(ToolDeclaration(name, f"The {name}.", {"type": "object", "properties": {}}), **answer)


def case(
    *tools: Tool, issued: Sequence[Sequence[Call]] = (), waited: list[str] | None = None
) -> tuple[dict[str, CallableTool], list[Event]]:
    """The tools of a case whose model has made these calls, and what is told of them.

    ``waited`` gets the names of those that have waited in vain.
    """
    seen: list[Event] = []

    def observe(event: Event) -> bool:
        seen.append(event)
        return True

    case_run = CaseRun(
        wire="openai-chat",
        model="m",
        base_url="",
        prompt=(),
        tools=tools,
        emit=lambda event: None,
        issued=lambda: issued,
        observe=observe,
        note_waited=([] if waited is None else waited).append,
    )
    return {each.name: each for each in case_run.callables}, seen


async def test_a_tool_is_described_and_returns_what_the_scenario_says() -> None:
    tools, seen = case(tool("lamp", returns={"on": True}, extra="It hums.", kind="unapproved"))
    lamp = tools["lamp"]
    assert (lamp.name, lamp.description, lamp.kind, lamp.extra) == ("lamp", "The lamp.", "unapproved", "It hums.")
    assert lamp.parameters == {"type": "object", "properties": {}}
    assert await lamp({"dim": 3}, id="call_1") == {"on": True}
    assert seen == [ToolStart("call_1", "lamp", {"dim": 3}), ToolResult("call_1", "lamp", {"on": True}, ok=True)]


async def test_a_tool_that_fails_raises_what_the_scenario_says() -> None:
    tools, seen = case(tool("heating", raises="no gas"))
    with pytest.raises(ToolRaised, match=r"^no gas$"):
        await tools["heating"]({}, id="1")
    assert seen[-1] == ToolResult("1", "heating", {"error": "no gas"}, ok=False)


@from_table(__file__, "test_which_call_a_run_belongs_to")
async def test_which_call_a_run_belongs_to(
    issued: list[list[list[str]]], runs: list[list[Any]], started: list[str]
) -> None:
    """Calls of several turns, the runs of tools (perhaps under an id), and under which ids these are reported."""
    tools, seen = case(tool("lamp"), tool("heating"), issued=[[Call(*call) for call in turn] for turn in issued])
    for name, arguments, *id in runs:
        await tools[name](arguments, **({"id": id[0]} if id else {}))
    given = [arguments for _, arguments, *_ in runs]
    assert [(event.id, event.input) for event in seen if isinstance(event, ToolStart)] == list(
        zip(started, given, strict=True)
    )
    assert [event.id for event in seen if isinstance(event, ToolResult)] == started


async def test_a_fresh_value_is_that_of_the_call_however_a_loop_has_altered_its_arguments() -> None:
    calls = [Call("lamp", '{"room": 1}', "a"), Call("lamp", '{"room": 2}', "b")]
    tools, _ = case(tool("lamp", returns={"code": "{{fresh}}"}, fresh="a"), issued=[calls])
    lamp = tools["lamp"]
    first, second = await lamp({"room": 1}, id="a"), await lamp({"room": 2}, id="b")
    assert first != second
    assert await lamp({"room": 1.0, "dim": None}, id="a") == first
    assert await lamp({"room": 2, "dim": None}, id="b") == second
    assert await lamp('{"room": 2}', id="b") == second
    assert await lamp({"room": 2}) == second  # a loop that does not know the ids
    assert await lamp({"room": 2}, id="a") == second  # a loop that runs a call on the arguments of another


@pytest.mark.parametrize("name", ["order", "create_file"])
async def test_a_loop_that_does_not_look_at_the_arguments_is_seen_to_run_a_tool_on_them(name: str) -> None:
    order, page = tool("order", returns="ordered"), Tool(CANONICAL["create_file"], canonical=True)
    tools, seen = case(order, page, issued=[[Call(name, '["soup"]', "list")]])
    if name == "order":
        assert await tools[name](["soup"]) == "ordered"
    else:
        with pytest.raises(ToolRaised):
            await tools[name](["soup"])
    assert seen[0] == ToolStart("list", name, ["soup"])


async def test_a_call_that_came_without_an_id_gets_one() -> None:
    tools, seen = case(tool("lamp"), issued=[[Call("lamp", "{}", ""), Call("lamp", "{}", "")]])
    await tools["lamp"]({})
    await tools["lamp"]({})
    ids = [event.id for event in seen if isinstance(event, ToolStart)]
    assert len(set(ids)) == 2
    assert all(ids)


async def test_calls_that_came_with_one_id_are_told_apart() -> None:
    one, other = Call("lamp", "{}", "a"), Call("heating", "{}", "a")
    tools, seen = case(tool("lamp"), tool("heating"), issued=[[one, other]])
    await tools["heating"]({})
    await tools["lamp"]({}, id="a")
    started = {event.name: event.id for event in seen if isinstance(event, ToolStart)}
    assert started["lamp"] == "a"
    assert started["heating"] not in ("", "a")
    assert [event.id for event in seen if isinstance(event, ToolResult)] == [started["heating"], "a"]


async def test_an_id_that_comes_again_in_a_later_turn_is_not_that_of_the_first_call() -> None:
    issued = [[Call("lamp", "{}", "a")]]
    tools, seen = case(tool("lamp"), issued=issued)
    await tools["lamp"]({}, id="a")
    issued.append([Call("lamp", "{}", "a")])
    await tools["lamp"]({}, id="a")
    first, second = (event.id for event in seen if isinstance(event, ToolStart))
    assert first == "a"
    assert second not in ("", "a")


async def test_canonical_tools_share_one_file() -> None:
    tools, seen = case(*(Tool(CANONICAL[name], canonical=True) for name in ("create_file", "edit_file")))
    await tools["create_file"]({"path": "i.html", "content": "<p>1"}, id="1")
    await tools["edit_file"]({"path": "i.html", "edits": [{"old_text": "1", "new_text": "2"}]}, id="2")
    assert [event.code for event in seen if isinstance(event, SetCode)] == ["<p>1", "<p>2"]


async def test_arguments_of_any_shape_are_an_error_for_the_model_and_no_crash() -> None:
    tools, _ = case(Tool(CANONICAL["create_file"], canonical=True))
    with pytest.raises(ToolRaised):
        await tools["create_file"]({"content": 7})


async def test_a_tool_that_finishes_after_another_waits_for_it() -> None:
    tools, seen = case(tool("fast"), tool("slow", finishes_after="fast"))
    slow = asyncio.ensure_future(tools["slow"]({}, id="s"))
    await asyncio.wait([slow], timeout=0)
    await tools["fast"]({}, id="f")
    await slow
    assert [event.id for event in seen if isinstance(event, ToolResult)] == ["f", "s"]


async def test_whoever_waits_for_both_learns_of_the_first_before_the_second_has_ended() -> None:
    tools, _ = case(tool("fast"), tool("slow", finishes_after="fast"))
    slow, fast = (asyncio.ensure_future(tools[name]({}, id=name)) for name in ("slow", "fast"))
    done, pending = await asyncio.wait({slow, fast}, return_when=asyncio.FIRST_COMPLETED)
    assert (done, pending) == ({fast}, {slow})
    await slow


async def test_a_tool_that_waits_in_vain_is_noted_and_nobody_waits_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ended, "LONGEST_WAIT", 0.01)
    waited: list[str] = []
    slow, late = tool("slow", finishes_after="fast"), tool("late", finishes_after="slower", returns=1)
    tools, seen = case(tool("fast"), slow, late, tool("slower"), waited=waited)
    await tools["slow"]({}, id="s")
    assert await tools["late"]({}, id="l") == 1
    assert waited == ["slow"]
    assert [event.id for event in seen if isinstance(event, ToolResult)] == ["s", "l"]


def test_loops_that_are_not_asynchronous_call_the_same_tools() -> None:
    tools, seen = case(tool("lamp", returns=1), tool("heating", raises="no gas"), tool("late", finishes_after="lamp"))
    with pytest.raises(BadInput, match="waits for another"):
        tools["late"].now({})
    assert tools["lamp"].now({}, id="1") == 1
    with pytest.raises(ToolRaised, match="no gas"):
        tools["heating"].now({})
    assert ToolResult("1", "lamp", 1, ok=True) in seen


async def test_nobody_need_listen() -> None:
    tools, _ = case(tool("lamp", returns=1))
    silent = replace(CaseRun("openai-chat", "m", "", (), (tool("lamp", returns=1),), lambda event: None))
    (lamp,) = silent.callables
    assert await lamp({}) == await tools["lamp"]({})
