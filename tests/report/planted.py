"""Runs of real loops: three that are broken beside one that is not, and the same one with other ids."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from harness.cli import main
from harness.report.files import RunFolder, read_results
from tests.scenarios import shipped_scenarios

PLANTED = {
    "parallel-calls": ("result-dropped", "OAC-03"),
    "content-before-path": ("tool-start-twice", "order/tool-start-once"),
    "twenty-one-tool-turns": ("limit-silent", "guardrail/limit-reported"),
}
"""What is broken in which scenario, and the rule that finds it."""

CLEAN = "unknown-tool"


def _run(folder: Path, target: str, *scenarios: str, seed: int = 0) -> Path:
    places = {scenario.name: str(scenario.path) for scenario in shipped_scenarios()}
    words = [places[name] for name in scenarios]
    with pytest.raises(SystemExit):
        main(["run", *words, "--wire", "openai-chat", "-k", "event", "-j", "1", "--target", target,
              "--seed", str(seed), "--out", str(folder)])  # fmt: skip
    return folder


def planted_runs(there: Path) -> dict[str, Path]:
    """The reference loop, the same with other ids, and a run of which three cases come from broken loops."""
    names = [*PLANTED, CLEAN]
    made = {
        "clean": _run(there / "clean", "reference", *names),
        "again": _run(there / "again", "reference", *names),
        "other-seed": _run(there / "other-seed", "reference", *names, seed=7),
    }
    for planted, seed in (("planted", 0), ("planted-other-seed", 7)):
        clean = made["other-seed" if seed else "clean"]
        shutil.copytree(clean, there / planted)
        result = read_results(clean / "results.json")
        for scenario, (mutant, _) in PLANTED.items():
            broken = _run(there / f"{mutant}-{seed}", f"mutant:{mutant}", scenario, seed=seed)
            (case,) = read_results(broken / "results.json").cases
            assert case.trace is not None
            shutil.copy(broken / case.trace, there / planted / case.trace)
            result = replace(result, cases=tuple(case if each.id == case.id else each for each in result.cases))
        RunFolder.create(there / planted).write_results(result)
        made[planted] = there / planted
    return made
