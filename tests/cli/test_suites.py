"""``harness run --suite``: which cases a run has, by what was asked for and by whose loop it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.scenario import shipped
from tests.case_tables import from_table
from tests.commands import Printed

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


@from_table(__file__, "test_which_cases_are_run")
def test_which_cases_are_run(run: Run, words: str, scenarios: list[str], code: int, first: str, err: str) -> None:
    """Its first line, and what is said of an error, begin so; "NAMED" is a scenario of the suite robustness."""
    named = str(shipped() / "universal" / "connection-cut.yaml")
    more = () if code == 2 and "NAMED" not in words else SOME
    ran, printed = run(*(named if word == "NAMED" else word for word in words.split()), *more)
    assert (ran, printed.code) == (set(scenarios), code)
    assert printed.out.startswith(first)
    assert printed.err.startswith(err)
    assert ("--suite all" in printed.out) is ("--suite all" in first)
