"""Recorded traffic of OpenAI and compatible servers through the wire: requests read and judged, answers parsed."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from harness.wire import Refusal, Sent, Stop, Thinking
from harness.wire.openai_chat import WIRE
from tests.wire.openai_chat.chat_corpus import Recorded, recorded, said
from tests.wire.openai_chat.chat_support import ROUTE

OTHER_LIMITS = (
    "deepseek-ai/DeepSeek-V4-Pro_thinking/GenStream-Tools-SquareRoot-2.yaml",
    "deepseek-ai/DeepSeek-V4-Pro_thinking/GenSync-Tools-SquareRoot-2.yaml",
    "test_openrouter/test_openrouter_google_nested_schema.yaml",
)
"""Accepted with ids longer than OpenAI's 40 characters: the servers behind them issued such ids themselves."""


def asked(exchange: Recorded) -> Any:
    assert exchange.request is not None
    return WIRE.read(ROUTE, exchange.request.encode())


def test_every_recorded_request_is_read(shared: Path) -> None:
    requests = [exchange for exchange in recorded(shared) if exchange.asks_for_chat]
    for exchange in requests:
        read, body = asked(exchange), json.loads(exchange.request or "")
        assert len(read.messages) == len(body["messages"])
        roles = Counter(message["role"].replace("developer", "system") for message in body["messages"])
        assert Counter(message.role for message in read.messages) == roles
        calls = sum(len(m.get("tool_calls") or ()) for m in body["messages"] if m["role"] == "assistant")
        assert sum(len(message.calls) for message in read.messages if message.role == "assistant") == calls
        assert read.stream == (body.get("stream") is True)
    assert len(requests) == 899


def test_what_was_accepted_breaks_no_certain_rule(shared: Path) -> None:
    judged = 0
    for exchange in recorded(shared):
        if not exchange.asks_for_chat or exchange.status != 200:
            continue
        judged += 1
        certain = [v.rule for v in WIRE.violations(asked(exchange), Sent()) if v.level == "C"]
        expected = ["OAC-07"] * len(certain) if exchange.file.endswith(OTHER_LIMITS) else []
        assert certain == expected, exchange.file
    assert judged == 761


@pytest.mark.parametrize(
    ("file", "count"), [("cassettes/chat-no-messages.yaml", 1), ("cassettes/test_custom_llm_within_crew.yaml", 3)]
)
def test_what_was_refused_is_refused_in_the_same_words(file: str, count: int, shared: Path) -> None:
    refused = [e for e in recorded(shared) if e.file.endswith(file) and e.status == 400]
    assert len(refused) == count
    for exchange in refused:
        first = WIRE.violations(asked(exchange), Sent())[0]
        error = json.loads(exchange.response or "")["error"]
        assert (first.message, first.param, first.code) == (error["message"], error["param"], error["code"])


def test_the_continuation_errors_of_other_servers_name_the_same_place(shared: Path) -> None:
    """OpenAI's texts for two of the errors that people quote, word for word but for the ids."""
    lines = (shared / "corpus/errors_quoted.jsonl").read_text(encoding="utf-8").splitlines()
    quoted = [json.loads(line) for line in lines]
    texts = [str(entry.get("body") or "") for entry in quoted if entry.get("provider") == "openai"]
    messages = [{"role": "user", "content": "U"}, {"role": "tool", "tool_call_id": "x", "content": "r"}]
    body = {"model": "m", "messages": messages}
    orphan = WIRE.violations(WIRE.read(ROUTE, json.dumps(body).encode()), Sent())[0]
    assert any(orphan.message in text for text in texts)
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    body["messages"] = [{"role": "assistant", "content": None, "tool_calls": [call]}]
    unanswered = WIRE.violations(WIRE.read(ROUTE, json.dumps(body).encode()), Sent())[0]
    assert any(unanswered.message.removesuffix("call_1") in text for text in texts)


def test_every_recorded_answer_is_parsed(shared: Path) -> None:
    answers = [exchange for exchange in recorded(shared) if exchange.is_answer]
    for exchange in answers:
        assert exchange.response is not None
        reply, expected = WIRE.parse("", exchange.response.encode()), said(exchange)
        turn = reply.turn
        assert turn.text == expected.text, exchange.file
        assert "".join(p.text for p in turn.parts if isinstance(p, Thinking)) == expected.thinking, exchange.file
        assert "".join(p.text for p in turn.parts if isinstance(p, Refusal)) == expected.refusal, exchange.file
        assert [[call.id, call.name, call.arguments] for call in turn.calls] == expected.calls, exchange.file
        assert (turn.usage.input, turn.usage.output) == expected.total_tokens, exchange.file
        assert reply.complete == (expected.finish_reason is not None and not expected.failed), exchange.file
        assert (turn.error is not None) == expected.failed, exchange.file
        assert (turn.stop is Stop.MAX_TOKENS) == (expected.finish_reason == "length"), exchange.file
    assert len(answers) == 764


def test_a_recorded_stream_reads_the_same_with_other_line_ends(shared: Path) -> None:
    streams = [e for e in recorded(shared) if e.is_answer and e.is_stream]
    for exchange in streams[::5]:
        body = (exchange.response or "").replace("\r\n", "\n")
        assert WIRE.parse("", body.replace("\n", "\r\n").encode()) == WIRE.parse("", body.encode())
    assert len(streams) > 300


def test_what_was_said_goes_back_without_a_violation(shared: Path) -> None:
    """A recorded assistant message, parsed and sent back with its results, keeps every rule but the length of ids."""
    continued = 0
    for exchange in recorded(shared):
        if not exchange.is_answer or exchange.response is None:
            continue
        reply = WIRE.parse("", exchange.response.encode())
        calls = reply.turn.calls
        if not calls or not all(call.id for call in calls):
            continue
        continued += 1
        results = [{"role": "tool", "tool_call_id": call.id, "content": "r"} for call in calls]
        body = {"model": "m", "messages": [{"role": "user", "content": "U"}, *reply.items, *results]}
        sent = Sent()
        sent.add(asked(exchange) if exchange.asks_for_chat else WIRE.read(ROUTE, b"{}"), reply)
        assert WIRE.violations(WIRE.read(ROUTE, json.dumps(body).encode()), sent) == [], exchange.file
    assert continued > 350


def test_requests_of_other_apis_hold_no_messages(shared: Path) -> None:
    others = [e for e in recorded(shared) if e.request and not e.asks_for_chat]
    assert [asked(exchange).messages for exchange in others] == [()] * 16
