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
from harness.wire import OWN_WIRES, ErrorTemplate, IssuedState, UnreadableRequest, WireName, wire
from harness.wire.bedrock_converse.rules.book import RULES as CONVERSE_RULES
from harness.wire.bedrock_converse.rules.request import ConverseRequest
from harness.wire.gemini_generate.rules.book import RULES as GENERATE_RULES
from harness.wire.gemini_generate.rules.request import Request
from harness.wire.gemini_interactions.rules.book import RULES as INTERACTIONS_RULES
from harness.wire.gemini_interactions.rules.request import InteractionRequest
from harness.wire.judge import Check
from harness.wire.rule import LEVELS
from harness_lab.mutants.requests import equivalents, mutants
from tests.wire.anthropic_messages.histories import WITHOUT_THREADS, body_of, judge, user
from tests.wire.documents import CHAT, DOCUMENTS, GENERATE, RESPONSES, Document
from tests.wire.fitting import fits

OF_EACH = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda each: each.wire)
OF_EACH_WIRE = pytest.mark.parametrize("name", OWN_WIRES)


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


@OF_EACH_WIRE
def test_what_somebody_got_fits_the_template(name: WireName) -> None:
    for rule in wire(name).rules:
        for template in rule.templates:
            seen = template.seen.replace("<n>", "2")
            assert not seen or fits(template.message, seen) or fits(template.message, f"{seen}."), rule.id
            assert "…" not in template.message or name == "bedrock-converse"


@OF_EACH_WIRE
def test_a_rule_is_written_for_people(name: WireName) -> None:
    rules = wire(name).rules
    assert len({rule.id for rule in rules}) == len(rules)
    for rule in rules:
        assert rule.statement.endswith(".")
        assert rule.why.endswith(".")
        assert rule.evidence
        assert bool(rule.templates) != rule.permits
        assert len({template.name for template in rule.templates}) == len(rule.templates)


@OF_EACH
def test_a_certain_rule_was_seen_or_says_why_it_is_certain(document: Document) -> None:
    unseen = {
        (rule.id, template.name)
        for rule in document.speaker.rules
        for template in rule.templates
        if (template.certainty or rule.certainty) == "certain" and not template.seen
    }
    assert document.unseen is None or unseen == document.unseen.keys()


@OF_EACH
def test_facts_have_a_source_and_are_about_models_as_this_provider_names_them(document: Document) -> None:
    foreign = () if document.elsewhere is not None and document is not GENERATE else ("gpt-5.5", "claude-sonnet-4-5")
    for fact in document.speaker.models.facts:
        assert fact.models
        assert fact.source
        assert not any(map(fact.covers, foreign))


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
    if name == "anthropic-messages":  # what only a server without threads says
        found += judge(body_of(user("a"), thread={"type": "create"}), wire=WITHOUT_THREADS)
    return tuple(found)


@OF_EACH_WIRE
def test_every_template_answers_a_mutant_and_every_permission_is_tried(name: WireName) -> None:
    rules = {rule.id: rule for rule in wire(name).rules}
    reached = {
        (found.id, template.name)
        for found in found_in_mutants(name)
        for template in rules[found.id].templates
        if fits(template.message, found.answered.message)
        and (
            found.level in (LEVELS.get(template.certainty), rules[found.id].level, "INFO", "SHOULD")
            or name == "openai-chat"  # where another maker's server may be certain of what is likely
        )
    }
    assert reached == {(rule.id, template.name) for rule in rules.values() for template in rule.templates}
    tried = {rule for each in equivalents(name) for rule in each.allows}
    assert {rule.id for rule in rules.values() if rule.permits} <= tried


@OF_EACH_WIRE
def test_what_is_found_says_what_was_expected_and_leaves_nothing_open(name: WireName) -> None:
    for found in found_in_mutants(name):
        assert found.expected
        assert found.got
        assert found.expected != found.got, found
        assert max(len(found.expected), len(found.got)) < 220, found
        assert not re.search(r"\{\w+\}", found.answered.message)


@OF_EACH_WIRE
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


# --- the document's texts -------------------------------------------------------------------------------------

WITH_TEXTS = pytest.mark.parametrize(
    "document", [each for each in DOCUMENTS if each.elsewhere is not None], ids=lambda each: each.wire
)


def quoted(cell: str) -> list[str]:
    """The messages that a cell quotes, without what only names a place or a value."""
    plain = cell.replace("\\`", "\0")
    texts = [text.replace("\0", "`").replace("\\n", "\n") for text in re.findall(r"`([^`]+)`", plain)]
    return [text.replace(" …", "…") for text in texts if " " in text]


