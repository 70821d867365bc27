"""The page of all targets says what their runs have found, and the script writes it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from harness.errors import BadInput
from harness.finding import Finding
from harness.report.files import RunFolder, read_results
from harness.runner.results import CaseResult, RunResult, Stale, Verdict
from harness_lab.documents.targets import targets_page

ROOT = Path(__file__).resolve().parents[2]


def evidence(rule: str, known: str = "", reference: str = "") -> Finding:
    return Finding(rule, "MUST", "unsafe", None, "this", "that", known=known, reference=reference)


def case(id: str, verdict: Verdict, *found: Finding, reason: str = "") -> CaseResult:
    scenario, wire, chunking = id.split(".")
    return CaseResult(
        id, scenario, wire, "a-loop", "script", "universal", chunking, 0, verdict, 0.1, 1, found, reason=reason
    )


ODD = evidence("expect/outcome", "Odd.")
NEVER = evidence("order/one-end", "Never\nends.")
RUN = RunResult(
    "0.1.0", "2026-01-02T00:00:00+00:00", "a-loop", 0,
    (
        case("a.openai-chat.byte", "pass"),
        case("b.openai-chat.byte", "xfail", NEVER, NEVER),
        case("b.openai-chat.whole", "xfail", NEVER),
        case("c.openai-chat.byte", "fail", evidence("continuation/openai-chat", reference="OAC-01"), ODD),
        case("d.openai-chat.byte", "skip", reason="it cannot think"),
        case("e.openai-chat.byte", "error"),
    ),
    versions={"loop": "2.66.0", "sdk": "1.0"},
    stale=(Stale("baselines/a-loop.yaml:3:5", "order/tool-started", "no longer found in z.*"),),
)  # fmt: skip


def table(page: str, first: str) -> dict[str, dict[str, str]]:
    """The table whose head begins with two given words, by its first column."""
    lines = page.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith(f"| target | {first} |"))
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[at:] if line.startswith("|")]
    end = next((n for n, row in enumerate(rows) if n and row[0] == "target"), len(rows))
    return {row[0]: dict(zip(rows[0], row, strict=True)) for row in rows[2:end]}


def test_a_cell_counts_a_rule_once_for_each_case_unexpected_and_expected() -> None:
    row = table(targets_page([RUN], {}), "order")["`a-loop`"]
    assert (row["order"], row["continuation"], row["expect"], row["final"]) == ("0 / 2", "1 / 0", "0 / 1", "·")


def test_totals_versions_and_the_day_are_told() -> None:
    row = table(targets_page([RUN], {}), "versions")["`a-loop`"]
    assert list(row.values())[1:] == ["loop 2.66.0, sdk 1.0", "2026-01-02", "1", "1", "2", "1", "1", "1"]


def test_every_reason_is_told_once_with_its_cases_rules_and_link() -> None:
    lines = targets_page([RUN], {"a-loop": {"Never\nends.": "https://example.com/1", "Odd.": ""}}).splitlines()
    assert lines[lines.index("## a-loop") + 2 :] == [
        "- Not expected, in `c`. 1 case: `OAC-01`.",
        "- Never ends. ([more](https://example.com/1)) 2 cases: `order/one-end`.",
        "- Odd. 1 case: `expect/outcome`.",
        "- Stale: baselines/a-loop.yaml:3:5 `order/tool-started`, no longer found in z.*.",
        "- Could not be judged, in `e`. 1 case.",
        "- Skipped: it cannot think. 1 case.",
    ]


def test_a_target_that_does_what_another_does_is_told_shortly_and_one_without_findings_not_at_all() -> None:
    clean = replace(RUN, target="clean", cases=RUN.cases[:1], stale=())
    page = targets_page([clean, RUN, replace(RUN, target="a-loop:again")], {})
    assert page.endswith("## a-loop:again\n\nAs `a-loop`.\n")
    assert "## clean" not in page
    assert set(table(page, "order")["`clean`"].values()) == {"`clean`", "·"}


def test_results_are_read_back_as_they_were_written(tmp_path: Path) -> None:
    RunFolder.create(tmp_path).write_results(RUN)
    assert read_results(tmp_path / "results.json") == RUN


@pytest.mark.parametrize(
    ("text", "why"),
    [("{", "that is no JSON"), ("{}", "harness: "), (None, "cannot be read")],
)
def test_what_is_no_results_file_is_bad_input(text: str | None, why: str, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "results.json").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=why):
        read_results(tmp_path / "results.json")


def test_results_of_another_version_are_refused(tmp_path: Path) -> None:
    RunFolder.create(tmp_path).write_results(replace(RUN, format=1))
    with pytest.raises(BadInput, match="expected results in format 6, got format 1; run again"):
        read_results(tmp_path / "results.json")


@pytest.mark.exhaustive
def test_the_script_writes_the_page_from_the_results_that_are_there(tmp_path: Path) -> None:
    for target, folder in (("anthropic-runner:declined", "anthropic-runner-declined"), ("reference", "reference")):
        RunFolder.create(tmp_path / folder).write_results(replace(RUN, target=target))
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "targets-matrix", "--page", "--out", tmp_path, "--docs", tmp_path / "a.md"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert "2 of " in done.stdout
    rows = table((tmp_path / "a.md").read_text(encoding="utf-8"), "order")
    assert list(rows) == ["`reference`", "`anthropic-runner:declined`"]
