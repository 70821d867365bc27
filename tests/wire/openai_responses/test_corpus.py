"""Recorded traffic: accepted requests break no certain rule, refused ones the right one, in the provider's words.

``tests/recorded/corpus`` reads the responses.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from harness.cassette.recordings.recording import RecordedExchange
from harness.finding import Finding
from harness.wire import Conversation, IssuedState
from harness.wire.openai_responses import WIRE
from tests.recorded.corpus.shared_exchanges import exchanges
from tests.wire.openai_responses.speak import ROUTE

BEYOND_A_REQUEST = (
    "Incorrect API key provided",
    "Could not parse your authentication token",
    "You exceeded your current quota",
    "Model not found: grok",
)
"""Refusals that no request shows: keys, quotas, and a server of another maker that has models of its own."""

PLACEHOLDER = "handles_context_length_exceeded_errors"
"""A recording in which the text that was too long was cut out afterwards."""


@dataclass(frozen=True)
class Judged:
    exchange: RecordedExchange
    violations: list[Finding]
    alone: list[Finding]
    """What is found without knowing what the server had sent before."""


@pytest.fixture(scope="module")
def judged(shared: Path) -> list[Judged]:
    return list(replayed(shared))


def replayed(shared: Path) -> Iterator[Judged]:
    """Each request with what the recorded server had sent before in the same file."""
    in_order = sorted(exchanges(shared, "openai-responses"), key=lambda exchange: (exchange.file, exchange.index))
    for _, file in groupby(in_order, key=lambda exchange: exchange.file):
        sent = IssuedState()
        for exchange in file:
            if exchange.request is None:
                continue
            conversation = WIRE.read(ROUTE, exchange.request)
            yield Judged(exchange, judge(conversation, sent), judge(conversation, IssuedState()))
            if exchange.status == 200:
                content_type = "text/event-stream" if exchange.streamed else "application/json"
                resolved = WIRE.resolve(conversation, sent)
                sent.add(resolved, WIRE.parse(content_type, exchange.response or b""))


def judge(conversation: Conversation, sent: IssuedState) -> list[Finding]:
    return WIRE.violations(WIRE.resolve(conversation, sent), sent)


def test_requests_that_were_accepted_break_no_certain_and_no_likely_rule(judged: list[Judged]) -> None:
    accepted = [each for each in judged if each.exchange.status == 200]
    assert len(accepted) >= 480
    found = Counter(
        (violation.id, violation.level)
        for each in accepted
        for violation in (*each.violations, *each.alone)
        if violation.level != "INFO" and "REDACTED" not in violation.got
    )
    assert found == {}


def test_what_accepted_requests_break_is_inferred_for_a_reason(judged: list[Judged]) -> None:
    accepted = [each for each in judged if each.exchange.status == 200]
    inferred = Counter(violation.id for each in accepted for violation in each.violations if violation.level == "INFO")
    # OAI-28 counts most where a recorder put several conversations into one file.
    assert set(inferred) == {"OAI-02", "OAI-14", "OAI-18", "OAI-28"}
    others = {each.exchange.file for each in accepted for v in each.violations if v.id == "OAI-02"}
    assert all("openai-compatible" in file or "openai_compatible" in file for file in others)
    assert inferred["OAI-14"] == 1, "a message that says the same, without its id, to xAI's server"
    alone = Counter(violation.id for each in accepted for violation in each.alone)
    assert set(alone) == {"OAI-02", "OAI-07", "OAI-14", "OAI-18"}
    # Two ids of DeepSeek's own, and two that a recorder redacted; responses of which the request is in another file.
    assert (alone["OAI-07"], alone["OAI-18"]) == (4, 7)


def test_requests_that_were_refused_break_the_rule_that_the_server_named(judged: list[Judged]) -> None:
    told = Counter[str]()
    for each in judged:
        answer = refusal(each.exchange)
        if answer is None or PLACEHOLDER in each.exchange.file:
            continue
        named = [violation for violation in each.violations if violation.answered.message == answer["message"]]
        assert named, f"{each.exchange.name}: {answer['message']}"
        violation = named[0]
        assert (violation.answered.param, violation.answered.code) == (answer["param"], answer["code"]), (
            each.exchange.name
        )
        assert [found.id for found in each.alone if found.id == violation.id], each.exchange.name
        told[violation.id] += 1
    assert told == {
        "OAI-02": 9,
        "OAI-10": 1,
        "OAI-14": 1,
        "OAI-18": 1,
        "OAI-21": 2,
        "OAI-22": 1,
        "OAI-23": 1,
        "OAI-26": 1,
    }


def refusal(exchange: RecordedExchange) -> dict[str, Any] | None:
    """The error that a request was refused with, if a rule can be about it."""
    if exchange.status < 400:
        return None
    body = exchange.response or b""
    if any(words.encode() in body for words in BEYOND_A_REQUEST):
        return None
    error: dict[str, Any] = json.loads(body)["error"]
    return error
