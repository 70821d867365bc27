"""Loops among recorded exchanges, and the reasons for which one is not replayed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.cassette.recordings.foreign import read_foreign
from harness.errors import BadInput
from harness.imports import OBSTACLES, find_loops
from harness.wire import NATIVE_WIRES, NativeWireName
from tests.imports.exchanges import Exchange, loop, question, write_vcr
from tests.imports.replaying import replayed

HISTORY = {
    "openai-chat": "messages",
    "openai-responses": "input",
    "anthropic-messages": "messages",
    "gemini-generate": "contents",
}


@pytest.mark.anyio
@pytest.mark.parametrize("wire", NATIVE_WIRES)
async def test_a_whole_loop_replays(wire: NativeWireName, tmp_path: Path) -> None:
    write_vcr(tmp_path / "loop.yaml", *loop(wire))
    (outcome,), outside = await replayed(tmp_path)
    assert (outcome.verdict, outcome.explained, outcome.differences) == ("agrees", (), ())
    assert (outcome.happened.wire, len(outcome.happened.steps)) == (wire, 2)
    assert not any((outside.alone, outside.no_request, outside.unreadable, outside.refused))


@pytest.mark.anyio
@pytest.mark.parametrize("wire", NATIVE_WIRES)
async def test_interleaved_loops_are_told_apart(wire: NativeWireName, tmp_path: Path) -> None:
    one, other = loop(wire, "Paris or Rome?"), loop(wire, "Rome or Paris?")
    write_vcr(tmp_path / "both.yaml", one[0], other[0], question(wire), other[1], one[1])
    outcomes, outside = await replayed(tmp_path)
    assert [each.verdict for each in outcomes] == ["agrees", "agrees"]
    lines = [[step.exchange.index for step in each.happened.steps] for each in outcomes]
    first, second, _, third, fourth = [each.index for each in read_foreign(tmp_path).exchanges]
    assert sorted(lines) == [[first, fourth], [second, third]]
    assert outside.alone == {wire: 1}


@pytest.mark.anyio
async def test_the_same_question_asked_twice_is_two_loops(tmp_path: Path) -> None:
    first, last = loop("openai-chat")
    text = json.dumps([first.response, last.request]).replace("call_p", "call_x").replace("call_r", "call_y")
    response, request = json.loads(text)
    write_vcr(tmp_path / "twice.yaml", first, replace(first, response=response), last, replace(last, request=request))
    outcomes, _ = await replayed(tmp_path)
    assert [each.verdict for each in outcomes] == ["agrees", "agrees"]


def test_a_loop_may_be_spread_over_the_files_of_a_group(tmp_path: Path) -> None:
    first, last = loop("openai-chat")
    lines = [_line(f"part-{number}.yaml", each) for number, each in enumerate((last, first))]
    (tmp_path / "exchanges.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    (found,), _ = find_loops(read_foreign(tmp_path).exchanges)
    assert [step.exchange.file for step in found.steps] == ["part-1.yaml", "part-0.yaml"]


def _line(file: str, exchange: Exchange) -> dict[str, Any]:
    request, response = ({"text": json.dumps(each)} for each in (exchange.request, exchange.response))
    return {
        "file": file,
        "index": 0,
        "group": "one loop",
        "provider": "openai",
        "api": "openai-chat",
        "request": {"method": "POST", "url": exchange.url, "headers": {}, "body": request},
        "response": {"status": 200, "headers": {}, "body": response},
    }


# --- what is not replayed -------------------------------------------------------------------------------------


async def obstacle(tmp_path: Path, *exchanges: Exchange) -> str | None:
    write_vcr(tmp_path / "loop.yaml", *exchanges)
    (outcome,), _ = await replayed(tmp_path)
    assert outcome.verdict == "not compared"
    assert outcome.obstacle is not None
    assert outcome.obstacle.name in OBSTACLES
    assert outcome.at.startswith("loop.yaml#")
    return outcome.obstacle.name


@pytest.mark.anyio
@pytest.mark.parametrize("wire", NATIVE_WIRES)
async def test_a_history_that_goes_on_from_something_else_was_changed(wire: NativeWireName, tmp_path: Path) -> None:
    first, last = loop(wire)
    asked = loop(wire, "And in Oslo?")[0].request
    assert asked is not None

    def longer(request: dict[str, Any]) -> None:
        request[HISTORY[wire]].append(asked[HISTORY[wire]][-1])

    assert await obstacle(tmp_path, first.asking(longer), last) == "history changed"


@pytest.mark.anyio
@pytest.mark.parametrize("wire", NATIVE_WIRES)
async def test_a_loop_without_its_beginning(wire: NativeWireName, tmp_path: Path) -> None:
    assert await obstacle(tmp_path, loop(wire)[1]) == "beginning not recorded"


@pytest.mark.anyio
@pytest.mark.parametrize("wire", NATIVE_WIRES)
@pytest.mark.parametrize(("old", "new"), [("Paris", "Oslo"), ("get_weather", "get_news")])
async def test_a_turn_that_was_edited(wire: NativeWireName, old: str, new: str, tmp_path: Path) -> None:
    first, last = loop(wire, "Which city?")
    assert last.request is not None
    request = json.loads(json.dumps(last.request).replace(old, new))
    edited = replace(last, request={**request, "tools": last.request["tools"]})
    assert await obstacle(tmp_path, first, edited) == "turn edited"


@pytest.mark.anyio
@pytest.mark.parametrize("wire", NATIVE_WIRES)
async def test_a_call_without_its_result(wire: NativeWireName, tmp_path: Path) -> None:
    def without(request: dict[str, Any]) -> None:
        history = request[HISTORY[wire]]
        results = history[-1].get("content" if wire == "anthropic-messages" else "parts")
        (results if isinstance(results, list) else history).pop()

    first, last = loop(wire)
    assert await obstacle(tmp_path, first, last.asking(without)) == "results missing"


@pytest.mark.anyio
async def test_a_response_that_was_cut(tmp_path: Path) -> None:
    first, last = loop("openai-chat")
    delta = {"index": 0, "delta": {"role": "assistant", "content": "Let me"}, "finish_reason": None}
    chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "gpt-4.1", "choices": [delta]}
    assert first.request is not None
    cut = replace(first, request={**first.request, "stream": True}, response=f"data: {json.dumps(chunk)}\n\n")
    assert await obstacle(tmp_path, cut, last) == "cut response"


@pytest.mark.anyio
async def test_a_continuation_that_was_refused(tmp_path: Path) -> None:
    first, last = loop("anthropic-messages")
    error = {"type": "error", "error": {"type": "invalid_request_error", "message": "no"}}
    assert await obstacle(tmp_path, first, replace(last, response=error, status=400)) == "error response"


@pytest.mark.anyio
@pytest.mark.parametrize("named", [True, False])
async def test_an_approval_of_a_tool_that_the_provider_runs(named: bool, tmp_path: Path) -> None:
    request = {"type": "mcp_approval_request", "id": "mcpr_1", "name": "search", "arguments": "{}", "server_label": "s"}
    approval = {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True}
    first, last = loop("openai-responses")
    assert isinstance(first.response, dict)
    assert first.request is not None
    assert last.request is not None
    asked = {**last.request, "input": [*first.request["input"], request, approval]}
    if named:
        asked |= {"input": [approval], "previous_response_id": first.response["id"]}
    first = replace(first, response={**first.response, "output": [request]})
    assert await obstacle(tmp_path, first, replace(last, request=asked)) == "results of the server"


@pytest.mark.anyio
async def test_a_result_with_an_image(tmp_path: Path) -> None:
    def drawn(request: dict[str, Any]) -> None:
        source = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
        request["messages"][-1]["content"][0]["content"] = [{"type": "image", "source": source}]

    first, last = loop("anthropic-messages")
    assert await obstacle(tmp_path, first, last.asking(drawn)) == "results without words"


@pytest.mark.anyio
async def test_a_turn_that_only_the_provider_has(tmp_path: Path) -> None:
    def named(request: dict[str, Any]) -> None:
        request["previous_response_id"] = "resp_of_yesterday"

    assert await obstacle(tmp_path, loop("openai-responses")[1].asking(named)) == "named turn not recorded"


@pytest.mark.anyio
async def test_a_turn_between_two_recorded_ones(tmp_path: Path) -> None:
    def again(request: dict[str, Any]) -> None:
        request["messages"] += [
            {"role": "assistant", "content": "Rome."},
            {"role": "user", "content": "And then?"},
            {"role": "assistant", "content": "Oslo."},
            {"role": "user", "content": "And then?"},
        ]

    first, last = loop("openai-chat")
    assert await obstacle(tmp_path, first, last.asking(again)) in ("turn not recorded", "turn edited")


@pytest.mark.anyio
async def test_a_response_without_a_request_is_in_no_loop(tmp_path: Path) -> None:
    first, last = loop("gemini-generate")
    write_vcr(tmp_path / "loop.yaml", replace(first, request=None), last)
    (outcome,), outside = await replayed(tmp_path)
    assert outcome.obstacle is not None
    assert outcome.obstacle.name == "beginning not recorded"
    assert outside.no_request == {"gemini-generate": 1}


# --- folders --------------------------------------------------------------------------------------------------


def test_single_responses_are_read_and_other_files_are_told(tmp_path: Path) -> None:
    write_vcr(tmp_path / "deep" / "loop.yml", *loop("openai-chat"))
    opening = {"type": "message_start", "message": {"type": "message", "role": "assistant", "content": []}}
    stream = f"event: message_start\ndata: {json.dumps(opening)}\n\n"
    (tmp_path / "one.sse").write_text(stream, encoding="utf-8")
    (tmp_path / "two.json").write_text(json.dumps(loop("openai-chat")[0].response), encoding="utf-8")
    (tmp_path / "notes.txt").write_text("nothing recorded", encoding="utf-8")
    recordings = read_foreign(tmp_path)
    assert [each.file for each in recordings.exchanges] == ["deep/loop.yml", "deep/loop.yml", "one.sse", "two.json"]
    assert [each.api for each in recordings.exchanges][2:] == ["anthropic-messages", "openai-chat"]
    assert len(recordings.unread) == 1
    assert "notes.txt" in recordings.unread[0]


@pytest.mark.parametrize("made", [True, False])
def test_a_folder_without_recordings_is_bad_input(made: bool, tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    if made:
        folder.mkdir()
    with pytest.raises(BadInput, match=r"contains no recording|does not exist"):
        read_foreign(folder)
