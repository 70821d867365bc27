"""Models that were recorded without any setting about reasoning: ours reasons where theirs did.

Most of what the tables say of these models comes from the same recordings, so the figure is in sample: it shows that
the tables say what was recorded, and that nothing was left out.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from harness.cassette.recordings.recording import RecordedExchange
from harness.wire import Conversation, NativeWireName, Reply, ThinkingPart, UnreadableRequest, route_of, wire
from tests.conftest import SHARED
from tests.recorded.corpus.shared_exchanges import all_exchanges

pytestmark = [
    pytest.mark.skipif(not (SHARED / "corpus2").is_dir(), reason="the recordings are not in the repository"),
    pytest.mark.slow,
]

SETTINGS = (
    "reasoning",
    "reasoning_effort",
    "thinking",
    "enable_thinking",
    "include_reasoning",
    "chat_template_kwargs",
    "additionalModelRequestFields",
)
NOT_AS_RECORDED = {
    "claude-fable-5": "always on by the documentation; the model decides when to think, and six times it did not",
    "claude-opus-5": "on by default by the documentation; three recordings without",
    "claude-opus-5-5": "always on by the documentation; one recording without",
    "gpt-5.6": "one recording, with 32 reasoning tokens and no item",
    "gpt-5.6-luna": "two easy requests; at Bedrock it reasons in three of seven",
    "magistral-medium-latest": "sends its thinking as parts of the content, which the endpoint does not write",
    "Qwen3-0.6B": "six recordings of one server, which was started so that it shows no thinking",
}
"""Models of which the documentation or the form decides."""


def is_silent(body: dict[str, Any]) -> bool:
    """Whether a request sets nothing about reasoning."""
    config = body.get("generationConfig") or body.get("generation_config") or {}
    return not any(body.get(name) for name in SETTINGS) and not any("think" in name.lower() for name in config)


def silent() -> Iterator[tuple[RecordedExchange, Conversation, Reply]]:
    """Answers to requests that set nothing, with both sides read."""
    for exchange in (each for corpus in ("corpus", "corpus2") for each in all_exchanges(SHARED, corpus)):
        route = route_of(exchange.method, exchange.url) if exchange.url else None
        if route is None or route.aside or exchange.status != 200 or not exchange.request or not exchange.response:
            continue
        spoken = wire(route.wire)
        try:
            asked = spoken.read(route, exchange.request)
            reply = spoken.parse(exchange.headers.get("content-type", "application/json"), exchange.response)
        except (UnreadableRequest, ValueError):  # what another server has made of the wire
            continue
        if reply.items and is_silent(json.loads(exchange.request)):
            yield exchange, asked, reply


def has_thought(reply: Reply) -> bool:
    return any(isinstance(part, ThinkingPart) or getattr(part, "signature", "") for part in reply.turn.parts)


def test_a_model_reasons_where_it_was_recorded_to(record_property: Callable[[str, object], None]) -> None:
    recorded: defaultdict[tuple[NativeWireName, str], set[bool]] = defaultdict(set)
    ours: dict[tuple[NativeWireName, str], bool] = {}
    for _, asked, reply in silent():
        model = asked.wire, asked.model.rpartition("/")[2]
        recorded[model].add(has_thought(reply))
        ours[model] = ours.get(model, False) or wire(asked.wire).thinks(asked, "so") is not None
    wrong = {model: ours[model] for model, thought in recorded.items() if ours[model] != any(thought)}
    record_property("models as recorded, in sample", f"{len(recorded) - len(wrong)} of {len(recorded)}")
    assert {name for _, name in wrong} == set(NOT_AS_RECORDED), wrong
    assert len(recorded) > 150
    assert sum(any(thought) for thought in recorded.values()) > 30
