"""Recorded responses through the session and the real SDK, against the raw JSON."""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from google import genai

from harness.loop.session import Delta, ProviderTurn, SessionConfig, TurnFailed
from harness.loop.sessions.gemini_generate import GeminiGenerateSession, open_client
from tests.wire.gemini_generate.corpus import Recorded, chunks, recorded, said
from tests.wire.gemini_generate.sdk import Endpoint, cut, stream

pytestmark = pytest.mark.anyio

RULED_OUT = {
    "numeric finish reason": "dumps of SDK objects have protobuf numbers, which the SDK cannot read back",
    "array": "a stream without alt=sse, which the SDK never asks for",
    "partial arguments": "streamed arguments (Vertex only), which the session never asks for",
    "failed": "the recorded turn is itself a failure: a malformed call, or no end at all",
}


@pytest.fixture(scope="module")
def endpoint() -> Endpoint:
    return Endpoint()


@pytest.fixture(scope="module")
async def client(endpoint: Endpoint) -> AsyncIterator[genai.Client]:
    async with httpx2.AsyncClient(transport=endpoint) as http:
        yield open_client(http)


def ruled_out(one: Recorded) -> str:
    """Why the session is not expected to give this turn; empty when it is."""
    objects = chunks(one)
    total = said(objects)
    if isinstance(total["finish"], int):
        return "numeric finish reason"
    if not one.streamed and one.response.lstrip().startswith(b"["):
        return "array"
    if b"partialArgs" in one.response or b"willContinue" in one.response:
        return "partial arguments"
    ended = total["finish"] not in (None, "MALFORMED_FUNCTION_CALL", "OTHER")
    if total["finish"] == "UNEXPECTED_TOOL_CALL" and not total["calls"]:
        ended = False
    return "" if ended or total["blocked"] else "failed"


async def turn_of(one: Recorded, client: genai.Client, endpoint: Endpoint, size: int) -> ProviderTurn:
    endpoint.answer = lambda _: stream(cut(one.response, size), content_type=one.content_type)
    config = SessionConfig("gemini", [("user", "hi")], [], "http://gem", stream=one.streamed)

    async def on_event(delta: Delta) -> None:
        pass

    return await GeminiGenerateSession(config, client).stream_turn(on_event)


def agrees(turn: ProviderTurn, wanted: dict[str, Any]) -> bool:
    kept = turn.assistant_turn["parts"]
    return (
        turn.assistant_text == wanted["text"]
        and turn.thinking_text == wanted["thoughts"]
        and [(call.name, json.loads(call.arguments)) for call in turn.tool_calls]
        == [(name, arguments) for name, arguments, _ in wanted["calls"]]
        and [call.id for call in turn.tool_calls if call.id in {given for *_, given in wanted["calls"]}]
        == [given for *_, given in wanted["calls"] if given]
        and [decoded(part["thoughtSignature"]) for part in kept if "thoughtSignature" in part]
        == [decoded(signature) for signature in wanted["signatures"]]
    )


def decoded(signature: str) -> bytes:
    return base64.b64decode(signature.replace("-", "+").replace("_", "/") + "==")


@pytest.mark.parametrize(
    ("size", "every", "counts"),
    [
        (1 << 20, 1, {"agreed": 336, "array": 9, "numeric finish reason": 7, "partial arguments": 3, "failed": 3}),
        (7, 12, {"agreed": 29, "array": 1}),
    ],
    ids=["whole", "sample in 7-byte chunks"],
)
async def test_every_recorded_turn_agrees(
    size: int, every: int, counts: dict[str, int], client: genai.Client, endpoint: Endpoint, shared: Path
) -> None:
    """What the session does not read must be ruled out, with its reason."""
    tally: Counter[str] = Counter()
    for one in [one for one in recorded(shared) if one.status == 200][::every]:
        reason = ruled_out(one)
        try:
            turn = await turn_of(one, client, endpoint, size)
        except TurnFailed as failure:
            if reason not in RULED_OUT:
                pytest.fail(f"{one.name}: {failure}")
            tally[reason] += 1
            continue
        assert not reason, f"{one.name}: {reason}, and yet it was read"
        assert agrees(turn, said(chunks(one))), one.name
        tally["agreed"] += 1
    assert tally == counts
