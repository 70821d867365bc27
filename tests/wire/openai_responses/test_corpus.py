"""Recorded traffic: responses are read, accepted requests break no certain rule, refused ones the right one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from harness.wire import Conversation, Sent, Violation
from harness.wire.openai_responses import WIRE
from tests.wire.openai_responses.corpus import Recorded, good, recorded
from tests.wire.openai_responses.speak import ROUTE


def replayed(shared: Path) -> Iterator[tuple[Recorded, Conversation, Sent]]:
    """Each request with what the recorded server had sent before in the same file."""
    for _, exchanges in groupby(recorded(shared), key=lambda exchange: exchange.file):
        sent = Sent()
        for exchange in exchanges:
            if exchange.request is None:
                continue
            conversation = WIRE.resolve(WIRE.read(ROUTE, exchange.request), sent)
            yield exchange, conversation, sent
            if exchange.status == 200 and exchange.body:
                sent.add(conversation, WIRE.parse(exchange.content_type, exchange.body))


def certain(violations: list[Violation]) -> list[str]:
    return [violation.rule for violation in violations if violation.level == "C"]


def test_every_response_is_read(shared: Path) -> None:
    found: Counter[str] = Counter()
    for exchange in good(shared):
        reply = WIRE.parse(exchange.content_type, exchange.body)
        assert reply.complete, exchange.name
        assert reply.id, exchange.name
        found["streamed" if exchange.streamed else "whole"] += 1
        found["calls"] += len(reply.turn.calls)
        found["errors"] += reply.turn.error is not None
    assert found["streamed"] >= 200
    assert found["whole"] >= 300
    assert found["calls"] >= 250
    assert found["errors"] == 1


def test_requests_that_were_accepted_break_no_certain_rule(shared: Path) -> None:
    judged = 0
    for exchange, conversation, sent in replayed(shared):
        if exchange.status != 200:
            continue
        judged += 1
        found = certain(WIRE.violations(conversation, sent))
        if found == ["OAI-18"] and not sent.turns:
            continue  # the response that it names was recorded in another file
        assert found == [], exchange.name
    assert judged >= 450


def test_requests_that_were_accepted_are_accepted_without_memory(shared: Path) -> None:
    explained = Counter[str]()
    for exchange, conversation, _ in replayed(shared):
        for violation in WIRE.violations(conversation, Sent()) if exchange.status == 200 else ():
            if violation.level != "C":
                continue
            # Without memory no earlier response is known; DeepSeek has ids of its own, and a recorder redacted some.
            foreign = "deepseek" in exchange.file or "REDACTED" in violation.got
            assert violation.rule == "OAI-18" or (violation.rule == "OAI-07" and foreign), exchange.name
            explained[violation.rule] += 1
    assert set(explained) == {"OAI-07", "OAI-18"}


def test_requests_that_were_refused_break_the_rule_that_the_server_named(shared: Path) -> None:
    told = {}
    for exchange, conversation, sent in replayed(shared):
        if exchange.status not in (400, 404):
            continue
        violations = WIRE.violations(conversation, sent)
        answer = json.loads(exchange.body)["error"]
        if violations:
            assert violations[0].message == answer["message"], exchange.name
            assert violations[0].param == answer["param"], exchange.name
            assert violations[0].code == answer["code"], exchange.name
            told[violations[0].rule] = exchange.name
    assert set(told) == {"OAI-14", "OAI-18", "OAI-22", "OAI-23"}
