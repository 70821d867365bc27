"""``--last-failed``, ``--failed-first``, ``--fail-fast``, ``-v``, ``-q``: a target does what the test says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.cli.last_run import last_run, remember
from harness.report.progress import Estimate
from harness.runner.results import CaseResult
from harness.targets import CaseRun
from harness.trace import Event, Final
from tests.cli.test_main import Scripted, answers
from tests.commands import Printed, write_hello

Harness = Callable[..., Printed]


def breaks(case_run: CaseRun) -> None:
    answers(case_run)
    late: Event = Final("", text="Hello.")
    case_run.emit(late)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_hello(tmp_path / "scenarios", "a", "b", "c")
    return tmp_path


@pytest.fixture
def run(harness: Harness, project: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[Printed, list[str]]]:
    """Runs a target that does these things, case by case. Returns what was printed and the cases that were run."""

    def call(does: list[Callable[[CaseRun], None]], *words: str) -> tuple[Printed, list[str]]:
        monkeypatch.setattr("harness.cli.drive.open_target", lambda *_: Scripted(list(does)))
        printed = harness("run", "scenarios", "-j", 1, "--rule", "order", "--out", "out", *words)
        results = project / "out" / "results.json"
        cases = json.loads(results.read_text(encoding="utf-8"))["cases"] if does else []
        return printed, [case["scenario"] for case in cases]

    return call


def test_only_what_failed_is_run_again_until_it_passes(run) -> None:
    assert run([answers, breaks, answers])[0].code == 1
    printed, cases = run([breaks], "--last-failed")
    assert (printed.code, cases) == (1, ["b"])
    assert "last failed: 1 case\n" in printed.out
    assert run([answers], "-k", "a.")[1] == ["a"], "b was not run, so it is still failed"
    assert run([answers], "--lf")[1] == ["b"]


def test_where_nothing_failed_all_cases_run_and_a_line_says_why(run) -> None:
    printed, cases = run([answers, answers, answers], "--last-failed")
    assert (printed.code, cases) == (0, ["a", "b", "c"])
    assert "last failed: no earlier run of reference is noted in .harness/ here: running 3 cases" in printed.out
    printed, cases = run([answers, answers, breaks], "--last-failed")
    assert (printed.code, cases) == (1, ["a", "b", "c"])
    assert "last failed: every case of reference passed in its last run: running 3 cases" in printed.out
    printed, cases = run([answers], "--last-failed", "-k", "a.")
    assert (printed.code, cases) == (0, ["a"])
    assert "last failed: none of 1 case is selected: running 1 case" in printed.out


def test_what_failed_may_be_run_first(run) -> None:
    run([answers, answers, breaks])
    assert run([answers, answers, answers], "--failed-first")[1] == ["c", "a", "b"]


def test_a_run_may_end_after_the_first_case_that_does_not_pass(run) -> None:
    printed, cases = run([answers, breaks, answers], "-x")
    assert (printed.code, cases) == (1, ["a", "b"])
    assert "stopped after b.anthropic-messages.event (--fail-fast): 1 of 3 cases did not run" in printed.out
    assert printed.err == ""
    assert "interrupted" not in printed.out
    printed, cases = run([answers, answers, answers], "-x")
    assert (printed.code, len(cases)) == (0, 3)


def test_quiet_and_verbose(run) -> None:
    verbose, _ = run([answers, breaks, answers], "-v")
    assert [line.split()[:2] for line in verbose.out.splitlines()[1:4]] == [
        ["pass", "a.anthropic-messages.event"],
        ["fail", "b.anthropic-messages.event"],
        ["pass", "c.anthropic-messages.event"],
    ]
    quiet, _ = run([answers, breaks, answers], "-q")
    assert quiet.out.startswith("\n1. order/one-end")
    quieter, _ = run([answers, breaks, answers], "-qq")
    assert [line.split()[0] for line in quieter.out.splitlines()] == ["page:", "results:", "2"]
    assert quiet.err == ""
    one, _ = run([breaks, breaks, breaks])
    none, _ = run([breaks, breaks, breaks], "--max-findings", "0")
    assert ("   expected  " in one.out, "   expected  " in none.out) == (True, False)
    assert "  MUST, unexpected output or end, 3 cases of 3 scenarios" in none.out


def test_k_is_the_union(run) -> None:
    assert run([answers, answers], "-k", "a.", "-k", "c.")[1] == ["a", "c"]


def test_the_time_of_a_case_is_noted_by_runs_that_are_long_enough(project: Path) -> None:
    case = CaseResult("a", "a", "openai-chat", "mine", "script", "universal", "event", 0, "pass", 0.25, 1)
    remember("mine", [case], 9)
    assert (noted := last_run("mine")) is not None
    assert noted.per_case is None
    remember("mine", [case] * 20, 10)
    remember("mine", [case], 9)
    assert (noted := last_run("mine")) is not None
    assert Estimate(10, noted.per_case, lambda: 0.0).left == 5


@pytest.mark.parametrize("text", ["", "[]", '{"mine": {"failed": [1], "per_case": 1}}', '{"mine": 3}'])
def test_what_cannot_be_read_is_as_if_it_were_not_there(project: Path, text: str) -> None:
    (project / ".harness").mkdir()
    (project / ".harness" / "last-run.json").write_text(text, encoding="utf-8")
    assert last_run("mine") is None
