"""The second set of recorded traffic: nothing that was accepted is blamed, and refusals of form have their rule."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from harness.wire import IssuedState
from harness.wire.gemini_generate import WIRE
from harness_lab.recorded.requests.judged import JudgedRequest
from harness_lab.recorded.requests.requests import judge_requests
from tests.recorded.corpus.shared_exchanges import all_exchanges

TOOLS = [{"functionDeclarations": [{"name": "f", "description": "f"}]}]
JSON = {"responseMimeType": "application/json"}

PROVOKED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "mode ANY with responseMimeType application/json": (
        "GEM-APART",
        "gemini-2.5-flash",
        {"tools": TOOLS, "generationConfig": JSON, "toolConfig": {"functionCallingConfig": {"mode": "ANY"}}},
    ),
    "tools with responseMimeType application/json": (
        "GEM-APART",
        "gemini-2.5-flash",
        {"tools": TOOLS, "generationConfig": JSON},
    ),
    "thinkingLevel MINIMAL": (
        "GEM-24",
        "gemini-3.7-flash",
        {"generationConfig": {"thinkingConfig": {"thinkingLevel": "MINIMAL"}}},
    ),
    "both thinkingBudget and thinkingLevel": (
        "GEM-24",
        "gemini-3-pro-preview",
        {"generationConfig": {"thinkingConfig": {"thinkingLevel": "LOW", "thinkingBudget": 100}}},
    ),
}
"""Refusals whose request was not kept, by how they came about: the rule, and such a request.

The model is not known either. These are of models of which it is certain that they refuse.
"""


@cache
def judged(shared: Path) -> list[JudgedRequest]:
    exchanges = [one for one in all_exchanges(shared, "corpus2") if one.wire == "gemini-generate"]
    return [each.happened for each in judge_requests(exchanges)]


def provoked(shared: Path) -> Iterator[dict[str, Any]]:
    for line in (shared / "corpus2" / "errors_recorded2.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["api"] == "gemini-generateContent" and row.get("place"):
            yield row


def test_nothing_that_was_accepted_breaks_a_certain_rule(shared: Path) -> None:
    accepted = [each for each in judged(shared) if each.accepted]
    assert len(accepted) > 10
    assert [(each.exchange.name, found.id) for each in accepted for found in each.judgement.violations] == []


def test_no_refusal_with_its_request_is_about_the_history(shared: Path) -> None:
    refused = [each for each in judged(shared) if not each.accepted]
    assert len(refused) > 10
    assert {each.exchange.status for each in refused if not each.message.startswith("The input token")} == {404}
    assert not any(each.about_history for each in refused)


def test_every_way_to_a_refusal_is_known(shared: Path) -> None:
    assert {row["place"] for row in provoked(shared)} == set(PROVOKED)


@pytest.mark.parametrize("place", PROVOKED)
def test_a_refusal_of_form_has_its_rule_and_its_text(shared: Path, place: str) -> None:
    rule, model, members = PROVOKED[place]
    message = next(json.loads(row["body"])["error"]["message"] for row in provoked(shared) if row["place"] == place)
    route = WIRE.route("POST", f"/v1beta/models/{model}:generateContent")
    assert route is not None
    body = {"contents": [{"role": "user", "parts": [{"text": "q"}]}], **members}
    found = WIRE.violations(WIRE.read(route, json.dumps(body).encode()), IssuedState())
    assert [(each.id, each.level, each.answered.message) for each in found] == [(rule, "MUST", message)]
