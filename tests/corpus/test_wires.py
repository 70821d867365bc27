"""Every recorded response, parsed by its wire, says what it says by the independent reading."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from harness.wire import NativeWireName, Refusal, Reply, Thinking, Usage, wire
from harness_lab.corpus import anthropic_messages, gemini_generate, openai_chat, openai_responses
from harness_lab.corpus.as_sent import as_sent
from harness_lab.corpus.reading import read
from harness_lab.corpus.replay import Replay
from harness_lab.corpus.said import Broken, Said
from tests.corpus.shared_exchanges import answers

NO_USAGE = Usage(input=0, output=0)

pytestmark = pytest.mark.anyio

READ: dict[NativeWireName, dict[str, int]] = {
    "openai-responses": {"said": 539, "broken": 1},
    "openai-chat": {"said": 760, "broken": 11},
    "anthropic-messages": {"said": 366},
    "gemini-generate": {"said": 352, "broken": 3, "numeric enums": 7, "streamed arguments": 3},
}


@pytest.mark.parametrize("name", READ)
async def test_every_recorded_response_is_parsed(name: NativeWireName, shared: Path) -> None:
    replay = Replay()
    found: Counter[str] = Counter()
    for exchange in answers(shared, name):
        for response in as_sent(exchange, name)[0]:
            said = await read(response, replay)
            reply = wire(name).parse("text/event-stream" if response.streamed else "application/json", response.body)
            if isinstance(said, Said):
                assert parsed(reply) == stated(said, name), exchange.name
                assert reply.complete, exchange.name
                assert returned(reply) == said.returned, exchange.name
            elif isinstance(said, Broken):
                assert reply.turn.error or not reply.complete, exchange.name
            found[said if isinstance(said, str) else type(said).__name__.lower()] += 1
    await replay.close()
    assert found == READ[name]


def returned(reply: Reply) -> object:
    """The native items of a reply, in the form of ``Said.returned``."""
    items = list(reply.items)
    match reply.wire:
        case "openai-chat":
            return openai_chat.returned(items[0] if items else {})  # nothing was said
        case "gemini-generate":
            return gemini_generate.returned({"parts": items})
        case "openai-responses":
            return openai_responses.returned(items)
        case "anthropic-messages":
            return anthropic_messages.returned(items)


def parsed(reply: Reply) -> list[object]:
    turn = reply.turn
    thinking = "".join(part.text for part in turn.parts if isinstance(part, Thinking))
    refusal = "".join(part.text for part in turn.parts if isinstance(part, Refusal))
    return [turn.text, thinking, refusal, [call.name for call in turn.calls], turn.stop, turn.usage]


def stated(said: Said, name: NativeWireName) -> list[object]:
    # Anthropic explains a refusal beside the turn, where the wire has no part for it.
    refusal = "" if name == "anthropic-messages" else said.refusal
    return [said.text, said.thinking, refusal, [call.name for call in said.calls], said.stop, said.usage or NO_USAGE]
