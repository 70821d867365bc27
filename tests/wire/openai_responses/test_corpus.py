"""Recorded traffic: accepted requests break no certain rule, refused ones the right one.

``tests/corpus`` reads the responses.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from harness.corpus import Recorded
from harness.wire import Conversation, Sent, Violation
from harness.wire.openai_responses import WIRE
from tests.corpus.shared_exchanges import exchanges
from tests.wire.openai_responses.speak import ROUTE


def replayed(shared: Path) -> Iterator[tuple[Recorded, Conversation, Sent]]:
    """Each request with what the recorded server had sent before in the same file."""
    in_order = sorted(exchanges(shared, "openai-responses"), key=lambda exchange: (exchange.file, exchange.index))
    for _, file in groupby(in_order, key=lambda exchange: exchange.file):
        sent = Sent()
        for exchange in file:
            if exchange.request is None:
                continue
            conversation = WIRE.resolve(WIRE.read(ROUTE, exchange.request), sent)
            yield exchange, conversation, sent
            if exchange.status == 200:
                content_type = "text/event-stream" if exchange.streamed else "application/json"
                sent.add(conversation, WIRE.parse(content_type, exchange.response or b""))


def certain(violations: list[Violation]) -> list[str]:
    return [violation.rule for violation in violations if violation.level == "C"]


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
        answer = json.loads(exchange.response or b"")["error"]
        if violations:
            assert violations[0].message == answer["message"], exchange.name
            assert violations[0].param == answer["param"], exchange.name
            assert violations[0].code == answer["code"], exchange.name
            told[violations[0].rule] = exchange.name
    assert set(told) == {"OAI-14", "OAI-18", "OAI-22", "OAI-23"}
