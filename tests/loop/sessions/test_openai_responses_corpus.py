"""The Responses session on the examples and on recorded traffic, against independent readings of the same bytes."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import openai
import pytest
from openai.types.responses import Response

from harness.loop.session import ProviderTurn, StreamFailed
from harness.loop.sessions.openai_responses import TurnReader, read_response
from harness.wire import Stop
from tests.loop.sessions.openai_responses_endpoint import Told, one_turn
from tests.wire.openai_responses.corpus import Recorded, good
from tests.wire.openai_responses.speak import Answering, client, cut


def terminal(body: bytes) -> dict[str, Any]:
    """The first terminal response object of a stream, with the items of ``output_item.done`` where it lists none."""
    done = []
    for line in body.decode().replace("\r\n", "\n").split("\n"):
        if not line.startswith("data:") or "[DONE]" in line:
            continue
        event = json.loads(line[5:])
        if event.get("type") == "response.output_item.done":
            done.append((event["output_index"], event["item"]))
        if event.get("type") in ("response.completed", "response.incomplete"):
            response: dict[str, Any] = event["response"]
            items = [item for _, item in sorted(done, key=lambda entry: int(entry[0]))]
            return {**response, "output": response["output"] or items}
        if event.get("type") in ("error", "response.failed"):
            break
    return {}


def agree(response: dict[str, Any], turn: ProviderTurn) -> None:
    """``turn`` says what the raw response object says."""
    output = response["output"]
    content = [part for item in output if item["type"] == "message" for part in item["content"]]
    assert turn.assistant_text == "".join(part["text"] for part in content if part["type"] == "output_text")
    assert turn.refusal == "".join(part["refusal"] for part in content if part["type"] == "refusal")
    assert [(call.id, call.name, call.arguments) for call in turn.tool_calls] == [
        (item["call_id"], item["name"], item.get("arguments", item.get("input")))
        for item in output
        if item["type"] in ("function_call", "custom_tool_call")
    ]
    assert turn.thinking_text == "".join(
        "\n\n".join(part["text"] for part in item["summary"] or item.get("content") or ())
        for item in output
        if item["type"] == "reasoning"
    )
    assert [_comparable(item) for item in turn.assistant_turn] == [_comparable(item) for item in output]
    usage = response.get("usage") or {}
    assert (turn.usage.input, turn.usage.output) == (usage.get("input_tokens", 0), usage.get("output_tokens", 0))
    assert (turn.stop is Stop.MAX_TOKENS) == ((response.get("incomplete_details") or {}).get("reason") is not None)


# Opaque proofs differ between the events of one response; redacted recordings also number ids anew.
_OPAQUE = ("encrypted_content", "fingerprint", "id")


def _comparable(item: dict[str, Any]) -> dict[str, Any]:
    dropped = (*_OPAQUE, "status", "content") if item["type"] == "reasoning" else _OPAQUE
    return {name: value for name, value in item.items() if name not in dropped}


def told_deltas(body: bytes, kind: str) -> str:
    """The raw deltas of one kind in the first response of a stream, joined."""
    found = []
    for line in body.decode().replace("\r\n", "\n").split("\n"):
        if line.startswith("data:") and kind in line and json.loads(line[5:])["type"] == kind:
            found.append(json.loads(line[5:])["delta"])
        if '"response.completed"' in line or '"response.incomplete"' in line:
            break
    return "".join(found)


@pytest.mark.anyio
async def test_the_examples_are_read(shared: Path) -> None:
    found = sorted((shared / "wire" / "examples").glob("oai-responses-*.sse"))
    outcomes = Counter[str]()
    for path in found:
        body = path.read_bytes()
        final = terminal(body)
        try:
            turn, told = await one_turn(Answering(cut(body, 61)))
        except StreamFailed:
            assert not final, path.name
            outcomes["failed"] += 1
            continue
        if turn.stop is not Stop.CONTENT_FILTER:
            agree(final, turn)
        assert (told.text, told.thinking) == (turn.assistant_text, turn.thinking_text)
        outcomes["read"] += 1
    assert outcomes == {"read": 10, "failed": 4}


async def recorded_turn(exchange: Recorded, pieces: list[bytes]) -> tuple[ProviderTurn, Told]:
    content_type = "text/event-stream" if exchange.streamed else "application/json"
    async with client(Answering(pieces, content_type=content_type)) as sdk:
        told = Told()
        reader = TurnReader()
        answer = await sdk.responses.create(model="m", input="x", stream=exchange.streamed)
        if isinstance(answer, Response):
            for delta in reader.feed_whole(answer):
                await told(delta)
            assert read_response(answer) == reader.finish()
        else:
            async for event in answer:
                for delta in reader.feed(event):
                    await told(delta)
        return reader.finish(), told


@pytest.mark.anyio
async def test_recorded_responses_agree_with_the_raw_final_object(shared: Path) -> None:
    counts = Counter[str]()
    for number, exchange in enumerate(good(shared)):
        final = terminal(exchange.body) if exchange.streamed else json.loads(exchange.body)
        pieces = cut(exchange.body, 7) if number % 10 == 0 else [exchange.body]
        try:
            turn, told = await recorded_turn(exchange, pieces)
        except openai.APIError as error:
            assert not final, exchange.name
            counts[f"failed: {error.code}"] += 1
            continue
        agree(final, turn)
        counts["streamed" if exchange.streamed else "whole"] += 1
        if told.text != turn.assistant_text or told.thinking != turn.thinking_text:
            # The recorded deltas themselves say something else than the recorded end: each is told as it came.
            assert told.text == told_deltas(exchange.body, "response.output_text.delta")
            assert told.thinking.startswith(told_deltas(exchange.body, "response.reasoning_summary_text.delta"))
            counts["deltas differ from the end"] += 1
    assert counts["streamed"] >= 220
    assert counts["whole"] >= 300
    assert counts["failed: insufficient_quota"] == 1
    assert counts["deltas differ from the end"] == 2


@pytest.mark.anyio
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
async def test_the_sdk_helper_agrees_on_recorded_streams(shared: Path) -> None:
    """The SDK's own accumulator is stricter than its raw stream; where it gives a response, it says the same."""
    agreed, refused = 0, []
    for exchange in good(shared):
        if not exchange.streamed:
            continue
        try:
            async with client(Answering([exchange.body])) as sdk, sdk.responses.stream(model="m", input="x") as stream:
                final = await stream.get_final_response()
        except (openai.APIError, RuntimeError, IndexError) as error:
            refused.append(f"{exchange.name}: {error}")
            continue
        turn, _ = await recorded_turn(exchange, [exchange.body])
        if final.output:  # one backend lists no output at the end, and then the helper has none
            assert turn.assistant_text == final.output_text
            calls = [item for item in final.output if item.type in ("function_call", "custom_tool_call")]
            assert [call.id for call in turn.tool_calls] == [call.call_id for call in calls]
            agreed += 1
    assert agreed >= 190, agreed
    assert len(refused) < 25, refused
