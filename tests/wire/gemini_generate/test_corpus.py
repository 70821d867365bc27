"""Recorded traffic: every request is read and judged, every response parsed."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from harness.wire import Result, Sent, Text, Thinking
from harness.wire.gemini_generate import WIRE
from tests.wire.gemini_generate.corpus import chunks, recorded, said


def test_accepted_requests_break_no_certain_rule(shared: Path) -> None:
    """And the only rule at all is the split answer, which Gemini 2.5 took in two recordings (GEM-06, level L)."""
    found: Counter[tuple[str, str]] = Counter()
    accepted = [one for one in recorded(shared) if one.path and one.status == 200]
    for one in accepted:
        route = WIRE.route("POST", one.path or "")
        assert route is not None, one.name
        asked = WIRE.read(route, one.request)
        assert len(asked.messages) >= len(json.loads(one.request)["contents"]), one.name
        found.update((violation.rule, violation.level) for violation in WIRE.violations(asked, Sent()))
    assert len(accepted) > 300
    assert found == {("GEM-06", "L"): 2}


def test_refused_requests_are_read_and_the_bad_role_is_found(shared: Path) -> None:
    """The other refusals are about models, keys, quota and options, which no history shows."""
    refused = [one for one in recorded(shared) if one.path and one.status >= 400]
    found = []
    for one in refused:
        route = WIRE.route("POST", one.path or "")
        assert route is not None
        for violation in WIRE.violations(WIRE.read(route, one.request), Sent()):
            found.append((violation.rule, violation.message, json.loads(one.response)["error"]["message"]))
    assert len(refused) > 10
    assert found == [("GEM-03", *["Please use a valid role: user, model."] * 2)]


def test_every_response_says_what_its_json_says(shared: Path) -> None:
    """One recording ends without a finish reason (the service's own empty answer): it is incomplete."""
    answered = [one for one in recorded(shared) if one.status == 200]
    incomplete = []
    for one in answered:
        reply, wanted = WIRE.parse(one.content_type, one.response), said(chunks(one))
        assert reply.turn.text == wanted["text"], one.name
        thoughts = "".join(part.text for part in reply.turn.parts if isinstance(part, Thinking))
        assert thoughts == wanted["thoughts"], one.name
        calls = [(call.name, json.loads(call.arguments or "{}"), call.id) for call in reply.turn.calls]
        assert calls == wanted["calls"], one.name
        signatures = [part["thoughtSignature"] for part in reply.items if part.get("thoughtSignature")]
        assert signatures == wanted["signatures"], one.name
        if not reply.complete:
            incomplete.append(one.name)
    assert len(answered) > 350
    assert [name.rpartition("/")[2] for name in incomplete] == ["streaming-failure-empty-content.txt#0"]


def test_tool_results_are_read_as_results(shared: Path) -> None:
    """As many as the raw JSON has, in either key spelling."""
    read, raw = 0, 0
    for one in recorded(shared):
        route = WIRE.route("POST", one.path or "")
        if route is None or one.status != 200:
            continue
        asked = WIRE.read(route, one.request)
        read += sum(isinstance(part, Result) for message in asked.messages for part in message.parts)
        for content in json.loads(one.request)["contents"]:
            raw += sum("functionResponse" in part or "function_response" in part for part in content["parts"])
        assert all(
            isinstance(part, Text)
            for message in asked.messages[:1]
            for part in message.parts[:1]
            if message.role == "system"
        )
    assert read == raw > 200
