"""Recorded traffic: what the provider accepted breaks no certain rule, what it refused breaks the one that it named.

(``tests/recorded/corpus`` reads the responses.)
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from harness.finding import Finding
from harness.wire import IssuedState
from harness.wire.anthropic_messages import WIRE
from harness_lab.recorded.recording import Exchange
from tests.recorded.corpus.shared_exchanges import exchanges
from tests.wire.anthropic_messages.histories import ROUTE

LIKELY = {
    # The API took an id of Gemini's that names a call in two turns, each answered at once, so the rule is only likely
    # over turns: recording test_cross_provider_capability_replay[google-gemini-3-flash-preview-anthropic-...].
    "ANT-05": 2,
}
"""How often accepted requests break a rule that is only likely, and why it stays."""


def requests(shared: Path, *statuses: int) -> list[Exchange]:
    found = exchanges(shared, "anthropic-messages")
    return [each for each in found if each.request and each.status in statuses]


def with_memory(recorded: list[Exchange]) -> Iterator[tuple[Exchange, list[Finding]]]:
    """Each request, judged with what the recorded responses before it in its file have said."""
    for _, in_file in groupby(recorded, key=lambda each: each.file):
        sent = IssuedState()
        for each in in_file:
            conversation = WIRE.resolve(WIRE.read(ROUTE, each.request or b""), sent)
            yield each, WIRE.violations(conversation, sent)
            sent.add(conversation, WIRE.parse(each.headers.get("content-type", ""), each.response or b""))


def test_accepted_requests_keep_every_certain_rule(shared: Path) -> None:
    accepted = requests(shared, 200)
    assert len(accepted) > 300
    broken: Counter[str] = Counter()
    for each in accepted:
        conversation = WIRE.read(ROUTE, each.request or b"")
        body = json.loads(each.request or b"")
        assert len(conversation.messages) == len(body["messages"]) + bool(body.get("system"))
        for violation in WIRE.violations(WIRE.resolve(conversation, IssuedState()), IssuedState()):
            assert violation.level != "MUST", (each.name, violation)
            broken[violation.id] += 1
    assert broken == LIKELY


def test_so_they_do_with_what_was_sent_before_them(shared: Path) -> None:
    judged = list(with_memory(requests(shared, 200)))
    assert len(judged) > 300
    assert Counter(violation.id for _, found in judged for violation in found) == LIKELY


TEXT_NOT_RECORDED = "prompt is too long: 3333404 tokens > 200000 maximum"
"""The recording has ``<MASSIVE_TEXT>`` in place of what was too long."""


def test_refused_requests_break_the_rule_that_the_provider_named(shared: Path) -> None:
    """Our text is the recorded text, word for word."""
    named: Counter[str] = Counter()
    for each in requests(shared, 400, 404):
        message = json.loads(each.response or b"")["error"]["message"]
        found = {
            violation.answered.message: violation
            for violation in WIRE.violations(WIRE.read(ROUTE, each.request or b""), IssuedState())
        }
        if message == TEXT_NOT_RECORDED:
            assert found == {}
            continue
        assert found[message].answered.status == each.status
        named[found[message].id] += 1
    assert named == {"ANT-09": 1, "ANT-22": 3, "ANT-29": 1, "ANT-FORMAT": 2, "ANT-MODEL": 13, "ANT-RANGE": 1}
