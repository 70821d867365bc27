"""The tables of conversations and of dialects on the page of all targets."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.finding import Finding
from harness.runner.results import CaseResult, RunResult, Verdict
from harness.targets.shipped import SHIPPED
from harness_lab.documents.remarks import REMARKS
from harness_lab.documents.situations import SITUATIONS, dialect_table, situation_of, situation_table
from harness_lab.documents.targets import targets_page
from tests.scenarios import shipped_scenarios

UNIVERSAL = {scenario.name: scenario for scenario in shipped_scenarios("universal")}
WRONG = Finding("history/results", "MUST", "unsafe", None, "a result", "none")
ODD = replace(WRONG, rule="expect/outcome")


def case(id: str, verdict: Verdict = "pass", *found: Finding, reason: str = "") -> CaseResult:
    scenario, wire, chunking = id.split(".")
    return CaseResult(
        id, scenario, wire, "a-loop", "script", "universal", chunking, 0, verdict, 0.1, 1, found, reason=reason
    )


def run(*cases: CaseResult, target: str = "a-loop") -> RunResult:
    return RunResult("0.1.0", "2026-01-02T00:00:00+00:00", target, 0, cases, versions={"loop": "2.66.0", "sdk": "1.0"})


def rows(lines: list[str]) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]


@pytest.mark.parametrize(
    ("scenario", "situation"),
    [
        ("cancelled-while-text-arrives", "cancelled in a text"),
        ("cancelled-while-a-tool-runs", "cancelled in a tool"),
        ("another-question-after-the-answer", "follow-up"),
        ("said-while-a-tool-runs", "steered"),
        ("resumed-from-what-was-stored", "resumed"),
        ("switched-model-after-thinking", "other model"),
        ("switched-from-openai-chat-to-anthropic-messages", "other provider"),
        ("approved-after-a-restart", "approval"),
        ("parallel-calls", ""),
    ],
)
def test_a_scenario_is_about_what_its_caller_does(scenario: str, situation: str) -> None:
    assert situation_of(UNIVERSAL[scenario]) == situation
    assert situation in ("", *SITUATIONS)


def test_a_cell_says_how_many_cases_passed_and_what_is_not_offered() -> None:
    known = {"cut": "cancelled in a tool", "more": "follow-up", "said": "steered", "there": "other provider"}
    ran = run(
        case("cut.openai-chat.event", "xfail", replace(WRONG, known="Here alone.")),
        case("cut.openai-responses.event", "xfail", replace(ODD, known="As always.")),
        case("more.openai-chat.event"),
        case(
            "said.openai-chat.event",
            "skip",
            reason="needs a user who speaks while a run goes on; declare `steer` to run it",
        ),
        case("there.openai-chat.event", "skip", reason="the target does not speak gemini-generate: the scenario ..."),
        case("plain.openai-chat.event", "xfail", replace(ODD, known="As always.")),
    )
    head, _, row = rows(list(situation_table([ran], known)))
    assert dict(zip(head, row, strict=True)) == {
        "target": "`a-loop`",
        "versions": "loop 2.66.0",
        "cancelled in a tool": "1 of 2",
        "follow-up": "1 of 1",
        "steered": "not offered",
        "other provider": "·",
    }


def test_a_dialect_counts_only_what_the_same_case_does_not_do_without_it() -> None:
    plain = run(case("a.openai-chat.event", "xfail", ODD), case("b.openai-chat.event"))
    dialects = run(
        case("a.openai-chat.event+index-zero", "xfail", ODD),
        case("b.openai-chat.event+index-zero", "fail", WRONG),
        case("a.openai-chat.event+no-done", "xfail", ODD),
        case("b.openai-chat.event+no-done"),
        case("c.openai-chat.event+no-done", "skip", reason="it cannot"),
    )
    assert rows(list(dialect_table([plain], [dialects])))[2:] == [
        ["`openai-chat` `index-zero`", "1 of 2"],
        ["`openai-chat` `no-done`", "0 of 2"],
    ]


def test_the_page_has_neither_table_where_nothing_was_run_for_it() -> None:
    page = targets_page([run(case("a.openai-chat.event"))], {})
    assert "## Conversations" not in page
    assert "## Dialects" not in page


def test_a_remark_stands_below_the_reasons_of_its_target_once() -> None:
    ran = run(case("a.openai-chat.event", "xfail", replace(WRONG, known="Odd.")))
    page = targets_page([ran, replace(ran, target="a-loop:again")], {}, remarks={"a-loop": "It could wait."})
    assert page.count("What could change: It could wait.") == 1


def test_remarks_are_about_shipped_loops() -> None:
    assert set(REMARKS) <= set(SHIPPED)
