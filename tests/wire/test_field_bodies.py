"""Requests in the forms that people were refused in public, each of them as small as it is refused.

The bodies and the recorded refusals are read from the shared folder. Each must break the rule with the provider's text,
and certainly where the provider refuses it.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from harness.finding import Finding
from harness.wire import IssuedState, WireName, route_of, wire
from tests.case_tables import from_table, rows_of
from tests.wire.fitting import fits, saying

PATHS: dict[str, str] = {
    "anthropic-messages": "/v1/messages",
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
}
REFUSED = "test_a_form_that_people_were_refused_breaks_its_rule"
ACCEPTED = "test_a_form_that_only_memory_shows_breaks_none"


@cache
def bodies(shared: Path) -> dict[str, tuple[WireName, bytes]]:
    found = json.loads((shared / "field" / "bodies.json").read_text(encoding="utf-8"))
    ours = {name: each for name, each in found.items() if each[0] in PATHS}
    return {name: (named, json.dumps(body).encode()) for name, (named, _, body) in ours.items()}


def judged(shared: Path, name: str) -> list[Finding]:
    named, body = bodies(shared)[name]
    route = route_of("POST", PATHS[named])
    assert route is not None
    speaker = wire(named)
    return list(speaker.violations(speaker.resolve(speaker.read(route, body, {}), IssuedState()), IssuedState()))


def test_the_table_has_all_bodies(shared: Path) -> None:
    rows = [row[0] for test in (REFUSED, ACCEPTED) for row in rows_of(__file__, test)]
    assert sorted(rows) == sorted(bodies(shared))


@from_table(__file__, REFUSED)
def test_a_form_that_people_were_refused_breaks_its_rule(
    body: str, rule: str, level: str, text: str, shared: Path
) -> None:
    found = [each for each in judged(shared, body) if each.id == rule and fits(text, each.answered.message)]
    assert {each.level for each in found} == {level}
    others = {each.id for each in judged(shared, body) if each.level == "MUST" and each.id != rule}
    assert others == ({"OAC-04"} if body == "C01-steer" else set())


@from_table(__file__, ACCEPTED)
def test_a_form_that_only_memory_shows_breaks_none(body: str, why: str, shared: Path) -> None:
    assert judged(shared, body) == [], why


@from_table(__file__, "test_the_text_of_a_report_leads_to_its_rule")
def test_the_text_of_a_report_leads_to_its_rule(text: str, rule: str) -> None:
    assert rule in saying(wire("anthropic-messages").rules, text)


# --- refusals that were recorded ----------------------------------------------------------------------------

NOT_OURS = {
    "Invalid request body: [INVALID_ARGUMENT] input must be string or input items": "a strict server without a name",
    "Validation: Temperature must be between 0 and 2": "another server's own check",
    "Validation: `response_format.json_schema.name` cannot be empty": "another server's own check",
    "code=400, message=tools[0].type must be one of": "another server's own check",
    "messages[0].content must be a string": "an ability of the model",
    "Provider returned error": "a router hides the text of the provider",
    "Could not finish the message because max_tokens": "what a request costs is not in it",
}
"""Refusals about form that no rule says, and why."""

OPENAI = ("openai-chat", "openai-responses")


def refusals(shared: Path) -> list[dict[str, Any]]:
    lines = (shared / "corpus2" / "errors_recorded2.jsonl").read_text(encoding="utf-8").splitlines()
    found = [json.loads(line) for line in lines]
    return [each for each in found if each["api"] in OPENAI and each["about"] in ("history", "form")]


def message_of(refusal: dict[str, Any]) -> str:
    body = json.loads(refusal["body"])
    error = body.get("error", body)
    return str(error if isinstance(error, str) else error["message"])


def test_every_recorded_refusal_about_a_history_is_in_the_words_of_a_rule(shared: Path) -> None:
    said = {"history": 0, "form": 0}
    unsaid = []
    for refusal in refusals(shared):
        message = message_of(refusal)
        wordings = [wording.message for rule in wire(refusal["api"]).rules for wording in rule.templates]
        if any(fits(wording, message) for wording in wordings if not wording.startswith("{")):
            said[refusal["about"]] += 1
        else:
            unsaid.append(next((start for start in NOT_OURS if message.startswith(start)), message))
    assert sorted(set(unsaid)) == sorted(NOT_OURS)
    assert (said, len(unsaid)) == ({"history": 8, "form": 3}, 9)
