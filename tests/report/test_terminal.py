"""What a person reads of a run: every line of evidence stands beneath what it belongs to."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.report.terminal import Terminal
from harness.runner.results import CaseResult, Evidence, RunResult

MISS = Evidence("cassette/miss", "MUST", "replay", 3, '"Paris"', '"Rome"', "the prompt differs\n-  Paris\n+  Rome")


def told(*evidence: Evidence, capsys: pytest.CaptureFixture[str]) -> list[str]:
    case = CaseResult(
        "a.openai-chat.recorded", "a", "openai-chat", "reference", "cassette", "universal", "recorded", 0,
        "fail", 0.1, 1, evidence, trace="traces/a.jsonl", repeat="harness run a.yaml",
    )  # fmt: skip
    Terminal().summary(RunResult("0.1.0", "2026-01-01T00:00:00+00:00", "reference", 0, (case,)), Path("out"))
    return capsys.readouterr().out.splitlines()


def test_evidence_of_several_lines_stands_beneath_its_first(capsys: pytest.CaptureFixture[str]) -> None:
    lines = told(MISS, capsys=capsys)
    at = lines.index("    evidence  the prompt differs")
    assert lines[at - 2 : at + 3] == [
        '    expected  "Paris"',
        '    got       "Rome"',
        "    evidence  the prompt differs",
        "              -  Paris",
        "              +  Rome",
    ]
    assert "  cassette/miss  MUST replay  out/traces/a.jsonl:3" in lines


def test_evidence_without_more_to_say_has_no_line_for_it(capsys: pytest.CaptureFixture[str]) -> None:
    lines = told(Evidence("order/end", "MUST", "unsafe", None, "an end", ""), capsys=capsys)
    assert "    got       " in [line.ljust(14) for line in lines]
    assert not [line for line in lines if line.startswith("    evidence")]
