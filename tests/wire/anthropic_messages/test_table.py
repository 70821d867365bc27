"""The table of rules: held against the rule document, against what was quoted and recorded, and against itself."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from harness.wire.anthropic_messages import WIRE
from harness.wire.anthropic_messages.models import MODELS
from tests.wire.openai_responses.wording import saying

BY_ID = {rule.id: rule for rule in WIRE.rules}


class Row(NamedTuple):
    """A row of the document's table, as far as it can be compared."""

    id: str
    level: str
    messages: tuple[str, ...]


def document(shared: Path) -> list[Row]:
    rows = []
    for line in (shared / "wire/anthropic.md").read_text().splitlines():
        if line.startswith("| ANT-"):
            id, rule, message, level = (cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:5])
            texts = re.findall(r"(?<!\\)`((?:\\`|[^`])+)(?<!\\)`", message)
            rows.append(Row(id, level, tuple(text.replace("\\`", "`") for text in texts if " " in text)))
            assert rule
    return rows


LEVELS = {
    "ANT-06": ("C", "the first text is certain, the second likely"),
    "ANT-24": ("C", "the rule was measured, its text is not known"),
    "ANT-26": ("C", "the rule is documented, its text is likely"),
}
"""Rows whose level stands behind another word."""

OTHER_TEXTS = {
    "web_search tool use with id `srvtoolu_X` was found without a corresponding `web_search_tool_result` block": (
        "the documentation has the name of the tool in backticks"
    ),
    "Invalid `data` in `redacted_thinking` block": "the place in front of it is left out",
    "messages.156: Did not find 1 `tool_result` block(s) at the beginning of this message. …": "no longer said",
}


def test_the_table_has_every_row_of_the_document(shared: Path) -> None:
    """The numbers behind the document's go on with it."""
    numbered = [rule.id for rule in WIRE.rules if rule.id[4:].isdigit()]
    assert numbered[:30] == [row.id for row in document(shared)]
    assert numbered == [f"ANT-{number:02}" for number in range(1, 37)]


def test_the_table_has_the_levels_of_the_document(shared: Path) -> None:
    for row in document(shared):
        level = LEVELS[row.id][0] if row.id in LEVELS else row.level[0]
        assert BY_ID[row.id].certainty[0].upper() == level, row


def test_the_table_says_what_the_document_says(shared: Path) -> None:
    said = 0
    for row in document(shared):
        for text in row.messages:
            if text not in OTHER_TEXTS:
                assert row.id in saying(WIRE.rules, text), text
                said += 1
    assert said >= 30


def test_rules_come_in_the_order_of_their_ids() -> None:
    ids = [rule.id for rule in WIRE.rules]
    assert ids == sorted(set(ids))


# --- what was quoted and recorded -----------------------------------------------------------------------------

NOT_ABOUT_THE_REQUEST = (
    "API key is invalid.",
    "Internal server error",
    "Overloaded",
    "This request would exceed the rate limit",
    "invalid x-api-key",
)

OLDER = {"messages.5.content.1: tool_use ids must be unique": "elsewhere quoted with backticks"}


def errors(path: Path) -> list[str]:
    """The texts of the provider's errors; those that a proxy has wrapped are unwrapped."""
    texts = []
    for row in map(json.loads, path.read_text().splitlines()):
        if row.get("api") == "anthropic-messages":
            message = json.loads(row["body"])["error"]["message"]
            texts.append(json.loads(message)["error"]["message"] if message.startswith("{") else message)
    return texts


@pytest.mark.parametrize("name", ["errors_quoted.jsonl", "errors_recorded.jsonl"])
def test_every_known_error_about_a_request_is_that_of_a_rule(shared: Path, name: str) -> None:
    texts = errors(shared / "corpus" / name)
    assert len(texts) >= 13
    for text in texts:
        known = text.startswith(NOT_ABOUT_THE_REQUEST) or text in OLDER
        assert saying(WIRE.rules, text) or known, text


# --- models ---------------------------------------------------------------------------------------------------


def test_every_model_of_the_sdk_is_known() -> None:
    from typing import get_args

    from anthropic.resources.messages.messages import DEPRECATED_MODELS
    from anthropic.types import ModelParam

    names = [*get_args(get_args(ModelParam)[0]), *DEPRECATED_MODELS]
    assert len(names) > 35
    assert [name for name in names if not MODELS.holds("known", name)] == []


@pytest.mark.parametrize("name", ["claude-sonet-4-5", "claude-nonexistent-rig-test", "bad model", "gpt-5.5", "claude"])
def test_other_models_are_unknown(name: str) -> None:
    assert not MODELS.holds("known", name)


def test_facts_have_sources() -> None:
    for fact in MODELS.facts:
        assert fact.source.startswith(("https://", "recording ", "anthropic ")), fact.name
        assert fact.models
