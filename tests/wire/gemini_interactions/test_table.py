"""The table of rules: texts as people got them, a mutant for each, and the rows of the document that it leaves out."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from harness.wire import ErrorTemplate, WireRule, wire
from harness_lab.mutants.requests import base_requests, equivalents, mutants
from harness_lab.mutants.requests.document import matches
from tests.wire.gemini_generate.test_table import fits

WIRE = wire("gemini-interactions")
TEMPLATES = [(rule, template.name, template) for rule in WIRE.rules for template in rule.templates]

LEFT_OUT = {
    "INT-29": "that a failure is said is a rule on traces: the harness knows what the tool did",
    "INT-30": "which models there are changes, and no wire judges it",
}
"""Rows of the document without a rule, and why."""


def rows(shared: Path) -> dict[str, str]:
    """The level of each row: its last column begins with it."""
    text = (shared / "wire" / "gemini-interactions.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| (INT-\d+) \|.*\| ([^|]+) \|$", text, re.MULTILINE)
    return {number: level.strip(" *")[:1] for number, level in found}


def test_every_row_of_the_document_has_a_rule_or_a_reason(shared: Path) -> None:
    ours = {rule.id for rule in WIRE.rules}
    assert rows(shared).keys() - ours == set(LEFT_OUT)
    assert ours - rows(shared).keys() == {"INT-32", "INT-BODY"}


def test_each_rule_is_as_certain_as_its_evidence(shared: Path) -> None:
    """Two rows say more than a refusal: what is certain of them is the harm, which nobody refuses."""
    levels = {"C": "certain", "L": "likely", "I": "inferred"}
    differ = {
        rule.id: (rule.certainty, levels[level])
        for rule in WIRE.rules
        if (level := rows(shared).get(rule.id)) and levels[level] != rule.certainty
    }
    assert differ == {
        "INT-04": ("likely", "certain"),  # the text is certain, what it answers is likely
        "INT-16": ("likely", "inferred"),  # that a text is refused is likely
        "INT-28": ("likely", "certain"),  # what the SDK does is certain
        "INT-21": ("likely", "certain"),  # recordings show that it is accepted
    }


@pytest.mark.parametrize(("rule", "template"), [(rule, t) for rule, _, t in TEMPLATES if t.seen], ids=str)
def test_what_somebody_got_fits_the_template(rule: WireRule, template: ErrorTemplate) -> None:
    assert fits(template.message, template.seen), rule.id


def test_a_certain_rule_was_seen_or_has_the_text_of_most_refusals() -> None:
    unseen = [
        (rule.id, template.message)
        for rule, _, template in TEMPLATES
        if (template.certainty or rule.certainty) == "certain" and not template.seen
    ]
    assert unseen == [(number, "Request contains an invalid argument.") for number in ("INT-10", "INT-11")]


def test_each_template_is_the_answer_to_a_mutant_and_each_permission_is_tried() -> None:
    answered: Counter[tuple[str, str]] = Counter()
    for mutant in mutants(WIRE.name):
        for base in mutant.base_requests:
            played = base.play()
            posted = played.last
            assert mutant.edit(posted), (mutant.name, base.name)
            for finding in played.judge(posted):
                rule = next(each for each in WIRE.rules if each.id == finding.id)
                answered.update(
                    (rule.id, each.name) for each in rule.templates if matches(each, finding.answered.message)
                )
    assert [(rule.id, name) for rule, name, _ in TEMPLATES if (rule.id, name) not in answered] == []
    assert {rule for each in equivalents(WIRE.name) for rule in each.allows} == {"INT-14"}


def test_facts_are_about_models_of_google() -> None:
    for fact in WIRE.models.facts:
        assert fact.source
        assert not fact.covers("gpt-5.5")
        assert not fact.covers("claude-sonnet-4-5")


def test_a_tool_whose_type_is_no_text_is_refused() -> None:
    played = base_requests(WIRE.name)[0].play()
    posted = played.last
    posted.body["tools"] = [{"type": ["function"], "name": "f"}]
    assert "INT-32" in {finding.id for finding in played.judge(posted)}
