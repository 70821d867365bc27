"""Where a cause is shown to be: in the user's files, and by name in those that are installed."""

from __future__ import annotations

from harness.report.entries import scenario_place
from harness.scenario import shipped


def test_a_shipped_scenario_is_named_without_the_folder_of_the_installation() -> None:
    assert scenario_place(str(shipped() / "universal" / "one-call.yaml"), 20) == "one-call.yaml:20 (shipped)"


def test_a_file_of_the_user_keeps_its_path() -> None:
    assert scenario_place("scenarios/mine.yaml", 3) == "scenarios/mine.yaml:3"
    assert scenario_place("/elsewhere/mine.yaml", 3) == "/elsewhere/mine.yaml:3"
