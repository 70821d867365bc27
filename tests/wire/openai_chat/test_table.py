"""The table of rules: complete against the wire document, its texts word for word."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from harness.wire import ErrorTemplate
from harness.wire.openai_chat import WIRE
from tests.wire.openai_responses.wording import wordings_of

RULES = WIRE.rules
RULE_OF = {rule.id: rule for rule in RULES}


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
        same = wordings_of(RULE_OF[row.id], row.message)
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
