"""Recorded traffic: every request is read and judged. (``tests/corpus`` reads the responses.)"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

from harness.corpus import Recorded
from harness.wire import Result, Route, Sent, Text
from harness.wire.gemini_generate import WIRE
from tests.corpus.shared_exchanges import exchanges


def asked(shared: Path) -> list[tuple[Recorded, Route, bytes]]:
    """The exchanges whose request was kept, with its route."""
    found = exchanges(shared, "gemini-generate")
    routes = ((one, WIRE.route("POST", f"{urlsplit(one.url).path}?{urlsplit(one.url).query}")) for one in found)
    return [(one, route, one.request) for one, route in routes if route and one.request]


def test_accepted_requests_break_no_certain_rule(shared: Path) -> None:
    """And the only rule at all is the split answer, which Gemini 2.5 took in two recordings (GEM-06, level L)."""
    found: Counter[tuple[str, str]] = Counter()
    accepted = [each for each in asked(shared) if each[0].status == 200]
    for one, route, body in accepted:
        conversation = WIRE.read(route, body)
        assert len(conversation.messages) >= len(json.loads(body)["contents"]), one.name
        found.update((violation.rule, violation.level) for violation in WIRE.violations(conversation, Sent()))
    assert len(accepted) > 300
    assert found == {("GEM-06", "L"): 2}


def test_refused_requests_are_read_and_the_bad_role_is_found(shared: Path) -> None:
    """The other refusals are about models, keys, quota and options, which no history shows."""
    refused = [each for each in asked(shared) if each[0].status >= 400]
    found = []
    for one, route, body in refused:
        for violation in WIRE.violations(WIRE.read(route, body), Sent()):
            found.append((violation.rule, violation.message, json.loads(one.response or b"")["error"]["message"]))
    assert len(refused) > 10
    assert found == [("GEM-03", *["Please use a valid role: user, model."] * 2)]


def test_tool_results_are_read_as_results(shared: Path) -> None:
    """As many as the raw JSON has, in either key spelling."""
    read, raw = 0, 0
    for one, route, body in asked(shared):
        if one.status != 200:
            continue
        conversation = WIRE.read(route, body)
        read += sum(isinstance(part, Result) for message in conversation.messages for part in message.parts)
        for content in json.loads(body)["contents"]:
            raw += sum("functionResponse" in part or "function_response" in part for part in content["parts"])
        assert all(
            isinstance(part, Text)
            for message in conversation.messages[:1]
            for part in message.parts[:1]
            if message.role == "system"
        )
    assert read == raw > 200
