"""The table of rules: every row of the wire document, its texts as people got them, and a mutant for each wording."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

import harness.wire.gemini_generate as package
from harness.finding import Finding
from harness.wire import ErrorTemplate, WireRule
from harness.wire.gemini_generate import WIRE
from harness.wire.played import PlayedLoop
from harness.wire.rule import LEVELS as LEVELS_OF
from harness_lab.mutants.requests import mutants

RULES = {rule.id: rule for rule in WIRE.rules}
WORDINGS = [(rule, wording.name, wording) for rule in WIRE.rules for wording in rule.templates]

LEVELS = {
    "GEM-10": ("C", "I", "that the values are accepted is certain; that a careful loop does not send them is ours"),
    "GEM-15": ("L", "I", "nothing of it is refused (status 200), so nobody can be likely to refuse it"),
    "GEM-17": ("C", "I", "that the text is Google's is certain; which names there are is not"),
    "GEM-20": ("C", "L", "that the text is Google's is certain; the count is a lower bound by a sibling's tokenizer"),
    "GEM-23": ("C", "L", "the document: certain on Vertex AI, reports differ for the Developer API; two wordings"),
}
"""Where the document's level is not the rule's: theirs, ours and why."""


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


@pytest.mark.parametrize(
    ("rule", "wording"), [(rule, wording) for rule, _, wording in WORDINGS if wording.seen], ids=str
)
def test_what_somebody_got_fits_the_template(rule: WireRule, wording: ErrorTemplate) -> None:
    assert fits(wording.message, wording.seen) or fits(wording.message, f"{wording.seen}."), rule.id


def test_the_texts_of_the_template_are_told_apart() -> None:
    assert fits("a {b} c", "a x y c")
    assert not fits("a {b} c", "a x y d")
    assert fits("a {b} c", "a … c")
    assert fits("a {b} c", "… c")
    assert not fits("a {b} c", "d … c")


def rows(shared: Path) -> dict[str, tuple[str, str]]:
    """The rows of the document's table: message and level by id."""
    text = (shared / "wire/gemini.md").read_text()
    found = {}
    for line in text.splitlines():
        if line.startswith("| GEM-"):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            found[cells[0]] = (cells[2], cells[3])
    return found


def test_every_row_of_the_document_is_in_the_table(shared: Path) -> None:
    documented = rows(shared)
    assert len(documented) == 25
    assert set(documented) <= set(RULES)
    assert set(RULES) - set(documented) == {
        *("GEM-BODY", "GEM-FIELD", "GEM-TYPE", "GEM-PART", "GEM-TOOL", "GEM-RANGE", "GEM-LOGPROBS", "GEM-APART")
    }


def test_levels_are_the_documents(shared: Path) -> None:
    different = {}
    for name, (_, said) in rows(shared).items():
        level = re.search(r"\b([CLI])\b", said)
        assert level, name
        if level[1] != RULES[name].certainty[0].upper():
            different[name] = (level[1], RULES[name].certainty[0].upper())
    assert different == {name: (theirs, ours) for name, (theirs, ours, _) in LEVELS.items()}


def quoted(cell: str) -> list[str]:
    """The messages that a cell quotes, without what only names a place or a value."""
    plain = cell.replace("\\`", "\0")
    texts = [text.replace("\0", "`").replace("\\n", "\n") for text in re.findall(r"`([^`]+)`", plain)]
    return [text.replace(" …", "…") for text in texts if " " in text]


ELSEWHERE = {
    "GEM-08": ("in the `2.` content block", "an older wording, in the rule's evidence"),
    "GEM-12": ("", "a gateway's texts, not Google's"),
    "GEM-22": ("… unless the last part is a function response.", "an older wording, in the rule's evidence"),
    "GEM-24": ("'minimal' is not a supported", "the Interactions API's text, in the rule's evidence"),
}
"""Texts of the document that no template says, by how they begin, and why."""


def test_the_documents_texts_fit_the_templates(shared: Path) -> None:
    missing = []
    for name, (message, _) in rows(shared).items():
        templates = [wording.message for wording in RULES[name].templates]
        for text in quoted(message):
            if not any(fits(template, text) for template in templates):
                missing.append((name, text))
    assert all(name in ELSEWHERE and ELSEWHERE[name][0] in text for name, text in missing), missing
    assert {name for name, _ in missing} == set(ELSEWHERE)


def test_statuses_are_the_documents(shared: Path) -> None:
    for name, (message, _) in rows(shared).items():
        told = re.search(r"\*\*(\d{3})\*\*", message)
        for wording in RULES[name].templates:
            assert wording.status in ({int(told[1]), 400} if told else {400, 200}), name
            assert (wording.param, wording.code, wording.kind) == (None, None, "")


def every_violation() -> list[Finding]:
    found = []
    plays: dict[int, PlayedLoop] = {}  # many mutants break the same specimen
    for mutant in mutants("gemini-generate"):
        for base in mutant.base_requests:
            if id(base) not in plays:
                plays[id(base)] = base.play()
            played = plays[id(base)]
            posted = played.last
            if mutant.edit(posted):
                found += played.judge(posted)
    return found


def test_every_wording_is_reached_by_a_mutant_and_says_what_was_expected() -> None:
    """Nothing that somebody reads is left unfilled or unsaid."""
    reached = set()
    for violation in every_violation():
        rule = RULES[violation.id]
        assert violation.expected and violation.got, violation  # noqa: PT018 - one thought
        assert violation.expected != violation.got, violation
        assert len(violation.expected) < 220 and len(violation.got) < 220, violation  # noqa: PT018
        assert not re.search(r"\{\w+\}", violation.answered.message)
        reached |= {
            (rule.id, wording.name)
            for wording in rule.templates
            if fits(wording.message, violation.answered.message)
            and violation.level in (LEVELS_OF.get(wording.certainty), rule.level, "INFO", "SHOULD")
        }
    assert reached == {(rule.id, name) for rule, name, _ in WORDINGS}


def test_allowances_say_nothing() -> None:
    assert {rule.id for rule in WIRE.rules if rule.permits} == {"GEM-16", "GEM-21", "GEM-25"}
    assert all(bool(rule.templates) is not rule.permits for rule in WIRE.rules)


def test_violations_are_built_by_the_table_only() -> None:
    for path in Path(package.__file__).parent.rglob("*.py"):
        calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
        assert not [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "Finding"], path


def test_texts_that_people_quote_fit_a_template(shared: Path) -> None:
    """Of errors about a request; keys, quota and load are not about one."""
    unknown = []
    for line in (shared / "corpus/errors_quoted.jsonl").read_text().splitlines():
        told = json.loads(line)
        if told.get("api") == "gemini-generateContent" and told["status"] == 400:
            text = _message(told["body"])
            templates = [wording.message for _, _, wording in WORDINGS]
            if not any(fits(template, text) or fits(template, f"{text}.") for template in templates):
                unknown.append(text)
    assert unknown == []


def _message(body: str) -> str:
    try:
        error = json.loads(body)
    except ValueError:
        return body
    return str((error[0] if isinstance(error, list) else error)["error"]["message"])
