"""Tools that the provider runs itself, and files that the model has made, in recorded answers of real servers.

The loop runs none of these calls, and sends every one of them back as it came. The recorded bytes are read here without
the harness's own readers.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from harness.cassette.forms import Response
from harness.cassette.recordings.recording import RecordedExchange
from harness.loop import ProviderTurn
from harness.wire.aws_events import AWS_EVENTS, as_server_events
from harness_lab.recorded.sessions.replay import Replay
from tests.recorded.corpus.shared_exchanges import all_exchanges

pytestmark = pytest.mark.anyio

_OF_THE_PROVIDER = {
    "openai-responses": (
        "code_interpreter_call",
        "file_search_call",
        "image_generation_call",
        "mcp_approval_request",
        "mcp_call",
        "mcp_list_tools",
        "web_search_call",
    ),
    "anthropic-messages": (
        "bash_code_execution_tool_result",
        "code_execution_tool_result",
        "mcp_tool_result",
        "mcp_tool_use",
        "server_tool_use",
        "text_editor_code_execution_tool_result",
        "web_fetch_tool_result",
        "web_search_tool_result",
    ),
    "gemini-generate": ("codeExecutionResult", "executableCode", "inlineData"),
}


def documents(exchange: RecordedExchange) -> Iterator[Any]:
    """The JSON values of an answer: the events of a stream, or the one document."""
    body = exchange.response or b""
    is_framed = AWS_EVENTS in exchange.headers.get("content-type", "")
    text = (as_server_events(body) if is_framed else body).decode("utf-8")
    if not exchange.streamed:
        yield json.loads(text)
        return
    for line in text.splitlines():
        if line.startswith("data:") and line.removeprefix("data:").strip().startswith("{"):
            yield json.loads(line.removeprefix("data:"))


def pieces(exchange: RecordedExchange) -> list[dict[str, Any]]:
    """The items, blocks or parts of an answer. What the last event says of all items counts more than each before."""
    found: list[dict[str, Any]] = []
    for document in documents(exchange):
        match exchange.wire, document:
            case "openai-responses", {"type": "response.completed", "response": {"output": [*items]}} if items:
                return items
            case "openai-responses", {"type": "response.output_item.done", "item": item}:
                found.append(item)
            case "openai-responses", {"output": [*items]}:
                found += items
            case "anthropic-messages", {"type": "content_block_start", "content_block": block}:
                found.append(block)
            case "anthropic-messages", {"type": "message", "content": [*blocks]}:
                found += blocks
            case "gemini-generate", {"candidates": [{"content": {"parts": [*parts]}}, *_]}:
                found += parts
    return found


def built_in(exchange: RecordedExchange) -> list[dict[str, Any]]:
    kinds = _OF_THE_PROVIDER.get(exchange.wire or "", ())
    found = [each for each in pieces(exchange) if each.get("type") in kinds or any(kind in each for kind in kinds)]
    return [each for each in found if not each.get("thought")]


@cache
def recorded(shared: Path) -> list[tuple[RecordedExchange, list[dict[str, Any]]]]:
    both = (*all_exchanges(shared), *all_exchanges(shared, "corpus2"))
    read = (
        (each, built_in(each))
        for each in both
        if each.wire in _OF_THE_PROVIDER and each.status == 200 and each.response
    )
    return [(exchange, found) for exchange, found in read if found]


async def turns(shared: Path) -> list[tuple[RecordedExchange, list[dict[str, Any]], ProviderTurn]]:
    replay = Replay()
    read = []
    try:
        for exchange, found in recorded(shared):
            assert exchange.wire
            assert exchange.response
            response = Response(exchange.wire, exchange.response, exchange.streamed, 200, exchange.headers)
            result = await replay.read(response)
            if result.turn is not None:  # others broke off: their loop goes no further
                read.append((exchange, found, result.turn))
    finally:
        await replay.close()
    return read


def gone_back(wire: str, turn: ProviderTurn) -> list[dict[str, Any]]:
    native = turn.assistant_turn
    sent: list[dict[str, Any]] = native["parts"] if wire == "gemini-generate" else native
    kinds = _OF_THE_PROVIDER[wire]
    return [each for each in sent if each.get("type") in kinds or any(kind in each for kind in kinds)]


def _address(piece: dict[str, Any]) -> Any:
    """By what a piece is known: its id, or that of the call whose result it is; Gemini's have none."""
    return piece.get("id") or piece.get("tool_use_id") or sorted(piece)[0]


async def test_calls_that_the_provider_runs_go_back_in_their_order_and_are_not_run_by_the_loop(shared: Path) -> None:
    read = await turns(shared)
    by_wire = {wire: [each for each in read if each[0].wire == wire] for wire in _OF_THE_PROVIDER}
    assert {wire: len(each) >= 10 for wire, each in by_wire.items()} == dict.fromkeys(_OF_THE_PROVIDER, True)
    for exchange, found, turn in read:
        place = f"{exchange.file} {exchange.index}"
        back = gone_back(exchange.wire or "", turn)
        assert [_address(each) for each in back] == [_address(each) for each in found], place
        theirs = {each.get("id") for each in found if each.get("id")}
        assert not theirs & {call.id for call in turn.tool_calls}, place


def image_of(text: str) -> bytes:
    """Who recorded an answer may have shortened the image in it: then there is none."""
    try:
        return base64.b64decode(text.replace("-", "+").replace("_", "/"), validate=True)
    except ValueError:
        return b""


async def test_images_that_the_model_has_made_are_files_of_the_turn(shared: Path) -> None:
    seen = 0
    for exchange, found, turn in await turns(shared):
        texts = [each["result"] for each in found if each.get("type") == "image_generation_call" and each.get("result")]
        texts += [each["inlineData"]["data"] for each in found if "inlineData" in each]
        made = [image for text in texts if (image := image_of(text))]
        assert [file.data for file in turn.files] == made, exchange.file
        assert all("/" in file.media_type for file in turn.files), exchange.file
        seen += len(made)
    assert seen >= 4
