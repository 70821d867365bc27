"""A loop with eight bugs gets a baseline and is green in CI; then one bug after another is repaired."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.commands import Printed

BUGS = (
    "forgets-system",
    "runs-cut-calls",
    "drops-text",
    "swaps-results",
    "first-result-only",
    "no-descriptions",
    "swallows-errors",
    "cuts-results",
)
LOOP = "brown_field_loop:run"
RUN = ("run", "--target", LOOP, "--wire", "openai-chat", "-j", "1")
FILE = Path("baselines/brown_field_loop-run.yaml")


Harness = Callable[..., Printed]


@pytest.fixture
def harness(harness: Harness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Harness:
    shutil.copy(Path(__file__).with_name("brown_field_loop.py"), tmp_path)
    monkeypatch.chdir(tmp_path)

    def call(*words: str, bugs: tuple[str, ...] = BUGS) -> Printed:
        monkeypatch.setenv("BUGS", ",".join(bugs))
        return harness(*words)

    return call


@pytest.mark.slow
def test_a_ci_log_of_a_brown_field_loop(harness: Harness) -> None:
    assert harness(*RUN, "--out", "first").code == 1
    printed = harness("baseline", "update", LOOP, "--from", "first")
    entries = yaml.safe_load(FILE.read_text(encoding="utf-8"))["findings"]
    assert (printed.code, printed.last.split(";")[0]) == (0, f"{FILE}: {len(entries)} entries added")
    assert len(entries) <= 2 * len(BUGS)  # one for each cause, and not for each scenario
    FILE.write_text(FILE.read_text(encoding="utf-8").replace("TODO: say why", "It was so before."), encoding="utf-8")

    green = harness(*RUN, "--out", "before")
    assert (green.code, "0 failed" in green.last) == (0, True)

    left = tuple(bug for bug in BUGS if bug != "no-descriptions")
    repaired = harness(*RUN, "--out", "after", bugs=left)
    assert repaired.code == 1
    assert "1 baseline entry is stale" in repaired.last  # one bug, one cause, one entry
    assert "STALE" in repaired.out
    changed = harness("diff", "before", "after")
    assert "FIXED: " in changed.out
    assert "offered/description  " in changed.out
    assert "REGRESSED" not in changed.out
    assert "STALE IN THE BASELINE: " in changed.out

    harness("baseline", "prune", LOOP, "--wire", "openai-chat", "-j", "1", bugs=left)
    assert harness(*RUN, "--out", "pruned", bugs=left).code == 0

    left = tuple(bug for bug in left if bug != "first-result-only")
    harness(*RUN, "--out", "later", bugs=left)
    changed = harness("diff", "pruned", "later")
    assert "FIXED: " in changed.out
    assert "REGRESSED" not in changed.out
    assert "NEWLY VISIBLE: " in changed.out
