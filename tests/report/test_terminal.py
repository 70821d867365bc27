"""What a person reads of a run: every line of evidence stands beneath what it belongs to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.finding import Finding
from harness.report.terminal import Terminal
from harness.runner.results import CaseResult, ConversationCount, RunResult, Stale, Verdict
from harness.wire import wire_rules
from tests.report.runs import HOSTILE, hostile

MISS = Finding("cassette/miss", "MUST", "replay", 3, '"Paris"', '"Rome"', "the prompt differs\n-  Paris\n+  Rome")


def told(*evidence: Finding, capsys: pytest.CaptureFixture[str]) -> list[str]:
    case = CaseResult(
        "a.openai-chat.recorded", "a", "openai-chat", "reference", "cassette", "universal", "recorded", 0,
        "fail", 0.1, 1, evidence, trace="traces/a.jsonl", repeat="harness run a.yaml",
    )  # fmt: skip
    Terminal().summary(RunResult("0.1.0", "2026-01-01T00:00:00+00:00", "reference", 0, (case,)), Path("out"))
    return capsys.readouterr().out.splitlines()


def report(
    capsys: pytest.CaptureFixture[str], *cases: CaseResult, detail: dict[str, int] | None = None, **run: object
) -> list[str]:
    result = RunResult(
        "0.1.0", "2026-01-01T00:00:00+00:00", "a-loop", 0, cases, baseline="baselines/a-loop.yaml", **run
    )  # type: ignore[arg-type]
    Terminal(**(detail or {})).summary(result, Path("out"))
    return capsys.readouterr().out.splitlines()


def case(verdict: Verdict, scenario: str = "a", wire: str = "openai-chat", **more: object) -> CaseResult:
    id = f"{scenario}.{wire}.{len(more)}"
    return CaseResult(id, scenario, wire, "a-loop", "script", "universal", "byte", 0, verdict, 0.1, 1, **more)  # type: ignore[arg-type]


KNOWN = Finding("order/one-end", "MUST", "unsafe", None, "an end", "none", known="It never ends.")


def test_the_last_line_counts_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    stale = Stale("baselines/a-loop.yaml:3:5", "order/one-end", "no longer found in b.*")
    cases = [case(verdict) for verdict in ("pass", "pass", "fail", "xfail", "xpass", "skip", "error")]
    assert report(capsys, *cases)[-1] == ("3 passed, 1 failed, 1 error, 1 expected failure, 1 skipped")
    assert report(capsys, case("pass"))[-1] == "1 passed, 0 failed"
    lines = report(capsys, case("pass"), stale=(stale,))
    assert lines[-1] == "1 passed (1 baseline entry is stale)"
    at = lines.index("STALE baselines/a-loop.yaml:3:5  order/one-end")
    prune = "harness baseline prune a-loop --baseline baselines/a-loop.yaml"
    assert lines[at + 1] == f"  no longer found in b.*: remove it, or let {prune} do so"


def test_a_cell_counts_what_has_run_and_what_fails_as_expected(capsys: pytest.CaptureFixture[str]) -> None:
    some = [case("pass"), case("xfail", findings=(KNOWN,)), case("skip"), case("pass", wire="gemini-generate")]
    lines = report(capsys, *some, case("skip", "b"))
    assert [line.split() for line in lines[:2]] == [["scenario", "chat", "gemini"], ["a", "1/2", "+1", "1/1"]]
    assert not [line for line in lines if line.startswith("b ")]


def test_nothing_but_skipped_cases_has_no_matrix(capsys: pytest.CaptureFixture[str]) -> None:
    lines = report(capsys, case("skip", reason="it cannot think"))
    assert lines[:3] == [
        "skipped:",
        "     1 case  it cannot think",
        "             a",
    ]
    assert "nothing was judged: every selected case was skipped, for the reasons above" in lines


def test_reasons_are_told_once_with_the_scenarios_that_they_are_about(capsys: pytest.CaptureFixture[str]) -> None:
    some = [case("skip", f"s{number}", reason="it cannot\n think") for number in range(9)]
    lines = report(capsys, *some, case("xfail", findings=(KNOWN, KNOWN)), case("xfail", "b", findings=(KNOWN,)))
    at = lines.index("skipped:")
    assert lines[at : at + 6] == [
        "skipped:",
        "    9 cases  it cannot think",
        "             s0, s1, s2, s3, s4, s5 and 3 more",
        "expected by baselines/a-loop.yaml:",
        "    2 cases  It never ends.",
        "             a, b",
    ]


def test_a_failure_tells_first_what_nobody_expects(capsys: pytest.CaptureFixture[str]) -> None:
    lines = report(capsys, case("fail", findings=(KNOWN, MISS)), detail={"verbosity": 1})
    at = lines.index("FAIL a.openai-chat.1")
    assert lines[at + 1].startswith("  cassette/miss  MUST")
    assert "  order/one-end  is expected: It never ends." in lines[at:]


def test_each_cause_has_an_entry_with_its_severity_and_its_first_case(capsys: pytest.CaptureFixture[str]) -> None:
    wire = Finding(
        "continuation/anthropic-messages", "MUST", "invalid", 3, "results", "none", refused=400, reference="ANT-01"
    )
    ended = Finding("expect/outcome", "MUST", "expectation", 5, "completed", "failed")
    cases = [case("fail", f"s{number}", findings=(wire, ended), repeat="again") for number in range(2)]
    lines = report(capsys, *cases, case("xfail", findings=(KNOWN,)))
    at = lines.index(f"1. ANT-01  {wire_rules()['ANT-01'].statement.split('. ')[0].removesuffix('.')}")
    assert lines[at + 1 : at + 7] == [
        "   MUST, refused by the provider, 2 cases of 2 scenarios",
        "   expected  results",
        "   got       none",
        "   case      s0.openai-chat.2",
        "   also      expect/outcome (2 cases)",
        "   repeat    again",
    ]
    assert lines[-3:] == [
        "page:    out/index.html",
        "results: out/results.json",
        "0 passed, 2 failed, 1 expected failure",
    ]
    assert not [line for line in lines if line.startswith("2. ")]


def test_of_many_causes_the_worst_are_shown_and_every_rule_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    found = tuple(Finding(f"order/r{number}", "MUST", "unsafe", None, "a", "b") for number in range(30))
    cases = (case("fail", findings=found), case("fail", "b", findings=found[20:21]))
    lines = report(capsys, *cases)
    assert lines[lines.index("1. order/r20  expected a, got b") + 1].endswith("2 cases of 2 scenarios")
    assert sum(line.startswith("   expected") for line in lines) == 10
    assert "30. order/r29  MUST, unexpected output or end, 1 case" in lines
    assert all(any(f". order/r{number}  " in line for line in lines) for number in range(30))
    few = report(capsys, *cases, detail={"max_findings": 1})
    assert sum(line.startswith("   expected") for line in few) == 1


def test_quietly_the_causes_and_the_last_lines_are_told_or_these_alone(capsys: pytest.CaptureFixture[str]) -> None:
    last = ["page:    out/index.html", "results: out/results.json", "0 passed, 1 failed"]
    lines = report(capsys, case("fail", findings=(MISS,)), detail={"verbosity": -1})
    assert lines[1].startswith("1. cassette/miss  ")
    assert lines[-4:] == ["", *last]
    assert report(capsys, case("fail", findings=(MISS,)), detail={"verbosity": -2}) == last


def test_of_many_scenarios_those_that_passed_share_a_row(capsys: pytest.CaptureFixture[str]) -> None:
    cases = [case("pass", f"s{number}") for number in range(40)] + [case("fail", "bad", findings=(MISS,))]
    rows = [line.split() for line in report(capsys, *cases)[:3]]
    assert rows == [["scenario", "chat"], ["bad", "0/1"], ["40", "other", "scenarios:", "all", "passed", "40/40"]]
    assert ["s7", "1/1"] in [line.split() for line in report(capsys, *cases, detail={"verbosity": 1})]


def test_evidence_of_several_lines_stands_beneath_its_first(capsys: pytest.CaptureFixture[str]) -> None:
    lines = told(MISS, capsys=capsys)
    at = lines.index("   evidence  the prompt differs")
    assert lines[at - 2 : at + 3] == [
        '   expected  "Paris"',
        '   got       "Rome"',
        "   evidence  the prompt differs",
        "           | -  Paris",
        "           | +  Rome",
    ]
    assert "   trace     out/traces/a.jsonl:3" in lines


def test_evidence_names_the_line_of_the_scenario(capsys: pytest.CaptureFixture[str]) -> None:
    found = Finding("order/end", "MUST", "unsafe", None, "an end", "none", line=26)
    lines = report(capsys, case("fail", findings=(found,), file="scenarios/a.yaml"))
    assert "   scenario  scenarios/a.yaml:26" in lines


def test_evidence_without_more_to_say_has_no_line_for_it(capsys: pytest.CaptureFixture[str]) -> None:
    lines = told(Finding("order/end", "MUST", "unsafe", None, "an end", ""), capsys=capsys)
    assert "   got       " in [line.ljust(13) for line in lines]
    assert not [line for line in lines if line.startswith("   evidence")]


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_of_a_run_drives_the_terminal(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    Terminal().summary(hostile(text), Path("out"))
    said = capsys.readouterr().out
    assert all(char == "\n" or char.isprintable() for char in said)
    assert said.splitlines()[-1].startswith("0 passed, 1 failed, 1 error, 1 expected failure, 1 skipped, 2 ")


def test_nothing_drives_the_terminal_while_a_run_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    terminal = Terminal()
    with terminal.progress("\x1b[2J", ["\x1b[2J"]):
        terminal.finished(replace(case("fail"), id="\x1b[2J"))
    assert capsys.readouterr().out.splitlines() == ["driving \\x1b[2J: 1 case", "  fail  \\x1b[2J"]


def test_no_text_makes_a_line_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    forged = "\nFAIL forged\nresults: forged\n9 passed, 0 failed"
    Terminal().summary(hostile(forged), Path("out"))
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.rstrip() in forged.splitlines()[1:]] == []
    assert "           | FAIL forged" in lines  # beneath the evidence that it is part of


def test_no_text_gives_commands_to_a_job_on_github(capsys: pytest.CaptureFixture[str]) -> None:
    """There a line is a command, whatever blanks are before it."""
    commands = "\n::error::forged\n##[error]forged\n   ::add-mask::forged"
    whole = hostile(commands)
    words = {"scenario": "a", "wire": "openai-chat"}  # names that no run can choose freely
    cases = tuple(replace(case, **words) for case in whole.cases)  # type: ignore[arg-type]  # both are texts
    Terminal().summary(replace(whole, cases=cases), Path("out"))
    lines = [line.lstrip() for line in capsys.readouterr().out.splitlines()]
    assert [line for line in lines if line.startswith(("::", "##["))] == []
    assert any(line.endswith("::add-mask::forged") for line in lines)


@pytest.mark.parametrize("text", ["[bold red]markup[/]", ":skull:", "<b>", "\\[x]", "\\x1b"])
def test_what_is_harmless_is_shown_as_it_is(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    shown = case("fail", text, findings=(Finding(text, "MUST", "unsafe", None, text, text, text),), repeat=text)
    lines = report(capsys, shown, detail={"verbosity": 1})
    at = lines.index(f"FAIL {shown.id}")
    assert lines[0].startswith("scenario ")
    assert lines[1].startswith(f"{text} ")
    assert lines[at + 1 : at + 6] == [
        f"  {text}  MUST, unsafe",
        f"    expected  {text}",
        f"    got       {text}",
        f"    evidence  {text}",
        f"  repeat    {text}",
    ]


@pytest.mark.parametrize("text", ["x" * 5_000_000, "\x1b" * 5_000_000, "\n" * 5_000_000], ids=["x", "escape", "lines"])
def test_of_a_very_long_text_the_beginning_is_shown_and_of_a_traceback_the_end(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Terminal().summary(hostile(text), Path("out"))
    said = capsys.readouterr().out
    assert len(said) < 1_000_000  # some ten fields of 4,000 characters, most of them on lines of their own
    assert "… (5,000,000 characters)" in said
    lines = report(capsys, case("error", error=f"Traceback{text}\nValueError: boom"))
    assert "  | ValueError: boom" in lines


def test_conversations_beside_the_main_one_are_counted_by_how_they_begin(capsys: pytest.CaptureFixture[str]) -> None:
    main = ConversationCount("main", 2, "You plan trips.")
    title = ConversationCount("side 1", 1, "Write a title")
    lost = ConversationCount("not identified", 1, "")
    found = Finding("order/one-end", "MUST", "unsafe", 3, "an end", "none", "so", conversation="side 1")
    lines = report(
        capsys,
        case("pass", conversations=(main, title)),
        case("fail", "b", conversations=(main, title, lost), findings=(found,)),
    )
    at = lines.index("conversations beside the main one:")
    assert lines[at : at + 5] == [
        "conversations beside the main one:",
        "    2 cases  judged by themselves: Write a title",
        "             a, b",
        "     1 case  not identified, so they were answered and not judged",
        "             b",
    ]
    assert "   evidence  in the conversation 'side 1'; so" in lines
