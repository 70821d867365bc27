"""The rules of a wire against its document, against the texts that people got, and against the mutants of requests."""

from __future__ import annotations

import ast
import json
import re
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from harness.finding import Finding
from harness.wire import OWN_WIRES, IssuedState, UnreadableRequest, WireName, wire
from harness.wire.bedrock_converse.rules.book import RULES as CONVERSE_RULES
from harness.wire.bedrock_converse.rules.request import ConverseRequest
from harness.wire.gemini_generate.rules.book import RULES as GENERATE_RULES
from harness.wire.gemini_generate.rules.request import Request
from harness.wire.gemini_interactions.rules.book import RULES as INTERACTIONS_RULES
from harness.wire.gemini_interactions.rules.request import InteractionRequest
from harness.wire.judge import Check
from harness.wire.rule import LEVELS
from harness_lab.mutants.requests import equivalents, mutants
from tests.wire.documents import DOCUMENTS, GENERATE, Document

OF_EACH = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda each: each.wire)


def fits(template: str, text: str) -> bool:
    """Whether the template says the text: its words, and what the text leaves out (…), stand for anything."""
    wanted = re.split(r"(\{\w+\})", template)
    if "…" not in text:
        return bool(re.fullmatch(".*".join(map(re.escape, wanted[::2])), text, re.DOTALL))
    one = [token for piece in wanted for token in ([None] if re.fullmatch(r"\{\w+\}", piece) else piece)]
    other = [None if letter == "…" else letter for letter in text]
    fitting = [[False] * (len(other) + 1) for _ in range(len(one) + 1)]
    fitting[len(one)][len(other)] = True
    for i in range(len(one), -1, -1):
        for j in range(len(other), -1, -1):
            free = (i < len(one) and one[i] is None) or (j < len(other) and other[j] is None)
            if free:
                fitting[i][j] = (i < len(one) and fitting[i + 1][j]) or (j < len(other) and fitting[i][j + 1])
            elif i < len(one) and j < len(other):
                fitting[i][j] = one[i] == other[j] and fitting[i + 1][j + 1]
    return fitting[0][0]


def test_the_texts_of_templates_are_distinguished() -> None:
    assert fits("a {b} c", "a x y c")
    assert not fits("a {b} c", "a x y d")
    assert fits("a {b} c", "a … c")
    assert fits("a {b} c", "… c")
    assert not fits("a {b} c", "d … c")


# --- the document -------------------------------------------------------------------------------------------


@OF_EACH
def test_every_row_of_the_document_has_a_rule_or_a_reason(document: Document, shared: Path) -> None:
    rows, ours = document.rows(shared), {rule.id for rule in document.speaker.rules}
    assert len(rows) == document.rows_in_all
    assert rows.keys() - ours == document.left_out.keys()
    assert ours - rows.keys() == document.added


@OF_EACH
def test_each_rule_is_as_certain_as_the_document_has_it(document: Document, shared: Path) -> None:
    rows = document.rows(shared)
    levels = {
        rule.id: (rows[rule.id].level, rule.certainty[0].upper()) for rule in document.speaker.rules if rule.id in rows
    }
    differing = {id: both for id, both in levels.items() if both[0] != both[1]}
    assert differing == {id: (theirs, ours) for id, (theirs, ours, _) in document.levels.items()}


# --- the texts ----------------------------------------------------------------------------------------------


@OF_EACH
def test_what_somebody_got_fits_the_template(document: Document) -> None:
    for rule in document.speaker.rules:
        for template in rule.templates:
            seen = template.seen.replace("<n>", "2")
            assert not seen or fits(template.message, seen) or fits(template.message, f"{seen}."), rule.id


@OF_EACH
def test_a_certain_rule_was_seen_or_says_why_it_is_certain(document: Document) -> None:
    unseen = {
        (rule.id, template.name)
        for rule in document.speaker.rules
        for template in rule.templates
        if (template.certainty or rule.certainty) == "certain" and not template.seen
    }
    assert unseen == document.unseen.keys()


@OF_EACH
def test_facts_have_a_source_and_are_about_models_as_this_provider_names_them(document: Document) -> None:
    for fact in document.speaker.models.facts:
        assert fact.models
        assert fact.source
        assert not any(map(fact.covers, ("gpt-5.5", "gpt-4o", "claude-sonnet-4-5")))


# --- the mutants --------------------------------------------------------------------------------------------


@cache
def found_in_mutants(name: WireName) -> tuple[Finding, ...]:
    """Everything that is found in any mutant."""
    found: list[Finding] = []
    for mutant in mutants(name):
        for base in mutant.base_requests:
            played = base.play()
            posted = played.last
            assert mutant.edit(posted), (mutant.name, base.name)
            found += played.judge(posted)
    return tuple(found)


