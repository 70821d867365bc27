"""``harness run --suite``: which cases a run has, by what was asked for and by whose loop it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.scenario import shipped
from tests.commands import Printed

MINE = "tests.targets.loops:answers"
Run = Callable[..., tuple[set[str], Printed]]
SOME = ("--wire", "openai-chat", "-k", "bad-request or content-filter. or connection-cut or thinking-omitted")


@pytest.fixture
def run(harness: Callable[..., Printed], tmp_path: Path) -> Run:
    """The scenarios of the cases that were run, and what was printed."""

    def call(*options: str) -> tuple[set[str], Printed]:
        printed = harness("run", *options, "-j", "1", "--out", tmp_path)
        results = tmp_path / "results.json"
        cases = json.loads(results.read_text(encoding="utf-8"))["cases"] if results.exists() else []
        return {case["scenario"] for case in cases}, printed

    return call


def test_a_loop_of_ones_own_runs_core_and_is_told_so(run: Run) -> None:
    scenarios, printed = run("--target", MINE, *SOME)
    assert (scenarios, printed.code) == ({"bad-request", "content-filter"}, 0)
    assert printed.out.splitlines()[0] == "suite core: 2 of 4 cases; --suite all runs all of them"


def test_suites_are_chosen_by_name(run: Run) -> None:
    scenarios, printed = run("--target", MINE, *SOME, "--suite", "core", "--suite", "dialects")
    assert scenarios == {"bad-request", "content-filter", "thinking-omitted"}
    assert "--suite all" not in printed.out


def test_a_scenario_that_is_named_is_run_whatever_its_suite(run: Run) -> None:
    path = str(shipped() / "universal" / "connection-cut.yaml")
    scenarios, printed = run(path, "--target", MINE, *SOME)
    assert (scenarios, "suite" in printed.out.splitlines()[0]) == ({"connection-cut"}, False)


def test_a_suite_that_is_asked_for_counts_for_paths_too(run: Run) -> None:
    path = str(shipped() / "universal" / "connection-cut.yaml")
    scenarios, printed = run(path, "--target", MINE, *SOME, "--suite", "core")
    assert (scenarios, printed.code) == (set(), 2)
    assert printed.err.startswith(
        "error: no case is left of 1: expected cases of core, got cases of robustness; choose other"
    )


def test_the_loops_of_the_harness_run_every_suite(run: Run) -> None:
    scenarios, printed = run("--target", "wire-only", *SOME)
    assert (scenarios, printed.code) == ({"bad-request", "content-filter", "connection-cut", "thinking-omitted"}, 0)
    assert "--suite all" not in printed.out


def test_an_unknown_suite_is_bad_input(run: Run) -> None:
    _, printed = run("--target", "wire-only", "--suite", "cor")
    assert (printed.out, printed.code) == ("", 2)
    assert printed.err.startswith("error: --suite 'cor' is unknown; did you mean 'core'? Known: all, core, ")
