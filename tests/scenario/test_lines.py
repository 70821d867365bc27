"""Where the parts of a scenario stand in its file: what reports point at."""

from __future__ import annotations

from pathlib import Path

from harness.scenario import Scenario, load
from tests.scenarios import shipped_scenarios

SCENARIO = (Path(__file__).parent / "data" / "lines_scenario.yaml").read_text(encoding="utf-8")


def loaded(tmp_path: Path, text: str) -> Scenario:
    path = tmp_path / "two-answers.yaml"
    path.write_text(text, encoding="utf-8")
    (scenario,) = load([path])
    return scenario


def test_answers_and_expectations_stand_where_they_are_written(tmp_path: Path) -> None:
    lines = loaded(tmp_path, SCENARIO).lines
    assert lines is not None
    assert lines.steps == (7, 10, 11)
    assert (lines.expect, lines.expected) == (12, {"outcome": 13, "events": 16})


def test_a_scenario_is_the_same_wherever_its_parts_stand(tmp_path: Path) -> None:
    before, after = loaded(tmp_path, SCENARIO), loaded(tmp_path, "\n\n" + SCENARIO)
    assert before.lines != after.lines
    assert before == after


def test_every_shipped_scenario_has_a_line_for_each_of_its_answers() -> None:
    for scenario in shipped_scenarios("universal"):
        assert scenario.lines is not None
        text = scenario.path.read_text(encoding="utf-8").splitlines()
        assert len(scenario.lines.steps) == len(scenario.steps)
        assert all(text[line - 1].lstrip().startswith("-") for line in scenario.lines.steps)
        assert all(text[line - 1].lstrip().startswith(key) for key, line in scenario.lines.expected.items())