@OF_EACH
def test_every_template_answers_a_mutant_and_every_permission_is_tried(document: Document) -> None:
    rules = {rule.id: rule for rule in document.speaker.rules}
    reached = {
        (found.id, template.name)
        for found in found_in_mutants(document.wire)
        for template in rules[found.id].templates
        if fits(template.message, found.answered.message)
        and found.level in (LEVELS.get(template.certainty), rules[found.id].level, "INFO", "SHOULD")
    }
    assert reached == {(rule.id, template.name) for rule in rules.values() for template in rule.templates}
    tried = {rule for each in equivalents(document.wire) for rule in each.allows}
    assert {rule.id for rule in rules.values() if rule.permits} <= tried


@OF_EACH
def test_what_is_found_says_what_was_expected_and_leaves_nothing_open(document: Document) -> None:
    for found in found_in_mutants(document.wire):
        assert found.expected
        assert found.got
        assert found.expected != found.got, found
        assert max(len(found.expected), len(found.got)) < 220, found
        assert not re.search(r"\{\w+\}", found.answered.message)


@pytest.mark.parametrize("name", OWN_WIRES)
def test_findings_are_built_by_rules_only(name: WireName) -> None:
    package = import_module(f"harness.wire.{name.replace('-', '_')}")
    for path in Path(str(package.__file__)).parent.rglob("*.py"):
        calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
        assert not [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "Finding"], path


VIEWS: dict[WireName, tuple[Any, Any]] = {
    "gemini-generate": (GENERATE_RULES, Request),
    "gemini-interactions": (INTERACTIONS_RULES, InteractionRequest),
    "bedrock-converse": (CONVERSE_RULES, ConverseRequest),
}


@cache
def broken(name: WireName) -> list[tuple[str, Any]]:
    """Every mutant in every base request, with its rule, as checks look at it: beside what was issued, and alone.

    Bodies that cannot be read are left out.
    """
    found = []
    for mutant in mutants(name):
        for base in mutant.base_requests:
            played = base.play()
            posted = played.last
            mutant.edit(posted)
            route = wire(name).route("POST", posted.path)
            assert route is not None
            for issued in (IssuedState(), *([] if base.foreign else [played.issued])):
                with suppress(UnreadableRequest):
                    read = wire(name).read(route, posted.content(), posted.headers)
                    found.append((mutant.rules[0], VIEWS[name][1](wire(name).resolve(read, issued), issued)))
    return found


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("name", "check"),
    [(name, check) for name, (rules, _) in VIEWS.items() for check in rules.checks],
    ids=lambda each: each if isinstance(each, str) else each.__name__,
)
def test_every_check_is_needed(name: WireName, check: Check[Any]) -> None:
    """Without it some mutant would go unnoticed, or be found as something else."""
    others = [other for other in VIEWS[name][0].checks if other is not check]

    def finds(by: Check[Any], rule: str, view: Any) -> bool:
        return any(finding.id == rule for finding in by(view))

    assert any(
        finds(check, rule, view) and not any(finds(other, rule, view) for other in others)
        for rule, view in broken(name)
    ), "every mutant that it finds is found by another check, too"


# --- Gemini's texts ---------------------------------------------------------------------------------------------

ELSEWHERE = {
    "GEM-08": ("in the `2.` content block", "an older wording, in the rule's evidence"),
    "GEM-12": ("", "a gateway's texts, not Google's"),
    "GEM-22": ("… unless the last part is a function response.", "an older wording, in the rule's evidence"),
    "GEM-24": ("'minimal' is not a supported", "the Interactions API's text, in the rule's evidence"),
}
"""Texts of the document that no template says, by how they begin, and why."""


def quoted(cell: str) -> list[str]:
    """The messages that a cell quotes, without what only names a place or a value."""
    plain = cell.replace("\\`", "\0")
    texts = [text.replace("\0", "`").replace("\\n", "\n") for text in re.findall(r"`([^`]+)`", plain)]
    return [text.replace(" …", "…") for text in texts if " " in text]


def test_the_documents_texts_and_statuses_are_those_of_the_templates(shared: Path) -> None:
    missing = []
    rules = {rule.id: rule for rule in GENERATE.speaker.rules}
    for id, row in GENERATE.rows(shared).items():
        status = re.search(r"\*\*(\d{3})\*\*", row.answer)
        for template in rules[id].templates:
            assert template.status in ({int(status[1]), 400} if status else {400, 200}), id
            assert (template.param, template.code, template.kind) == (None, None, "")
        for text in quoted(row.answer):
            if not any(fits(template.message, text) for template in rules[id].templates):
                missing.append((id, text))
    assert all(id in ELSEWHERE and ELSEWHERE[id][0] in text for id, text in missing), missing
    assert {id for id, _ in missing} == set(ELSEWHERE)


def test_texts_that_people_quote_fit_a_template(shared: Path) -> None:
    """Of errors about a request; keys, quota and load are not about one."""
    messages = [template.message for rule in GENERATE.speaker.rules for template in rule.templates]
    for line in (shared / "corpus/errors_quoted.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row.get("api") == "gemini-generateContent" and row["status"] == 400:
            text = _message(row["body"])
            assert any(fits(message, text) or fits(message, f"{text}.") for message in messages), text


def _message(body: str) -> str:
    try:
        error = json.loads(body)
    except ValueError:
        return body
    return str((error[0] if isinstance(error, list) else error)["error"]["message"])
