"""Recorded traffic of OpenAI and compatible servers: requests read and judged, answers that go back.

``tests/recorded/corpus`` reads the answers themselves.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from harness.cassette.recordings.recording import RecordedExchange
from harness.wire import IssuedState
from harness.wire.openai_chat import WIRE
from tests.recorded.corpus.shared_exchanges import answers, exchanges
from tests.wire.openai_chat.chat_support import ROUTE

LIKELY = Counter({"OAC-MODEL": 4})
"""What was accepted against rules that are only likely: llama.cpp serves one model and needs no name."""

INFERRED = Counter({"OAC-02": 13, "OAC-07": 7})
"""... and against rules that are inferred: a deployment at Azure has a name of its own, and ids that a recorder has
replaced, of a model of Mistral's that somebody else serves (counted by request)."""

REPLACED = ("normalised", "OAC-07")
"""Where a recorder has replaced ids, those of Mistral's own server are not as it takes them."""

REFUSED = {
    "OAC-01": 1,
    "OAC-02": 3,
    "OAC-10b": 3,
    "OAC-13": 2,
    "OAC-16": 1,
    "OAC-NUMBER": 1,
    "OAC-PARAM": 2,
    "OAC-PART": 3,
}
"""How many requests OpenAI's own server refused under each rule."""

UNKNOWABLE = ("Error while downloading", "The API deployment for this resource does not exist")
"""What the server refused for reasons that no request shows."""

ELSEWHERE = {
    "Thinking mode does not support this tool_choice": "OAC-FORCED",
    "<400> InternalError.Algo.InvalidParameter: The tool_choice parameter": "OAC-FORCED",
    "The model `": "OAC-02",
}
"""What other makers' servers refused in words that the table has."""


def recorded(shared: Path) -> list[RecordedExchange]:
    """The exchanges whose request was kept."""
    return [exchange for exchange in exchanges(shared, "openai-chat") if exchange.request is not None]


def asked(exchange: RecordedExchange) -> Any:
    return WIRE.read(ROUTE, exchange.request or b"{}")


def test_every_recorded_request_is_read(shared: Path) -> None:
    requests = recorded(shared)
    for exchange in requests:
        read, body = asked(exchange), json.loads(exchange.request or b"")
        assert len(read.messages) == len(body["messages"])
        roles = Counter(message["role"].replace("developer", "system") for message in body["messages"])
        assert Counter(message.role for message in read.messages) == roles
        calls = sum(len(m.get("tool_calls") or ()) for m in body["messages"] if m["role"] == "assistant")
        assert sum(len(message.calls) for message in read.messages if message.role == "assistant") == calls
        assert read.stream == (body.get("stream") is True)
    assert len(requests) == 906


def test_what_was_accepted_breaks_no_certain_rule(shared: Path) -> None:
    broken: dict[str, Counter[str]] = {level: Counter() for level in ("MUST", "SHOULD", "INFO")}
    accepted = [exchange for exchange in recorded(shared) if exchange.status == 200]
    for exchange in accepted:
        found = {(v.level, v.id) for v in WIRE.violations(asked(exchange), IssuedState())}
        found -= {("MUST", rule) for fidelity, rule in [REPLACED] if exchange.fidelity == fidelity}
        assert "MUST" not in dict(found), exchange.file
        for level, rule in found:
            broken[level][rule] += 1
    assert (broken["MUST"], broken["SHOULD"], broken["INFO"]) == (Counter(), LIKELY, INFERRED)
    assert len(accepted) == 768


def refusals(shared: Path) -> list[tuple[RecordedExchange, dict[str, Any]]]:
    """Requests that were refused for what they said, with the error."""
    refused = []
    for exchange in recorded(shared):
        if exchange.status in (400, 404):
            body = json.loads(exchange.response or b"{}")
            error = body.get("error") if isinstance(body, dict) else None
            if isinstance(error, dict):
                refused.append((exchange, error))
    return refused


def test_what_openai_refused_is_refused_in_the_same_words(shared: Path) -> None:
    found: Counter[str] = Counter()
    for exchange, error in refusals(shared):
        if not exchange.file.startswith("openai/") or error["message"].startswith(UNKNOWABLE):
            continue
        first = WIRE.violations(asked(exchange), IssuedState())[0]
        assert (first.answered.message, first.answered.param, first.answered.code) == (
            error["message"],
            error["param"],
            error["code"],
        )
        assert first.answered.status == exchange.status
        found[first.id] += 1
    assert found == REFUSED


def test_what_other_makers_refused_is_refused_by_the_same_rule(shared: Path) -> None:
    found: Counter[str] = Counter()
    for exchange, error in refusals(shared):
        rule = next((rule for start, rule in ELSEWHERE.items() if str(error.get("message")).startswith(start)), None)
        if rule is None or exchange.file.startswith("openai/") or "/" in asked(exchange).model:
            continue
        first = WIRE.violations(asked(exchange), IssuedState())[0]
        assert (first.id, first.answered.message, first.answered.status) == (rule, error["message"], exchange.status)
        found[rule] += 1
    assert found == {"OAC-FORCED": 7, "OAC-02": 7}


def test_a_recorded_stream_reads_the_same_with_other_line_ends(shared: Path) -> None:
    streams = [exchange for exchange in answers(shared, "openai-chat") if exchange.streamed]
    for exchange in streams[::5]:
        body = (exchange.response or b"").replace(b"\r\n", b"\n")
        assert WIRE.parse("", body.replace(b"\n", b"\r\n")) == WIRE.parse("", body)
    assert len(streams) > 300


def test_what_was_said_goes_back_without_a_violation(shared: Path) -> None:
    """A recorded assistant message, parsed and sent back with its results, keeps every rule but the length of ids."""
    continued = 0
    for exchange in answers(shared, "openai-chat"):
        reply = WIRE.parse("", exchange.response or b"")
        calls = reply.turn.calls
        if not calls or not all(call.id for call in calls):
            continue
        continued += 1
        results = [{"role": "tool", "tool_call_id": call.id, "content": "r"} for call in calls]
        sent, conversation = IssuedState(), asked(exchange)
        sent.add(conversation, reply)
        model = conversation.model or "gpt-4o"
        body = {"model": model, "messages": [{"role": "user", "content": "U"}, *reply.items, *results]}
        assert WIRE.violations(WIRE.read(ROUTE, json.dumps(body).encode()), sent) == [], exchange.file
    assert continued > 350
