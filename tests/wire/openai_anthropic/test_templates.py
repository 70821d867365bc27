"""What rules state, and their answers: as somebody got them, written for people, each of them to some wrong request."""

from __future__ import annotations

from functools import cache

import pytest

from harness.finding import Finding
from harness.wire import ErrorTemplate, WireName, WireRule, wire
from harness.wire.rule import LEVELS
from harness_lab.mutants.requests import mutants
from tests.wire.anthropic_messages.histories import WITHOUT_THREADS, body_of, judge, user
from tests.wire.openai_responses.wording import matches

NAMES: tuple[WireName, ...] = ("anthropic-messages", "openai-chat", "openai-responses", "text-tags")
RULES = [(name, rule) for name in NAMES for rule in wire(name).rules]
TEMPLATES = [pytest.param(*of, each, id=f"{of[1].id}-{each.name}") for of in RULES for each in of[1].templates]


@pytest.mark.parametrize(("name", "rule"), RULES, ids=[rule.id for _, rule in RULES])
def test_a_rule_is_written_for_people(name: WireName, rule: WireRule) -> None:
    assert rule.statement.endswith(".")
    assert rule.why.endswith(".")
    assert rule.evidence
    assert bool(rule.templates) != rule.permits
    assert not rule.permits or name in ("anthropic-messages", "openai-chat")
    assert len({template.name for template in rule.templates}) == len(rule.templates)


@pytest.mark.parametrize(("name", "rule", "template"), TEMPLATES)
def test_what_was_seen_is_what_the_template_says(name: WireName, rule: WireRule, template: ErrorTemplate) -> None:
    assert not template.seen or matches(template.message, template.seen), (name, rule.id)
    assert "…" not in template.message


@cache
def made(name: WireName) -> tuple[Finding, ...]:
    """Everything that is found in any mutant, on the requests that it names."""
    found: dict[tuple[str, str, str], Finding] = {}
    for mutant in mutants(name):
        for base in mutant.base_requests:
            played = base.play()
            posted = played.last
            assert mutant.edit(posted), mutant.name
            found |= {(each.id, each.level, each.answered.message): each for each in played.judge(posted)}
    if name == "anthropic-messages":  # what only a server without threads says
        return (*found.values(), *judge(body_of(user("a"), thread={"type": "create"}), wire=WITHOUT_THREADS))
    return tuple(found.values())


@pytest.mark.slow
@pytest.mark.parametrize(("name", "rule", "template"), TEMPLATES)
def test_every_template_is_the_answer_to_a_mutant(name: WireName, rule: WireRule, template: ErrorTemplate) -> None:
    """By its text and, of Anthropic's, its level: two templates of a rule may share a text."""
    said = {each.level for each in made(name) if each.id == rule.id and template.matches(each.answered.message)}
    assert said & {LEVELS[template.certainty or rule.certainty], "SHOULD"} if name == "anthropic-messages" else said


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_what_is_found_is_complete(name: WireName) -> None:
    for finding in made(name):
        assert finding.expected
        assert finding.got
        assert len(finding.got) < 400
        assert finding.answered.place or finding.id.endswith("-JSON") or name != "openai-chat"
        assert "{" not in finding.answered.message or name != "openai-chat"
