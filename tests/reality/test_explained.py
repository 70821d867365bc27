"""``harness explain "TEXT"`` judged from outside: the errors of public reports, and all refusals that were recorded.

``-s`` shows the figures and the tables.
"""

# ruff: noqa: T201

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

from harness.lint import rules_for
from harness.lint.known_errors import known_errors
from harness.wire import wire_of_rule, wire_rules
from harness_lab.reality import ReportedKind
from tests.reality.pasted import AROUND, with_other_ids
from tests.reality.test_reality import REALITY, shared_threads
from tests.recorded.corpus.shared_exchanges import judged_requests

SEEDS = range(5)


@cache
def reported(shared: Path) -> list[ReportedKind]:
    """The rows whose text a report has word for word, and whose rule is there."""
    pairs = zip(REALITY.rows, shared_threads(shared), strict=True)
    return [row for row, thread in pairs if row.text and row.rules and row.text in thread["text"]]


def first_rule(text: str) -> str:
    found = rules_for(text)
    return found[0].rule.id if found else "none"


def comes_first(text: str, rules: Iterable[str]) -> bool:
    """Whether the first rule is one of these, or one of these is found to which the provider says the same words."""
    found = [each.rule.id for each in rules_for(text)]
    if not found:
        return False
    there = [each for each in found if each == found[0] or texts_of(each) & texts_of(found[0])]
    return not set(rules).isdisjoint(there)


def texts_of(rule: str) -> set[tuple[str, ...]]:
    return {tuple(known.words) for known in known_errors() if known.rule.id == rule}


@pytest.mark.parametrize("seed", SEEDS)
def test_the_rule_of_a_reported_error_comes_first(shared: Path, seed: int) -> None:
    chance = random.Random(seed)
    drawn = chance.sample(reported(shared), 30)
    wrong = []
    for row in drawn:
        pasted = chance.choice(AROUND)(with_other_ids(row.text, chance))
        if not comes_first(pasted, row.rules):
            wrong.append((row.row, row.rules, first_rule(pasted), pasted))
    print(f"seed {seed}: {len(drawn) - len(wrong)} of {len(drawn)} right", *wrong, sep="\n  ")
    assert len(wrong) <= 2, wrong


@pytest.mark.sampled(3)
@pytest.mark.parametrize("around", AROUND)
def test_whatever_is_around_an_error(shared: Path, around: object) -> None:
    assert callable(around)
    chance = random.Random(8)
    rows = reported(shared)
    assert len(rows) >= 30
    wrong = [row.row for row in rows if not comes_first(around(with_other_ids(row.text, chance)), row.rules)]
    assert len(wrong) <= 3, wrong


def test_a_report_is_understood_with_its_notes(shared: Path) -> None:
    """The whole text of the report, in which somebody cut the error and went on in words of their own."""
    texts = [(row, shared_threads(shared)[row.row - 1]["text"]) for row in reported(shared)]
    wrong = [(row.row, first_rule(text)) for row, text in texts if first_rule(text) not in row.rules]
    print(f"{len(texts) - len(wrong)} of {len(texts)} right", *wrong, sep="\n  ")
    assert len(wrong) <= len(texts) // 4, wrong
    for row, text in texts:
        found = {each.rule.id for each in rules_for(text)}
        assert not found or found & set(row.rules), f"row {row.row}: {found} is a wrong guess"


def test_a_text_without_a_rule_finds_none_or_one_that_a_note_names() -> None:
    """A note says why the rule that has the text does not see what was reported."""
    for row in REALITY.rows:
        if row.text and row.seen == "none":
            first = first_rule(row.text)
            notes = " ".join(each.note for each in REALITY.rows if each.text == row.text)
            assert first == "none" or first in notes, f"row {row.row}: {first} answers with this text: name it"


# --- recorded refusals ----------------------------------------------------------------------------------------


@cache
def refusals(shared: Path) -> list[tuple[int, str, str]]:
    """The recorded refusals of both sets, each body once: status, format and body."""
    files = [shared / "corpus" / "errors_recorded.jsonl", shared / "corpus2" / "errors_recorded2.jsonl"]
    rows = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    found = {(row["status"] or 0, row["api"], row["body"]) for row in rows if isinstance(row["body"], str)}
    return sorted(found)


def test_keys_quota_and_faults_of_the_server_find_no_rule(shared: Path) -> None:
    others = [(status, body) for status, _, body in refusals(shared) if status in (401, 402, 403, 429) or status >= 500]
    assert len(others) > 50
    assert [(status, body) for status, body in others if rules_for(body)] == []


_WIRES = {"gemini-generateContent": "gemini-generate", "bedrock-converse-stream": "bedrock-converse"}
"""The formats that the collector has named otherwise."""


def test_a_recorded_refusal_finds_a_rule_of_its_own_format(shared: Path) -> None:
    """Or of the format behind another one: Claude in Bedrock, Responses in a compatible server."""
    table = Counter((api, wire_of_rule(first) if first != "none" else first) for api, first in _first(shared))
    print(*(f"{count:4} {api} -> {wire}" for (api, wire), count in sorted(table.items())), sep="\n")
    elsewhere = {pair for pair in table if pair[1] not in ("none", _WIRES.get(pair[0], pair[0]))}
    assert elsewhere <= {
        ("bedrock-converse", "anthropic-messages"),
        ("openai-chat", "openai-responses"),
        ("openai-chat", "gemini-generate"),
    }


def _first(shared: Path) -> Iterator[tuple[str, str]]:
    yield from ((api, first_rule(body)) for _, api, body in refusals(shared))


@cache
def explained(shared: Path) -> Counter[tuple[str, str]]:
    """The rule that the request itself breaks, with the recorded text, and the one that the text alone finds."""
    table: Counter[tuple[str, str]] = Counter()
    for each in (one for name in ("corpus", "corpus2") for one in judged_requests(shared, name)):
        judged = each.happened
        if judged.memory == "with memory" and judged.explanation is not None and judged.exchange.response:
            broken = judged.explanation.finding.id
            table[broken, first_rule(judged.exchange.response.decode("utf-8", "replace"))] += 1
    return table


@pytest.mark.exhaustive
def test_the_text_of_a_recorded_refusal_finds_the_rule_that_its_request_breaks(shared: Path) -> None:
    table = explained(shared)
    print(*(f"{count:4} {broken} -> {first}" for (broken, first), count in sorted(table.items())), sep="\n")
    right = sum(count for (broken, first), count in table.items() if broken == first)
    assert table.total() > 80
    assert {broken for broken, _ in table} <= wire_rules().keys()
    assert right >= 0.95 * table.total(), table
