"""``harness lint-scenario``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.commands import Printed, write_hello


def test_scenarios_without_a_problem_are_counted(harness: Callable[..., Printed], tmp_path: Path) -> None:
    write_hello(tmp_path, "one", "two")
    assert harness("lint-scenario", tmp_path) == Printed(0, "2 scenarios, nothing wrong\n", "")


def test_the_problems_of_all_files_are_told(harness: Callable[..., Printed], tmp_path: Path) -> None:
    one, two, _ = (write_hello(tmp_path, name) / f"{name}.yaml" for name in ("one", "two", "three"))
    one.write_text(
        one.read_text(encoding="utf-8").replace("{outcome: completed}", "{outcome: complete}"), encoding="utf-8"
    )
    with two.open("a", encoding="utf-8") as file:
        file.write("surprise: 1\n")
    code, _, lines = harness("lint-scenario", tmp_path).lines
    assert code == 2
    assert [line.partition(": expected")[0] for line in lines] == [f"error: {one}:8:19", f"error: {two}:9:1"]
