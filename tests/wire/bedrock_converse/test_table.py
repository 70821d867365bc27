"""The table of rules: texts as people got them, a mutant for each, and the rows of the document that it leaves out."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from harness.wire import ErrorTemplate, WireRule, wire
from harness_lab.mutants.requests import mutants
from harness_lab.mutants.requests.document import matches
from tests.wire.gemini_generate.test_table import fits

WIRE = wire("bedrock-converse")
TEMPLATES = [(rule, template.name, template) for rule in WIRE.rules for template in rule.templates]

LEFT_OUT = {
    "BED-03": "a result of another call: the call that it leaves without one is BED-01's",
    "BED-07": "an empty result that is no failure: nobody was seen to be refused it",
    "BED-21": "a member that is said twice, in two ways: seen once, of one member",
    "BED-37": "Claude's own rule on forced calls, of models that have ended since",
    "BED-42": "ids of Mistral: what was refused is BED-04",
    "BED-43": "one model's schemas",
    "BED-44": "strict tools of Claude: rules of schemas",
    "BED-45": "settings that single models do not take",
    "BED-46": "images to models that take texts only",
}
"""Rows of the document without a rule, and why."""


def numbers(shared: Path) -> set[str]:
    text = (shared / "wire" / "bedrock-converse.md").read_text(encoding="utf-8")
    return set(re.findall(r"^\| (BED-\d+) \|", text, re.MULTILINE))


def test_every_row_of_the_document_has_a_rule_or_a_reason(shared: Path) -> None:
    ours = {rule.id for rule in WIRE.rules}
    assert numbers(shared) - ours == set(LEFT_OUT)
    assert ours - numbers(shared) == {"BED-23", "BED-24", "BED-26", "BED-47", "BED-BODY"}


@pytest.mark.parametrize(("rule", "template"), [(rule, t) for rule, _, t in TEMPLATES if t.seen], ids=str)
def test_what_somebody_got_fits_the_template(rule: WireRule, template: ErrorTemplate) -> None:
    assert fits(template.message, template.seen.replace("<n>", "2")), rule.id


def test_a_certain_rule_was_seen_or_says_why_it_is_certain() -> None:
    unseen = [
        (rule.id, name)
        for rule, name, template in TEMPLATES
        if (template.certainty or rule.certainty) == "certain" and not template.seen
    ]
    assert unseen == [
        ("BED-40", ""),  # a report that was cut, and Claude's own text
        ("BED-40", "forged"),  # a report that names it without the place
    ]


def test_each_template_is_the_answer_to_a_mutant() -> None:
    answered: Counter[tuple[str, str]] = Counter()
    for mutant in mutants(WIRE.name):
        for base in mutant.base_requests:
            played = base.play()
            posted = played.last
            if mutant.edit(posted):
                for finding in played.judge(posted):
                    rule = next(each for each in WIRE.rules if each.id == finding.id)
                    answered.update(
                        (rule.id, each.name) for each in rule.templates if matches(each, finding.answered.message)
                    )
    assert [(rule.id, name) for rule, name, _ in TEMPLATES if (rule.id, name) not in answered] == []


def test_facts_are_about_models_as_bedrock_names_them() -> None:
    for fact in WIRE.models.facts:
        assert fact.source
        assert not fact.covers("gpt-4o")
        assert not fact.covers("claude-sonnet-4-5"), "Bedrock puts the maker in front"
