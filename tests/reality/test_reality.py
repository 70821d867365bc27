"""The map of public reports: names that exist, a page that is current, and requests that break what their row says."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from harness.errors import BadInput
from harness_lab.reality import (
    TABLE,
    Bodies,
    Form,
    Reality,
    ReportedKind,
    headline,
    markdown,
    measured_otherwise,
    problems,
    read_table,
)

ROOT = Path(__file__).resolve().parents[2]
REALITY = read_table(ROOT / TABLE)

GOOD = ReportedKind(
    row=1,
    wire="anthropic-messages",
    threads=("goose #1",),
    text="`tool_use` ids must be unique",
    situation="again",
    causes=("INT",),
    rules=("ANT-05",),
    seen="must",
    bodies=("A",),
)
TWICE = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
BODY = {
    "model": "claude-sonnet-4-6",
    "max_tokens": 10,
    "messages": [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": [TWICE, TWICE]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "r"}]},
    ],
    "tools": [{"name": "f", "input_schema": {"type": "object"}}],
}
RIGHT = {**BODY, "messages": BODY["messages"][:1]}  # type: ignore[index]


def table(*rows: ReportedKind, forms: tuple[Form, ...] = ()) -> Reality:
    return Reality({"goose": "aaif-goose/goose"}, {"INT": "interrupted"}, rows, forms)


def bodies(**named: Any) -> Bodies:
    return {name: ("anthropic-messages", "claude-sonnet-4-6", body) for name, body in named.items()}


@cache
def shared_bodies(shared: Path) -> Bodies:
    found: Bodies = json.loads((shared / "field" / "bodies.json").read_text(encoding="utf-8"))
    return found


@cache
def shared_threads(shared: Path) -> list[dict[str, Any]]:
    lines = (shared / "field" / "threads.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


# --- the table as it is -------------------------------------------------------------------------------------


def test_every_name_exists() -> None:
    assert list(problems(REALITY)) == []


def test_there_are_as_many_reports_as_were_found(shared: Path) -> None:
    assert [row.row for row in REALITY.rows] == [row["row"] for row in shared_threads(shared)]
    assert [len(row.threads) for row in REALITY.rows] == [len(row["threads"]) for row in shared_threads(shared)]
    assert [row.wire for row in REALITY.rows] == [row["wire"] for row in shared_threads(shared)]
    assert REALITY.count == 210


def test_every_measured_request_breaks_what_its_row_says(shared: Path) -> None:
    assert list(measured_otherwise(REALITY, shared_bodies(shared))) == []


def test_the_page_has_every_row_with_its_rules() -> None:
    page = markdown(REALITY)
    for row in REALITY.rows:
        (line,) = re.findall(rf"(?m)^\| {row.row} \| .*$", page)
        assert f"| {row.seen} |" in line
        assert all(f"`{name}`" in line for name in (*row.rules, *row.scenarios, *row.partly, *row.dialects))
        assert all(thread in line for thread in row.threads)
    assert f"| all | | {len(REALITY.rows)} | 210 |" in page
    assert headline(REALITY) in page


def test_the_readme_has_the_number() -> None:
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    sentence = f"{headline(REALITY)} (in sample: the rules were built with them; [docs/reality.md](docs/reality.md))."
    assert sentence in readme, f"README.md has another number; write: {sentence}"


# --- what would be found ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (replace(GOOD, rules=("ANT-999",)), "row 1: there is no rule ANT-999"),
        (replace(GOOD, awaits=("ANT-05",)), "row 1: ANT-05 is a rule now: move it from 'awaits' to 'rules'"),
        (replace(GOOD, scenarios=("answr",)), "row 1: there is no scenario answr"),
        (replace(GOOD, partly=("answr",)), "row 1: there is no scenario answr"),
        (replace(GOOD, dialects=("broad",)), "row 1: anthropic-messages has no dialect broad"),
        (replace(GOOD, causes=("XYZ",)), "row 1: there is no cause XYZ"),
        (replace(GOOD, seen="must be"), "row 1: expected must, memory, weak, none, unspoken as 'seen', got must be"),  # type: ignore[arg-type]
        (replace(GOOD, rules=()), "row 1: seen is must, so expected the rules that see it"),
        (replace(GOOD, seen="none"), "row 1: seen is none, so expected no rules"),
        (replace(GOOD, row=2), "expected the rows 1 to 1 in their order"),
        (replace(GOOD, threads=("goose #1", "goose #1")), "goose #1: is in 2 rows"),
    ],
)
def test_what_does_not_go_together_is_found(row: ReportedKind, problem: str) -> None:
    assert list(problems(table(row))) == [problem]
    assert list(problems(table(GOOD))) == []


def test_a_form_needs_rules_that_exist() -> None:
    form = Form("B", "anthropic-messages", ("ANT-999",), "must")
    assert list(problems(table(GOOD, forms=(form,)))) == ["B: there is no rule ANT-999"]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (replace(GOOD, rules=("ANT-01",)), "row 1: A breaks none of ANT-01"),
        (replace(GOOD, rules=()), "row 1: A breaks none of no rules"),
        (replace(GOOD, seen="memory"), "row 1: A breaks ANT-05 MUST, and 'seen' is memory"),
        (
            replace(GOOD, text="Field required"),
            "row 1: A is answered 'messages.1.content.1: `tool_use` ids must be unique'",
        ),
        (
            replace(GOOD, bodies=(), silent=("A",)),
            "row 1: A breaks ANT-05 MUST: move it from 'silent' to 'bodies', and set 'seen'",
        ),
    ],
)
def test_a_request_that_was_measured_otherwise_is_found(row: ReportedKind, problem: str) -> None:
    (found,) = measured_otherwise(table(row), bodies(A=BODY))
    assert found.startswith(problem)
    assert list(measured_otherwise(table(GOOD), bodies(A=BODY))) == []


def test_a_request_that_breaks_nothing_is_silent() -> None:
    silent = replace(GOOD, bodies=(), silent=("A",), seen="none", rules=())
    assert list(measured_otherwise(table(silent), bodies(A=RIGHT))) == []


def test_forms_are_measured_and_every_request_is_named() -> None:
    form = Form("B", "anthropic-messages", (), "none")
    assert list(measured_otherwise(table(GOOD, forms=(form,)), bodies(A=BODY, B=RIGHT))) == []
    found = list(measured_otherwise(table(GOOD, forms=(form,)), bodies(A=BODY, B=BODY, C=RIGHT)))
    assert found == ["B: expected nothing (none), got ANT-05 MUST", "C: no row and no form names it"]


def test_an_other_text_of_the_rule_is_its_answer_too() -> None:
    older = replace(GOOD, rules=("ANT-05",), text="messages.8: tool_use ids must be unique")
    assert list(measured_otherwise(table(older), bodies(A=BODY))) == []


def test_threads_are_linked_where_the_owner_is_known() -> None:
    names = ("goose #1", "goose PR #2", "a/b discussion #3", "lonely #4", "a/b fixture 5")
    page = markdown(table(replace(GOOD, threads=names, more=2)))
    assert (
        "[goose #1](https://github.com/aaif-goose/goose/issues/1), "
        "[goose PR #2](https://github.com/aaif-goose/goose/pull/2), "
        "[a/b discussion #3](https://github.com/a/b/discussions/3), lonely #4, a/b fixture 5, 2 more |"
    ) in page
    assert headline(table(replace(GOOD, threads=names, more=2))).startswith("Of 7 public reports")


@pytest.mark.parametrize("text", ["rows: 1", "a: [", "rows: [{row: 1}]", "rows: [{rule: 1}]", "[]"])
def test_a_table_that_is_none_is_bad_input(text: str, tmp_path: Path) -> None:
    (tmp_path / "reality.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match="expected repositories, causes, rows and forms"):
        read_table(tmp_path / "reality.yaml")
    with pytest.raises(BadInput, match="cannot be read"):
        read_table(tmp_path / "none.yaml")