@WITH_TEXTS
def test_the_documents_texts_and_statuses_are_those_of_the_templates(document: Document, shared: Path) -> None:
    missing = []
    rules = {rule.id: rule for rule in document.speaker.rules}
    for id, row in document.rows(shared).items():
        status = re.search(r"\*\*(\d{3})\*\*", row.answer)
        for template in rules[id].templates:
            assert template.status in ({int(status[1]), 400} if status else {400, 200}), id
            assert document is not GENERATE or (template.param, template.code, template.kind) == (None, None, "")
        for text in quoted(row.answer):
            if not any(fits(template.message, text) for template in rules[id].templates):
                missing.append((id, text))
    elsewhere = document.elsewhere or {}
    assert all(id in elsewhere and elsewhere[id][0] in text for id, text in missing), missing
    assert {id for id, _ in missing} == set(elsewhere)


@pytest.mark.parametrize("document", [CHAT, RESPONSES], ids=lambda each: each.wire)
def test_the_documents_params_and_codes_are_those_of_the_templates(document: Document, shared: Path) -> None:
    """``messages[3].role / null`` and the like, several behind each other, or only a code."""
    rules = {rule.id: rule for rule in document.speaker.rules}
    for id, row in document.rows(shared).items():
        for pair in row.place.split(" ; ") if row.place not in ("", "–") else ():
            first, slash, last = (each.split("(")[0].strip(" `") for each in pair.partition(" / "))
            param, code = (first, last) if slash else (None, first)
            assert any(takes(template, param, code) for template in rules[id].templates), (id, pair)


def takes(template: ErrorTemplate, param: str | None, code: str) -> bool:
    """Whether a template has these."""
    general = [re.sub(r"\[(\d+|K|\{\w+\})\]", "[]", each) for each in (template.param or "null", param or "null")]
    same = param is None or general[0] == general[1] or general[0].startswith("{")
    return same and (template.code or "null") == code.replace("–", "null")


# --- texts that people have quoted, or that were recorded -------------------------------------------------------

NOT_ABOUT_THE_REQUEST: dict[WireName, tuple[str, ...]] = {
    "anthropic-messages": (
        *("API key is invalid.", "Internal server error", "Overloaded", "invalid x-api-key"),
        "This request would exceed the rate limit",
        "messages.5.content.1: tool_use ids must be unique",  # elsewhere quoted with backticks
    ),
    "openai-chat": (
        "Request too large for",  # tokens per minute are an account's, not a request's
        "This model's maximum context length is 16384",  # vLLM counts the completion, too
        "Provider returned error",  # a router hides the text of the provider
    ),
    "openai-responses": (
        *("Incorrect API key", "Could not parse your authentication token", "You exceeded your current quota"),
        "Model not found: grok",  # a server of another maker that has models of its own
        "input: missing field 'call_id'",  # DeepSeek's own words for what the newest SDK types do not even require
    ),
}
"""How texts begin that are about keys, quota and load, and others of which no rule is."""

APIS: dict[str, WireName] = {"gemini-generateContent": "gemini-generate"}


@pytest.mark.parametrize(
    ("name", "file", "least"),
    [
        ("anthropic-messages", "errors_quoted.jsonl", 13),
        ("anthropic-messages", "errors_recorded.jsonl", 13),
        ("gemini-generate", "errors_quoted.jsonl", 1),
        ("openai-chat", "errors_quoted.jsonl", 13),
        ("openai-responses", "errors_quoted.jsonl", 5),
        ("openai-responses", "errors_recorded.jsonl", 14),
    ],
)
def test_texts_that_people_quote_fit_a_template(name: WireName, file: str, least: int, shared: Path) -> None:
    """Of errors about a request; of Gemini's, which are none is known by the status."""
    templates = [template for rule in wire(name).rules for template in rule.templates]
    rows = [json.loads(line) for line in (shared / "corpus" / file).read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if APIS.get(row.get("api"), row.get("api")) == name]
    rows = [row for row in rows if name != "gemini-generate" or row["status"] == 400]
    errors = [error for row in rows if (error := _error(row["body"])) is not None]
    assert len(errors) >= least
    for error in errors:
        if error["message"].startswith(NOT_ABOUT_THE_REQUEST.get(name, ("\0",))):
            continue
        said = [each for each in templates if any(fits(each.message, error["message"] + end) for end in ("", "."))]
        assert said, error
        assert name != "openai-responses" or (error["code"], 400) in {(each.code, each.status) for each in said}


def _error(body: str) -> Any:
    """The error of a body; None if it is inside a stream. One that a proxy has wrapped is unwrapped."""
    if "response.failed" in body:
        return None
    try:
        document = json.loads(body)
    except ValueError:
        return {"message": body}
    document = document[0] if isinstance(document, list) else document
    error = document.get("error", document)
    error = {"message": error} if isinstance(error, str) else error
    message = error.get("message", "")
    if not message:
        return None  # of a key
    return _error(message) if message.startswith("{") else error
