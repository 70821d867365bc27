"""Recorded traffic: every accepted request keeps every rule. (``tests/corpus`` reads the responses.)"""

from __future__ import annotations

import json
from pathlib import Path

from harness.wire import Sent
from harness.wire.anthropic_messages import WIRE
from tests.corpus.shared_exchanges import exchanges
from tests.wire.anthropic_messages.histories import ROUTE

REPEATED_ID = "test_cross_provider_capability_replay[google-gemini-3-flash-preview-anthropic-claude-sonnet-4-5].yaml"
"""The API took an id of Gemini's that names a call in two turns, each answered at once: two requests against ANT-05."""


def test_accepted_requests_keep_every_certain_rule(shared: Path) -> None:
    accepted = [each for each in exchanges(shared, "anthropic-messages") if each.request and each.status == 200]
    assert len(accepted) > 300
    found = {}
    for each in accepted:
        conversation = WIRE.read(ROUTE, each.request or b"")
        body = json.loads(each.request or b"")
        assert len(conversation.messages) == len(body["messages"]) + bool(body.get("system"))
        violations = WIRE.violations(WIRE.resolve(conversation, Sent()), Sent())
        if violations:
            found[each.name.rpartition("/")[2]] = [(violation.rule, violation.level) for violation in violations]
    assert found == {f"{REPEATED_ID}#3": [("ANT-05", "L")], f"{REPEATED_ID}#4": [("ANT-05", "L")]}


def test_refused_requests_break_the_rule_that_the_provider_named(shared: Path) -> None:
    """Where the recorded answer is about the body, our text is the recorded text."""
    named = 0
    for each in exchanges(shared, "anthropic-messages"):
        if not each.request or each.status != 400:
            continue
        message = json.loads(each.response or b"")["error"]["message"]
        texts = [violation.message for violation in WIRE.violations(WIRE.read(ROUTE, each.request), Sent())]
        named += message in texts
        assert message in texts or not texts
    assert named == 3
