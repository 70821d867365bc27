"""The ledger of the design documents: every statement is accounted for, by names that exist."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from harness.errors import BadInput
from harness_lab.seeds import TABLE, Document, Statement, markdown, problems, read_table

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = read_table(ROOT / TABLE)
STATEMENTS = [statement for document in DOCUMENTS for statement in document.statements]
IDS = [*(f"S{n}" for n in range(1, 70)), *(f"P{n}" for n in range(1, 56)), *(f"T{n}" for n in range(1, 17))]
IDS += [f"H{n}" for n in range(1, 51)]

GOOD = Statement("S1", "A run is started.", rules=("stream/text",))


def wrong(*statements: Statement) -> list[str]:
    return list(problems([Document("A document", "a project", statements)], ROOT))


def test_every_statement_is_there_in_its_order() -> None:
    assert [statement.id for statement in STATEMENTS] == IDS


def test_every_name_exists_and_every_statement_is_accounted_for() -> None:
    assert list(problems(DOCUMENTS, ROOT)) == []


@pytest.mark.exhaustive
def test_every_test_is_collected() -> None:
    names = sorted({name for statement in STATEMENTS for name in statement.tests})
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n", "0", *(f"tests/{name}" for name in names)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    for name in names:
        assert re.search(rf"(?m)^tests/{re.escape(name)}(\[|::|$)", done.stdout), name


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (replace(GOOD, rules=("stream/txt",)), "S1: there is no rule stream/txt"),
        (replace(GOOD, rules=("ANT-999",)), "S1: there is no rule ANT-999"),
        (replace(GOOD, scenarios=("answr",)), "S1: there is no scenario answr"),
        (replace(GOOD, tests=("loop/test_none.py",)), "S1: there is no test loop/test_none.py"),
        (replace(GOOD, tests=("loop/test_agent.py::test_none",)), "S1: there is no test loop/test_agent.py::test_none"),
        (replace(GOOD, see=("none.md",)), "S1: there is no section none.md"),
        (replace(GOOD, see=("policies.md#none",)), "S1: there is no section policies.md#none"),
        (replace(GOOD, rules=()), "S1: expected a rule, a scenario, a test or a reason, got none"),
        (replace(GOOD, departs="It is better."), "S1: expected the section of the documentation that says more"),
        (replace(GOOD, missing="It is hard."), "S1: expected the section of the documentation that says more"),
        (replace(GOOD, departs="So.", missing="So.", see=("policies.md",)), "S1: expected 'departs' or 'missing'"),
    ],
)
def test_what_is_wrong_is_found(statement: Statement, said: str) -> None:
    (found,) = wrong(statement)
    assert found.startswith(said)


def test_a_reason_counts_more_than_what_checks_it() -> None:
    statuses = [replace(GOOD, **{name: "So."}).status for name in ("weak", "departs", "missing")]
    assert statuses == ["weak", "departed", "missing"]
    assert GOOD.status == replace(GOOD, rules=(), scenarios=("answer",)).status == "checked"
    assert replace(GOOD, rules=(), tests=("loop/test_agent.py",)).status == "checked on the reference loop"


def test_a_statement_that_comes_twice_is_found() -> None:
    assert wrong(GOOD, GOOD) == ["S1: there are 2 statements of this id"]
    assert wrong(GOOD) == []


def test_a_provider_s_rule_is_a_rule() -> None:
    assert wrong(replace(GOOD, rules=("ANT-01", "GEM-11"))) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- document: A\n  of: a\n", "statements"),
        ("- {document: A, of: a, statements: [{id: S1}]}\n", "says"),
        ("- {document: A, of: a, statements: [{id: S1, says: x, test: [y]}]}\n", "unknown members test"),
        ("a: [", "expected a list of documents"),
    ],
)
def test_a_table_that_is_none_is_bad_input(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "seeds.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=said):
        read_table(tmp_path / "seeds.yaml")
    with pytest.raises(BadInput, match="cannot be read"):
        read_table(tmp_path / "none.yaml")


def test_the_page_has_every_statement_once_with_its_status() -> None:
    page = markdown(DOCUMENTS)
    for statement in STATEMENTS:
        (row,) = re.findall(rf"(?m)^\| {statement.id} \| .*$", page)
        assert f"| {statement.status} |" in row
        for name in (*statement.rules, *statement.scenarios, *statement.tests):
            assert f"`{name}`" in row
    assert f"| all | {len(IDS)} |" in page
