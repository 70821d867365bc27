"""``harness run --suite``: which cases a run has, by what was asked for and by whose loop it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.cli import main
from harness.scenario import shipped

MINE = "tests.targets.loops:answers"
SOME = ("--wire", "openai-chat", "-k", "bad-request or content-filter. or connection-cut or thinking-omitted")


def run(capsys: pytest.CaptureFixture[str], out: Path, *options: str) -> tuple[set[str], str, str, int]:
    """The scenarios of the cases that were run, what was printed, and the exit code."""
    with pytest.raises(SystemExit) as ended:
        main(["run", *options, "-j", "1", "--out", str(out)])
    printed = capsys.readouterr()
    results = out / "results.json"
    cases = json.loads(results.read_text(encoding="utf-8"))["cases"] if results.exists() else []
    return {case["scenario"] for case in cases}, printed.out, printed.err, int(ended.value.code or 0)


def test_a_loop_of_ones_own_runs_core_and_is_told_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    scenarios, out, _, code = run(capsys, tmp_path, "--target", MINE, *SOME)
    assert (scenarios, code) == ({"bad-request", "content-filter"}, 0)
    assert out.splitlines()[0] == "suite core: 2 of 4 cases; --suite all runs all of them"


def test_suites_are_chosen_by_name(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    scenarios, out, _, _ = run(capsys, tmp_path, "--target", MINE, *SOME, "--suite", "core", "--suite", "dialects")
    assert scenarios == {"bad-request", "content-filter", "thinking-omitted"}
    assert "--suite all" not in out


def test_a_scenario_that_is_named_is_run_whatever_its_suite(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = str(shipped() / "universal" / "connection-cut.yaml")
    scenarios, out, _, _ = run(capsys, tmp_path, path, "--target", MINE, *SOME)
    assert (scenarios, "suite" in out.splitlines()[0]) == ({"connection-cut"}, False)


def test_a_suite_that_is_asked_for_counts_for_paths_too(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = str(shipped() / "universal" / "connection-cut.yaml")
    scenarios, _, err, code = run(capsys, tmp_path, path, "--target", MINE, *SOME, "--suite", "core")
    assert (scenarios, code) == (set(), 2)
    assert err.startswith("error: no case is left of 1: expected cases of core, got cases of robustness; choose other")


def test_the_loops_of_the_harness_run_every_suite(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    scenarios, out, _, code = run(capsys, tmp_path, "--target", "wire-only", *SOME)
    assert (scenarios, code) == ({"bad-request", "content-filter", "connection-cut", "thinking-omitted"}, 0)
    assert "--suite all" not in out


def test_an_unknown_suite_is_bad_input(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    _, out, err, code = run(capsys, tmp_path, "--target", "wire-only", "--suite", "cor")
    assert (out, code) == ("", 2)
    assert err.startswith("error: --suite 'cor' is unknown; did you mean 'core'? Known: all, core, ")
