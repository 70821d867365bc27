"""The rule table: it is the one of the wire document, and its wordings are texts that somebody got."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.wire import ErrorTemplate, WireRule
from harness.wire.openai_responses import WIRE
from harness.wire.openai_responses.schema import MEMBERS
from tests.sdks import openai
from tests.wire.openai_responses.wording import matches, wordings_of

RAISED = {
    "OAI-20": "the assistant's parts: hermes-agent issue 15687; an output's: nagobot issue 27, both word for word",
    "OAI-25": "codegraff issue 930, word for word, for a request to this API",
}
"""Rules that the document calls likely, and of which a refusal was found since."""

FOUND_SINCE = {
    *("OAI-COMPACT", "OAI-CONNECTION", "OAI-CONVERSATION", "OAI-DS", "OAI-FORMAT", "OAI-LENGTH", "OAI-NS"),
    "OAI-OUTSCHEMA",
}
"""Rules that the document does not have."""

RULES = {rule.id: rule for rule in WIRE.rules}


@dataclass(frozen=True)
class Row:
    """One row of the document's table. Codes and params in the order of the messages, as far as it names them."""

    id: str
    messages: tuple[str, ...]
    params: tuple[str, ...]
    codes: tuple[str | None, ...]
    status: int
    level: str


@pytest.fixture(scope="module")
def rows(shared: Path) -> dict[str, Row]:
    text = (shared / "wire" / "openai-responses.md").read_text()
    return {row.id: row for line in text.splitlines() if line.startswith("| OAI-") for row in [parsed(line)]}


def parsed(line: str) -> Row:
    id, _, said, answer, evidence = (cell.strip() for cell in line.strip("| ").split(" | ", 4))
    status = re.search(r"\*\*(\d{3})\*\*", said)
    level = re.match(r"(?:rule )?([CLI])\b", evidence)
    assert level is not None, line
    pairs = [pair.partition(" / ") for pair in answer.split(" ; ")]
    return Row(
        id,
        tuple(span.replace("\\`", "`") for span in re.findall(r"(?<!\\)`(.+?)(?<!\\)`", said)),
        tuple(param for param, slash, _ in pairs if slash),
        tuple(None if code == "null" else code for first, _, last in pairs for code in [last or first] if code != "–"),
        int(status[1]) if status else 400,
        level[1],
    )


def test_the_document_and_the_table_have_the_same_rules_in_the_same_order(rows: dict[str, Row]) -> None:
    assert list(rows) == list(RULES)[:28] == [f"OAI-{number:02}" for number in range(1, 29)]
    assert set(RULES) - set(rows) == FOUND_SINCE


@pytest.mark.parametrize("rule", [rule for rule in WIRE.rules if rule.id not in FOUND_SINCE], ids=lambda rule: rule.id)
def test_a_row_says_what_the_document_says(rule: WireRule, rows: dict[str, Row]) -> None:
    row = rows[rule.id]
    assert rule.certainty[0].upper() == ("C" if rule.id in RAISED else row.level)
    # OAI-13 is told in the words of OAI-11; single words in a cell (`integer below minimum value`) are no messages.
    told = [message for message in row.messages if len(message) > 40 or message.endswith(".")]
    assert [message for message in told if not wordings_of(rule, message)] == []
    assert {wording.status for wording in rule.templates} == {200 if rule.id == "OAI-28" else row.status}
    assert set(row.codes) <= {wording.code for wording in rule.templates}
    usual = rule.templates[0]
    for param in row.params[:1]:
        assert fits(usual, param), (usual.param, param)


def fits(wording: ErrorTemplate, param: str) -> bool:
    """Whether a param of the document is what the wording says."""
    return (wording.param or "null") == param or (wording.param or "").startswith("{")


def test_texts_that_differ_do_not_match() -> None:
    assert matches("Item '{id}' not found.", "Item 'rs_…' not found.")
    assert matches("No tool output found for {kind} {call_id}.", "No tool output found for function call call_X.")
    assert not matches("Item '{id}' not found.", "Item 'rs_1' was found.")
    assert not matches("Item not found.", "Item not found. Try again.")


def test_the_schema_knows_the_members_of_the_sdk() -> None:
    known = {
        name
        for kind in (
            openai.types.responses.response_create_params.ResponseCreateParamsBase,
            openai.types.responses.response_create_params.ResponseCreateParamsNonStreaming,
            openai.types.responses.response_create_params.ResponseCreateParamsStreaming,
        )
        for name in kind.__annotations__
    }
    assert set(MEMBERS) == known | {"client_metadata"}  # which Codex sends, and no SDK
