"""Recorded traffic of OpenAI and compatible servers: requests read and judged, answers that go back.

``tests/corpus`` reads the answers themselves.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from harness.corpus import Recorded
from harness.wire import Sent
from harness.wire.openai_chat import WIRE
from tests.corpus.shared_exchanges import answers, exchanges
from tests.wire.openai_chat.chat_support import ROUTE

OTHER_SERVERS = {
    "deepseek-ai/DeepSeek-V4-Pro_thinking/GenStream-Tools-SquareRoot-2.yaml": "OAC-07",
    "deepseek-ai/DeepSeek-V4-Pro_thinking/GenSync-Tools-SquareRoot-2.yaml": "OAC-07",
    "test_openrouter/test_openrouter_google_nested_schema.yaml": "OAC-07",
    "test_mistral/test_mistral_model_thinking_part.yaml": "OAC-08",
}
"""What other servers accept: ids longer than OpenAI's 40 characters that they issued themselves, and at Mistral a
message with an empty list of calls."""


def recorded(shared: Path) -> list[Recorded]:
    """The exchanges whose request was kept."""
    return [exchange for exchange in exchanges(shared, "openai-chat") if exchange.request is not None]


def asked(exchange: Recorded) -> Any:
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
    judged, found = 0, []
    for exchange in recorded(shared):
        if exchange.status != 200:
            continue
        judged += 1
        certain = [v.rule for v in WIRE.violations(asked(exchange), Sent()) if v.level == "C"]
        known = [rule for end, rule in OTHER_SERVERS.items() if exchange.file.endswith(end)]
        assert set(certain) <= set(known), exchange.file
        found += known if certain else []
    assert set(found) == {"OAC-07", "OAC-08"}
    assert judged == 768


@pytest.mark.parametrize(
    ("file", "count"), [("cassettes/chat-no-messages.yaml", 1), ("cassettes/test_custom_llm_within_crew.yaml", 3)]
)
def test_what_was_refused_is_refused_in_the_same_words(file: str, count: int, shared: Path) -> None:
    refused = [e for e in recorded(shared) if e.file.endswith(file) and e.status == 400]
    assert len(refused) == count
    for exchange in refused:
        first = WIRE.violations(asked(exchange), Sent())[0]
        error = json.loads(exchange.response or b"")["error"]
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
        body = {"model": "m", "messages": [{"role": "user", "content": "U"}, *reply.items, *results]}
        sent = Sent()
        sent.add(asked(exchange), reply)
        assert WIRE.violations(WIRE.read(ROUTE, json.dumps(body).encode()), sent) == [], exchange.file
    assert continued > 350
