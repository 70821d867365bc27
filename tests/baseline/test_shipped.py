"""The baselines that come with the harness: for loops of others only, and without a word that can stand for nothing."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pytest

from harness.baseline.loader import load
from harness.baseline.model import matches
from harness.baseline.places import place_of, shipped
from harness.runner.plan import in_dialects, plan
from harness.scenario import Scenario
from harness.scenario import load as load_scenarios
from harness.scenario import shipped as shipped_scenarios
from harness.targets.file import check_file
from harness.targets.function import FunctionTarget
from harness.targets.installed import AGENTS, file_of
from harness.targets.shipped import SHIPPED
from harness.wire import wire

FILES = sorted(shipped().glob("*.yaml"))


@lru_cache
def scenarios() -> list[Scenario]:
    return load_scenarios([shipped_scenarios()])


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_a_shipped_baseline_is_for_a_shipped_loop_and_every_pattern_stands_for_a_case(path: Path) -> None:
    baseline = load(path)
    agent = baseline.target.removeprefix("cli:")
    assert baseline.target in SHIPPED or agent in AGENTS
    assert place_of(baseline.target).name == path.name
    declared = check_file(file_of(agent))[1].declaration if agent in AGENTS else SHIPPED[baseline.target].declaration
    target = FunctionTarget(baseline.target, "nowhere:run", declared)
    planned = [item for item in plan(scenarios(), target=target) if not item.skip]
    streamed_otherwise = in_dialects(["all"], planned) if any(wire(each.case.wire).dialects for each in planned) else []
    cases = [item.case.id for item in (*planned, *streamed_otherwise)]
    patterns = [pattern for entry in baseline.entries for pattern in entry.cases]
    dead = [f"{each.place}: {each.text}" for each in patterns if not any(matches(each.text, case) for case in cases)]
    assert dead == []


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_a_shipped_entry_says_in_which_versions_it_was_seen(path: Path) -> None:
    assert [str(entry.place) for entry in load(path).entries if not entry.versions] == []
