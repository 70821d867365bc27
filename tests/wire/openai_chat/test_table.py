"""The table of rules: complete against the wire document, its texts word for word, all of them reached by a mutant."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from harness.finding import Finding
from harness.wire import ErrorTemplate, WireRule
from harness.wire.openai_chat import WIRE
from harness_lab.mutants.requests import mutants
from tests.wire.openai_chat.wordings import says

RULES = WIRE.rules
RULE_OF = {rule.id: rule for rule in RULES}
WORDINGS = [(rule, wording.name, wording) for rule in RULES for wording in rule.templates]


def named(value: object) -> str:
    return value.id if isinstance(value, WireRule) else value if isinstance(value, str) else ""


@pytest.mark.parametrize(("rule", "name", "wording"), [each for each in WORDINGS if each[2].seen], ids=named)
def test_a_wording_says_what_was_seen(rule: WireRule, name: str, wording: ErrorTemplate) -> None:
    assert says(wording, wording.seen)


# --- the document -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """A rule as the document has it. ``param`` and ``code`` are empty where it leaves them open."""

    id: str
    message: str
    status: int
    params: str
    level: str


def rows(shared: Path) -> list[Row]:
    text = (shared / "wire/openai-chat.md").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("| OAC-")]
    found = []
    for line in lines:
        id, _, message, params, level = (cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:6])
        status = re.search(r"\*\*(\d{3})\*\*", message)
        texts = re.findall(r"(?<!\\)`((?:[^`\\]|\\`)*)(?<!\\)`", message)
        said = texts[-1].replace("\\`", "`") if texts else ""
        found.append(Row(id, said, int(status[1]) if status else 400, params, level[:1]))
    return found


LEVELS = {
    "OAC-02": ("C", "I", "the answer is certain, that a name is unknown to a server is inferred from it"),
    "OAC-11": ("L", "C", "bodies with both texts are quoted in threads"),
    "OAC-16": ("L", "C", "it was recorded: chat-bad-request"),
}
"""Where our level is not the document's, and why."""


def letter(id: str) -> str:
    """How sure we are of a rule, as the document has it."""
    return RULE_OF[id].certainty[0].upper()


def test_the_table_has_every_rule_of_the_document_at_its_level(shared: Path) -> None:
    found = rows(shared)
    assert [row.id for row in found] == [rule.id for rule in RULES if re.search(r"\d", rule.id)][: len(found)]
    assert len(found) == 19
    differing = {row.id: (row.level, letter(row.id)) for row in found if row.level != letter(row.id)}
    assert differing == {id: levels[:2] for id, levels in LEVELS.items()}


def test_the_table_has_the_texts_of_the_document(shared: Path) -> None:
    compared = 0
    for row in rows(shared):
        if not row.message:
            continue
        same = [wording for wording in RULE_OF[row.id].templates if says(wording, row.message)]
        assert same, (row.id, row.message)
        assert {wording.status for wording in same} == {row.status}
        assert row.id == "OAC-15" or any(takes(wording, row.params) for wording in same), row
        compared += 1
    assert compared == 17


def takes(wording: ErrorTemplate, params: str) -> bool:
    """Whether param and code are as the document has them: ``messages[3].role / null`` and the like."""
    param, code = (part.split("(")[0].strip(" `") for part in params.split(" / "))
    if (code == "null") != (wording.code is None) or (wording.code and code != wording.code):
        return False
    if param in ("path", "that path"):
        return wording.param == "{at}"
    if param == "null" or wording.param is None:
        return param == "null" and wording.param is None
    general = re.sub(r"\[(\d+|K)\]", "[]", param)
    return re.sub(r"\[\{\w+\}\]", "[]", wording.param) == general or wording.param == "{at}"


# --- the checks ---------------------------------------------------------------------------------------------


@cache
def made() -> tuple[Finding, ...]:
    """Everything that is said of any mutant."""
    found: list[Finding] = []
    for mutant in mutants("openai-chat"):
        for base in mutant.base_requests:
            played = base.play()
            posted = played.last
            assert mutant.edit(posted), mutant.name
            found += played.judge(posted)
    return tuple(found)


@pytest.mark.parametrize(("rule", "name", "wording"), WORDINGS, ids=named)
def test_every_wording_is_said_of_some_mutant(rule: WireRule, name: str, wording: ErrorTemplate) -> None:
    assert any(each.id == rule.id and says(wording, each.answered.message) for each in made())


def test_what_is_said_is_complete() -> None:
    for violation in made():
        assert violation.expected
        assert violation.got
        assert "{" not in violation.answered.message
        assert violation.answered.place or violation.id == "OAC-JSON"
        assert len(violation.got) < 400
