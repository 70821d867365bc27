"""Requests that the documentation shows, and such as lead to recorded refusals: none of them was written here first."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.finding import Finding
from harness.wire import IssuedState, WireName, wire
from tests.case_tables import from_table, rows_of
from tests.wire.anthropic_messages.histories import body_of
from tests.wire.openai_responses.speak import PATCH, READ_FILE

BASES: dict[WireName, dict[str, Any]] = {
    "anthropic-messages": body_of(),
    "gemini-generate": {},
    "openai-chat": {"model": "gpt-4.1"},
    "openai-responses": {"model": "gpt-5.5", "stream": True, "tools": [READ_FILE, PATCH]},
}
"""What a request has beside the members in the table."""

APIS = {"anthropic-messages": "anthropic-messages", "gemini-generateContent": "gemini-generate"}
"""The wires of which refusals were recorded without their requests, as the record calls them."""


KEYS = {"x-api-key": "key", "anthropic-version": "2023-06-01"}
"""The headers of a request that asks for no beta."""


def judged(name: WireName, path: str, body: Any, headers: Mapping[str, str] | None = None) -> list[Finding]:
    """Everything that a request breaks of which nothing is known but this."""
    route = wire(name).route("POST", path)
    assert route is not None
    asked = wire(name).read(route, json.dumps({**BASES[name], **body}).encode(), headers or {})
    return wire(name).violations(asked, IssuedState())


@from_table(__file__, "test_what_the_documentation_shows_has_no_finding")
def test_what_the_documentation_shows_has_no_finding(name: WireName, shown: str, path: str, body: Any) -> None:
    assert [each for each in judged(name, path, body) if each.level != "INFO"] == [], shown


def refused(shared: Path) -> dict[tuple[str, str], str]:
    """The texts of refusals whose requests were not kept, by their wires and places."""
    lines = (shared / "corpus2/errors_recorded2.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["api"] in APIS and row.get("place") and not row["request"]]
    return {(APIS[row["api"]], row["place"]): json.loads(row["body"])["error"]["message"] for row in rows}


def test_every_refusal_without_its_request_is_in_the_table(shared: Path) -> None:
    rows = rows_of(__file__, "test_a_refusal_without_its_request_has_its_rule_and_its_text")
    assert {(name, place) for name, place, *_ in rows} == set(refused(shared))


@from_table(__file__, "test_a_refusal_without_its_request_has_its_rule_and_its_text")
def test_a_refusal_without_its_request_has_its_rule_and_its_text(
    name: WireName, place: str, rule: str, path: str, body: Any, shared: Path
) -> None:
    """Of Gemini's the model is not known either: these are of models of which it is certain that they refuse."""
    certain = [each for each in judged(name, path, body, KEYS) if (each.id, each.level) == (rule, "MUST")]
    assert refused(shared)[name, place] in [each.answered.message for each in certain]
