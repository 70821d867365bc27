"""The loop beside recorded runs of the engine that it follows: equal, or different for a reason that is written down.

Each recording holds the model's script and what the real engine told its user. The same script, as turns of a
fake session, must give the same tool messages, code updates and final code. A departure that no longer departs
fails, too, so these tables stay true (``docs/deviations.md`` explains them).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from harness.loop import (
    Agent,
    AssistantDelta,
    Delta,
    FileState,
    ThinkingDelta,
    ToolCall,
    ToolCallDelta,
    ToolRuntime,
)
from harness.trace import Event, SetCode, ToolResult, ToolStart
from harness.wire import Stop
from tests.loop.fake_session import Answer, FakeSession, turn

TOOLS_DEPART = {
    "args_list": "the engine crashes",
    "args_null": "the engine crashes",
    "content_after_html_end": "content is kept as it came",
    "content_two_html_documents": "content is kept as it came",
    "content_with_fence_inside": "content is kept as it came",
    "create_object_content": "content must be a string",
    "edit_count_all": "a diff that can be applied",
    "edit_count_null": "a diff that can be applied",
    "edit_count_string": "the engine crashes",
    "edit_count_zero": "count 0 is named as the fault",
    "edit_edits_strings": "the engine crashes",
    "edit_to_empty": "a diff that can be applied",
    "golden_content_only_key": "content is kept as it came, with its last line break",
    "golden_create_edit_final": "content is kept as it came, with its last line break",
    "key_named_INVALID_JSON": "an argument may have any name",
    "length_in_edit_args_new_text": "a truncated turn runs nothing",
    "length_in_edit_args_second_edit": "a truncated turn runs nothing",
    "length_in_tool_args": "a truncated turn runs nothing",
    "length_in_tool_args_item_done": "a truncated turn runs nothing",
}
CODE_DEPARTS = {
    "create_empty_content": "prose is no code",
    "create_missing_content": "prose is no code",
    "create_null_content": "prose is no code",
    "edit_without_file": "prose is no code",
    "final_html_fenced_with_prose": "a page of the final text is told by final",
    "final_html_file_tag": "a page of the final text is told by final",
    "final_prose_only": "prose is no code",
    "invalid_args_garbage": "prose is no code",
    "invalid_args_truncated": "prose is no code",
    "length_in_text": "half a page is no code",
    "unknown_tool": "prose is no code",
    "extra_key_after_content": "keys after content do not leak",
    "key_order_content_then_long_path": "keys after content do not leak",
    "preview_chunk_loop_450": "a key may be spelled with escapes",
    "preview_chunk_loop_5k": "a key may be spelled with escapes",
    "surrogate_cut_at_preview": "no half of a pair is shown",
    "u_escape_cut_at_preview": "no half of an escape is shown",
    "u_escape_cut_with_backslashes": "no half of an escape is shown",
}
"""Code updates or the final code, where the tool messages are equal."""

_NEUTRAL = {"parts", "finish"}
_OUR_TOOLS = {"create_file", "edit_file", "delete_universe"}
_NOT_SAID_BY_A_TURN = {"duplicate_ids_same_turn", "duplicate_ids_two_creates", "openai_deltas_without_added"}
"""Recordings of how a session reads a stream, not of the loop."""
_NOT_STREAMED = ("cut_", "no_terminal", "response_failed", "preview_no_deltas")
_STOPS = {"length": Stop.MAX_TOKENS, "stop": Stop.END}
_FIRST_PAGE = '<html><body><p id="a">one</p><p>two</p><p>two</p></body></html>'


@dataclass(frozen=True)
class Told:
    tools: list[Any]
    codes: list[str]
    code: str | None


@pytest.mark.anyio
async def test_the_loop_tells_what_the_engine_told_but_for_known_departures(shared: Path) -> None:
    tools, codes, equal = set(), set(), set()
    for name, recording in _recordings(shared):
        engine, loop = _engine(recording), await _loop(recording)
        if loop.tools != engine.tools:
            tools.add(name)
        elif (loop.codes, loop.code) != (engine.codes, engine.code):
            codes.add(name)
        else:
            equal.add(name)
    assert tools == set(TOOLS_DEPART)
    assert codes == set(CODE_DEPARTS)
    assert len(equal) == 13


def _recordings(shared: Path) -> list[tuple[str, Any]]:
    """The recordings whose script says only what a model's turn can say."""
    found = []
    for path in sorted((shared / "golden" / "screenshot-to-code").glob("*.openai.json")):
        name = path.name.removesuffix(".openai.json")
        recording = json.loads(path.read_text(encoding="utf-8"))
        if name in _NOT_SAID_BY_A_TURN or name.startswith(_NOT_STREAMED):
            continue
        if all(_is_neutral(step) for step in recording["script"]):
            found.append((name, recording))
    if not found:
        pytest.skip("no recordings of the engine lie beside the checkout")
    return found


def _is_neutral(step: Any) -> bool:
    tools = [part for part in step.get("parts", ()) if part["kind"] == "tool"]
    return set(step) <= _NEUTRAL and all(part.get("id") and part.get("name") in _OUR_TOOLS for part in tools)


def _engine(recording: Any) -> Told:
    tools = [
        (event["type"], event["eventId"], event["data"]["name"], event["data"].get("output"), event["data"].get("ok"))
        for event in recording["events"]
        if event["type"] in {"toolStart", "toolResult"}
    ]
    codes = [event["value"] for event in recording["events"] if event["type"] == "setCode"]
    return Told(tools, codes, recording["outcome"].get("completion"))


async def _loop(recording: Any) -> Told:
    told: list[Event] = []

    async def send_message(event: Event) -> None:
        told.append(event)

    session = FakeSession([_answer(step) for step in recording["script"]])
    runtime = ToolRuntime(file=_file(recording))
    agent = Agent(open_session=session.open, send_message=send_message, tools=runtime, base_url="http://model.test")
    result = await agent.run("model", [])
    tools: list[Any] = []
    for event in told:
        if isinstance(event, ToolStart):
            tools.append(("toolStart", event.id, event.name, None, None))
        elif isinstance(event, ToolResult):
            tools.append(("toolResult", event.id, event.name, event.output, event.ok))
    return Told(tools, [event.code for event in told if isinstance(event, SetCode)], result.code)


def _answer(step: Any) -> Answer:
    deltas: list[Delta] = []
    calls = []
    for part in step["parts"]:
        match part["kind"]:
            case "thinking":
                deltas += [ThinkingDelta(chunk) for chunk in part["chunks"]]
            case "text":
                deltas += [AssistantDelta(chunk) for chunk in part["chunks"]]
            case "tool":
                deltas += [ToolCallDelta(part["id"], part["name"], chunk) for chunk in part["chunks"]]
                calls.append(ToolCall(part["id"], part["name"], "".join(part["chunks"])))
    text = "".join(delta.text for delta in deltas if isinstance(delta, AssistantDelta))
    return Answer(turn(text, *calls, stop=_STOPS.get(step.get("finish"))), tuple(deltas))


def _file(recording: Any) -> FileState | None:
    """The file that a recording started from: its first step edits it, or its name says so."""
    first = recording["script"][0]["parts"][0]
    name = recording["scenario"]
    starts_with_edit = first.get("name") == "edit_file" and name not in {
        "edit_without_file",
        "parallel_edit_before_create",
    }
    return FileState("index.html", _FIRST_PAGE) if starts_with_edit or "initial_file" in name else None
