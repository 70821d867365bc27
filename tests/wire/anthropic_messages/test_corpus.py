"""Recorded traffic: every accepted request keeps every rule, every response is read."""

from __future__ import annotations

import json
from pathlib import Path

from harness.wire import Sent
from harness.wire.anthropic_messages import WIRE
from tests.wire.anthropic_messages.corpus import exchanges
from tests.wire.anthropic_messages.histories import ROUTE

NO_BLANK_LINE_AT_THE_END = 4


def test_accepted_requests_keep_every_rule(shared: Path) -> None:
    accepted = [each for each in exchanges(shared) if each.request and each.status == 200]
    assert len(accepted) > 300
    found = {}
    for each in accepted:
        conversation = WIRE.read(ROUTE, each.request or b"")
        body = json.loads(each.request or b"")
        assert len(conversation.messages) == len(body["messages"]) + bool(body.get("system"))
        violations = WIRE.violations(WIRE.resolve(conversation, Sent()), Sent())
        if violations:
            found[each.name] = [(violation.rule, violation.level, violation.message) for violation in violations]
    assert found == {}


def test_refused_requests_break_the_rule_that_the_provider_named(shared: Path) -> None:
    """Where the recorded answer is about the body, our text is the recorded text."""
    named = 0
    for each in exchanges(shared):
        if not each.request or each.status != 400:
            continue
        message = json.loads(each.response)["error"]["message"]
        texts = [violation.message for violation in WIRE.violations(WIRE.read(ROUTE, each.request), Sent())]
        named += message in texts
        assert message in texts or not texts
    assert named == 3


def test_responses_are_read(shared: Path) -> None:
    incomplete = []
    for each in exchanges(shared):
        if each.status != 200:
            continue
        reply = WIRE.parse(each.content_type, each.response)
        if not reply.complete:
            incomplete.append(each)
            continue
        assert reply.id
        assert reply.model
        assert reply.turn.error is None
    assert len(incomplete) == NO_BLANK_LINE_AT_THE_END
    assert all(not each.response.endswith(b"\n\n") for each in incomplete)
