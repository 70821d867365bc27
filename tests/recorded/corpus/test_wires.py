"""Every recorded response, parsed by its wire, says what it says by the independent reading."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from harness.cassette.recordings.as_sent import as_sent
from harness.wire import NativeWireName, Refusal, Reply, ThinkingPart, Usage, wire
from harness_lab.recorded.sessions import anthropic_messages, gemini_generate, openai_chat, openai_responses
from harness_lab.recorded.sessions.reader import read
from harness_lab.recorded.sessions.recorded_turn import BrokenResponse, RecordedTurn
from harness_lab.recorded.sessions.replay import Replay
from tests.recorded.corpus.shared_exchanges import answers

NO_USAGE = Usage(input=0, output=0)

pytestmark = pytest.mark.anyio

READ: dict[NativeWireName, dict[str, int]] = {
    "openai-responses": {"turn": 539, "broken": 1},
    "openai-chat": {"turn": 761, "broken": 10},
    "anthropic-messages": {"turn": 366},
    "gemini-generate": {"turn": 352, "broken": 3, "numeric enums": 7, "streamed arguments": 3},
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", READ)
async def test_every_recorded_response_is_parsed(name: NativeWireName, shared: Path) -> None:
    replay = Replay()
    found: Counter[str] = Counter()
    for exchange in answers(shared, name):
        for response in as_sent(exchange, name)[0]:
            recorded = await read(response, replay)
            reply = wire(name).parse("text/event-stream" if response.streamed else "application/json", response.body)
            if isinstance(recorded, RecordedTurn):
                assert parsed(reply) == stated(recorded, name), exchange.name
                assert reply.complete, exchange.name
                assert returned(reply) == recorded.returned, exchange.name
            elif isinstance(recorded, BrokenResponse):
                assert reply.turn.error or not reply.complete, exchange.name
            found[
                recorded if isinstance(recorded, str) else "turn" if isinstance(recorded, RecordedTurn) else "broken"
            ] += 1
    await replay.close()
    assert found == READ[name]


def returned(reply: Reply) -> object:
    """The native items of a reply, in the form of ``RecordedTurn.returned``."""
    items = list(reply.items)
    match reply.wire:
        case "openai-chat":
            return openai_chat.returned(items[0] if items else {})  # an empty turn
        case "gemini-generate":
            return gemini_generate.returned({"parts": items})
        case "openai-responses":
            return openai_responses.returned(items)
        case "anthropic-messages":
            return anthropic_messages.returned(items)


def parsed(reply: Reply) -> list[object]:
    turn = reply.turn
    thinking = "".join(part.text for part in turn.parts if isinstance(part, ThinkingPart))
    refusal = "".join(part.text for part in turn.parts if isinstance(part, Refusal))
    return [turn.text, thinking, refusal, [call.name for call in turn.calls], turn.stop, turn.usage]


def stated(recorded: RecordedTurn, name: NativeWireName) -> list[object]:
    # Anthropic explains a refusal beside the turn, where the wire has no part for it.
    refusal = "" if name == "anthropic-messages" else recorded.refusal
    return [
        recorded.text,
        recorded.thinking,
        refusal,
        [call.name for call in recorded.calls],
        recorded.stop,
        recorded.usage or NO_USAGE,
    ]
