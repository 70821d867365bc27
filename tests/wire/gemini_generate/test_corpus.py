"""Recorded traffic: every request is read and judged, by what it shows and by what was said before in its recording.

(``tests/recorded/corpus`` reads the responses.)
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from harness.cassette.recordings.recording import RecordedExchange
from harness.finding import Finding
from harness.wire import IssuedState, Result, Route, Text
from harness.wire.gemini_generate import WIRE
from tests.recorded.corpus.shared_exchanges import exchanges


def asked(shared: Path) -> list[tuple[RecordedExchange, Route, bytes]]:
    """The exchanges whose request was kept, with its route."""
    found = exchanges(shared, "gemini-generate")
    routes = ((one, WIRE.route("POST", f"{urlsplit(one.url).path}?{urlsplit(one.url).query}")) for one in found)
    return [(one, route, one.request) for one, route in routes if route and one.request]


def judged(shared: Path, *, memory: bool) -> Iterator[tuple[RecordedExchange, list[Finding]]]:
    """All requests; with ``memory`` each is judged against the responses before it in its file."""
    for _, recording in groupby(asked(shared), key=lambda each: each[0].file):
        sent = IssuedState()
        for one, route, body in recording:
            conversation = WIRE.read(route, body)
            yield one, WIRE.violations(conversation, sent)
            if memory and one.status == 200 and one.response:
                kind = "text/event-stream" if one.streamed else "application/json"
                sent.add(conversation, WIRE.parse(kind, one.response))


TAKEN = {("GEM-06", "SHOULD"): 2}
"""Gemini 2.5 took a split answer in two recordings at the Developer API; replayed at Vertex AI it was refused."""


def test_accepted_requests_break_no_rule(shared: Path) -> None:
    """Not even one that is only likely, but for the split answer."""
    found = [(one, violations) for one, violations in judged(shared, memory=False) if one.status == 200]
    assert len(found) > 300
    assert Counter((each.id, each.level) for _, violations in found for each in violations) == TAKEN


def test_accepted_requests_go_on_from_what_was_said(shared: Path) -> None:
    """Beside what the body shows, only what Google takes from careless clients: level I."""
    found: Counter[tuple[str, str]] = Counter()
    for one, violations in judged(shared, memory=True):
        if one.status == 200:
            found.update((violation.id, violation.level) for violation in violations)
    certain_or_likely = {rule: count for rule, count in found.items() if rule[1] != "INFO"}
    assert certain_or_likely == TAKEN
    assert set(found) - set(TAKEN) <= {("GEM-13", "INFO"), ("GEM-15", "INFO")}


REFUSED = {
    "nonexistent_model_error_preserves_status_and_body": "GEM-17",
    "test_error_handling": "GEM-17",
    "test_generate_content_missing_model": "GEM-17",
    "test_model_name_suggestion[google]": "GEM-17",
    "errors/bad_model/GenSync": "GEM-17",
    "GenStream-TopLogprobs": "GEM-LOGPROBS",
    "GenSync-TopLogprobs": "GEM-LOGPROBS",
    "test_generate_content_invalid_role": "GEM-03",
    "test_generate_content_invalid_temperature": "GEM-RANGE",
}
"""Recordings whose refusal the request explains. The others are about keys, quota, and addresses that do not answer."""

OTHERS = (
    "API key not valid",
    "Method doesn't allow unregistered callers",
    "Resource exhausted",
    "You exceeded your current quota",
    "Cannot fetch content from the provided URL",
)

OLDER = {"Call ListModels to see": "Call ModelService.ListModels to see"}
"""Words that the API has changed since they were recorded."""


@pytest.mark.parametrize("memory", [True, False])
def test_refused_requests_break_the_rule_that_the_answer_names(shared: Path, memory: bool) -> None:
    explained = {}
    for one, violations in judged(shared, memory=memory):
        if one.status < 400:
            continue
        error = json.loads(one.response or b"")["error"]
        message = error["message"]
        for old, new in OLDER.items():
            message = message.replace(old, new)
        if message.startswith(OTHERS):
            assert violations == [], one.name
            continue
        name = next(name for name in REFUSED if name in one.name)
        explained[name] = violations[0].id
        assert (violations[0].answered.status, violations[0].answered.message) == (error["code"], message), one.name
    assert explained == REFUSED


def test_tool_results_are_read_as_results(shared: Path) -> None:
    """As many as the raw JSON has, in either key spelling."""
    read, raw = 0, 0
    for one, route, body in asked(shared):
        if one.status != 200:
            continue
        conversation = WIRE.read(route, body)
        assert len(conversation.messages) >= len(json.loads(body)["contents"]), one.name
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
